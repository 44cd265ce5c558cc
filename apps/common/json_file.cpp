// apps/common/json_file.cpp - see json_file.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "common/json_file.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "common/failure.hpp"

namespace apps {
namespace {

using nlohmann::json;

/// Reads the text once before anything is built. Not the parser's own callback: at each object's end that walks
/// through all elements of the array that it stands in.
class strictness : public nlohmann::json_sax<json> {
 public:
  explicit strictness(const std::string& name) : name_{name} {}

  bool start_object(std::size_t) override {
    deeper();
    open_.emplace_back();
    return true;
  }
  bool end_object() override {
    --depth_;
    open_.pop_back();
    return true;
  }
  bool key(std::string& one) override {
    auto& [keys, last] = open_.back();
    last = one;
    if (keys.insert(one).second) return true;
    open_.pop_back();
    throw failure{fmt::format("{}: key '{}' stands twice{}", name_, one, within()),
                  exit_code::usage};
  }
  bool start_array(std::size_t) override { return deeper(); }
  bool end_array() override {
    --depth_;
    return true;
  }
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& e) override {
    throw failure{fmt::format("{}: expected JSON: {}{}", name_, e.what(), within()),
                  exit_code::usage};
  }

 private:
  bool deeper() {
    if (++depth_ <= deepest) return true;
    throw failure{fmt::format("{}: expected at most {} objects and arrays within each other{}",
                              name_, deepest, within()),
                  exit_code::usage};
  }
  /// The keys on the way to where the parser is, for people.
  std::string within() const {
    std::string out;
    for (const auto& o : open_) out += (out.empty() ? "" : "/") + o.last;
    return out.empty() ? "" : ", in '" + out + "'";
  }
  struct object {
    std::set<std::string, std::less<>> keys;
    std::string last;
  };
  const std::string& name_;
  int depth_ = 0;
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
  strictness reads{name};
  json::sax_parse(text, &reads, json::input_format_t::json, true, comments);
  return json::parse(text, nullptr, true, comments);
}

}  // namespace apps
