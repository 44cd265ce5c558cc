// codegen/driver/write.cpp - see write.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "codegen/driver/write.hpp"

#include <unistd.h>

#include <fstream>
#include <sstream>
#include <system_error>

namespace perdure::codegen {
namespace fs = std::filesystem;
namespace {

bool unchanged(const output& o) {
  std::ifstream in{o.path, std::ios::binary};
  if (!in) return false;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str() == o.text;
}

/// As make and Ninja read it: a backslash is one, but before what has one itself.
std::string escaped(const std::string& path) {
  std::string out;
  std::size_t slashes = 0;  // that stand just before
  for (const char c : path) {
    if (c == ' ' || c == '#') out.append(slashes + 1, '\\');
    slashes = c == '\\' ? slashes + 1 : 0;
    if (c == '$') out += '$';
    out += c;
  }
  return out;
}

}  // namespace

std::string write_all(const std::vector<output>& outputs) {
  struct pending {
    fs::path temporary, final;
  };
  std::vector<pending> ready;
  const auto give_up = [&](const fs::path& path, const std::string& why) {
    std::error_code ignored;
    for (const auto& p : ready) fs::remove(p.temporary, ignored);
    return "cannot write '" + path.string() + "': " + why;
  };
  for (const auto& o : outputs) {
    std::error_code failed;
    if (o.path.has_parent_path()) fs::create_directories(o.path.parent_path(), failed);
    if (failed) return give_up(o.path, failed.message());
    if (fs::is_directory(o.path, failed)) return give_up(o.path, "it is a directory");
    // a device or a pipe would be replaced by the rename below, a link's target be left as it was
    if (fs::exists(o.path, failed) && !fs::is_regular_file(o.path, failed))
      return give_up(o.path, "it is not a regular file");
    if (unchanged(o)) continue;
    const auto final = fs::is_symlink(o.path, failed) ? fs::weakly_canonical(o.path) : o.path;
    auto temporary = final;
    temporary += "." + std::to_string(::getpid()) + ".part";
    ready.push_back({temporary, final});
    errno = 0;
    std::ofstream out{temporary, std::ios::binary | std::ios::trunc};
    out << o.text;
    out.close();
    if (!out) return give_up(o.path, std::error_code{errno, std::generic_category()}.message());
  }
  for (const auto& p : ready) {
    std::error_code failed;
    fs::rename(p.temporary, p.final, failed);
    if (failed) return give_up(p.final, failed.message());
  }
  return {};
}

std::string depfile(const std::vector<output>& targets,
                    const std::vector<std::string>& dependencies) {
  std::string out;
  for (const auto& t : targets) out += escaped(t.path.string()) + " ";
  if (!out.empty()) out.pop_back();
  out += ":";
  for (const auto& d : dependencies) out += " \\\n  " + escaped(d);
  return out + "\n";
}

}  // namespace perdure::codegen
