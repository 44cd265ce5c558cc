// apps/common/json_file.cpp - see json_file.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "common/json_file.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "common/failure.hpp"

namespace apps {
namespace {

using nlohmann::json;

/// Listens to the parser: it comes along before anything is built.
class strictness {
 public:
  explicit strictness(const std::string& name) : name_{name} {}

  bool operator()(int depth, json::parse_event_t event, json& parsed) {
    using is = json::parse_event_t;
    if ((event == is::object_start || event == is::array_start) && depth >= deepest)
      throw failure{fmt::format("{}: expected at most {} objects and arrays within each other{}",
                                name_, deepest, within()),
                    exit_code::usage};
    if (event == is::object_start) open_.emplace_back();
    if (event == is::object_end) open_.pop_back();
    if (event == is::key) {
      auto& [keys, last] = open_.back();
      last = parsed.get<std::string>();
      if (!keys.insert(last).second) {
        open_.pop_back();
        throw failure{
            fmt::format("{}: key '{}' stands twice{}", name_, parsed.get<std::string>(), within()),
            exit_code::usage};
      }
    }
    return true;
  }

  /// The keys on the way to where the parser is, for people.
  std::string within() const {
    std::string out;
    for (const auto& o : open_) out += (out.empty() ? "" : "/") + o.last;
    return out.empty() ? "" : ", in '" + out + "'";
  }

 private:
  struct object {
    std::set<std::string, std::less<>> keys;
    std::string last;
  };
  const std::string& name_;
  std::vector<object> open_;
};

}  // namespace

std::string read_text(const std::string& path) {
  struct closer {
    void operator()(std::FILE* f) const { std::fclose(f); }
  };
  const std::unique_ptr<std::FILE, closer> file{std::fopen(path.c_str(), "rb")};
  std::string out;
  std::array<char, 16 * 1024> some{};
  for (std::size_t n = 0; file && (n = std::fread(some.data(), 1, some.size(), file.get())) > 0;)
    out.append(some.data(), n);
  if (!file || std::ferror(file.get()) != 0)
    throw failure{fmt::format("{}: cannot be read: {}", path, std::strerror(errno)),
                  exit_code::usage};
  return out;
}

json parse_json(std::string_view text, const std::string& name, bool comments) {
  strictness listens{name};
  try {
    return json::parse(text, std::ref(listens), true, comments);
  } catch (const json::exception& e) {
    throw failure{fmt::format("{}: expected JSON: {}{}", name, e.what(), listens.within()),
                  exit_code::usage};
  }
}

}  // namespace apps
