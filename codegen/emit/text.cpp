// codegen/emit/text.cpp - see text.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/text.hpp"

#include <filesystem>

namespace perdure::codegen {

std::string quoted(const std::string& text) {
  static const char* const digits = "01234567";
  std::string out = "\"";
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (u < 0x20 || u >= 0x7f ||
               (c == '?' && out.back() == '?')) {  // "??" may be a trigraph
      out += '\\';
      out += digits[u >> 6U];
      out += digits[u >> 3U & 7U];
      out += digits[u & 7U];
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string banner(const program& p, const std::string& extension) {
  const auto header = std::filesystem::path{p.header}.filename().string();
  return "// " + p.stem + ".actors." + extension + " - made by perdure-gen from " + header +
         "; do not edit.\n";
}

std::string layout_asserts(const program& p) {
  std::string out =
      "#if defined(__CUDACC_RTC__)\n"
      "#pragma nv_diag_suppress 1427\n"  // offsetof in a class with bases is conditionally supported; both do
      "#elif defined(__GNUC__)\n"
      "#pragma GCC diagnostic push\n"
      "#pragma GCC diagnostic ignored \"-Winvalid-offsetof\"\n"
      "#endif\n";
  for (const auto& l : p.layouts) {
    const std::string what = "perdure: host and device disagree on " + l.spelling.substr(2);
    out += "static_assert(sizeof(" + l.spelling + ") == " + std::to_string(l.size) +
           " && alignof(" + l.spelling + ") == " + std::to_string(l.align);
    for (const auto& m : l.members) {
      out += " && __builtin_offsetof(" + l.spelling + ", " + m.name +
             ") == " + std::to_string(m.offset);
    }
    out += ", " + quoted(what) + ");\n";
  }
  out +=
      "#if defined(__CUDACC_RTC__)\n"
      "#pragma nv_diag_default 1427\n"
      "#elif defined(__GNUC__)\n"
      "#pragma GCC diagnostic pop\n"
      "#endif\n";
  return out;
}

std::string wide_argument(const program& p, const handler& h) {
  if (h.joins.empty())
    return "*static_cast<const " + p.messages[h.message].spelling + "*>(message)";
  std::string list;
  for (const auto id : h.joins) list += (list.empty() ? "" : ", ") + p.messages[id].spelling;
  return "::perdure::joined<" + list + ">{landed}";
}

std::string byte_text(const std::string& bytes) {
  constexpr std::size_t most = 96;  // a line
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += most)
    out += (at == 0 ? "" : "\n") + quoted(bytes.substr(at, most));
  return out.empty() ? "\"\"" : out;
}

}  // namespace perdure::codegen
