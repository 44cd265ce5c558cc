// codegen/driver/main.cpp - the command line of perdure-gen.
// Exit codes: 0 done; 1 the header, the command line or the files are at fault, and nothing was written.
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "codegen/driver/check.hpp"
#include "codegen/driver/locate.hpp"
#include "codegen/driver/native.hpp"
#include "codegen/driver/write.hpp"
#include "codegen/emit/emit.hpp"
#include "codegen/frontend/parse.hpp"

namespace fs = std::filesystem;
namespace cg = perdure::codegen;

namespace {

struct arguments {
  std::string header, out_dir = ".", depfile, resource_dir;
  std::vector<std::string> check, precompile, include_dirs, clang_flags;
  bool dump_model = false;
};

int fail(const std::string& why) {
  std::cerr << "perdure-gen: error: " << why << '\n';
  return 1;
}

/// In place of "native" the architectures of this machine's GPUs, if there are any.
void find_native_in(std::vector<std::string>& archs) {
  if (std::erase(archs, "native") == 0) return;
  auto found = cg::find_native();
  if (!found.note.empty())
    std::cerr
        << "perdure-gen: note: device code for a GPU of this machine is not embedded; the program "
           "compiles it at its first start: "
        << found.note << '\n';
  for (auto& arch : found.archs)
    if (std::find(archs.begin(), archs.end(), arch) == archs.end())
      archs.push_back(std::move(arch));
}

/// "my-bank.v2" -> "my_bank_v2".
std::string identifier(const std::string& stem) {
  std::string name;
  for (const char c : stem) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0)
    name.insert(0, "_");
  return name;
}

/// Names that a program's namespace cannot have, or not beside what <perdure/system.hpp> includes: keywords and macros, too.
bool is_taken(const std::string& name) {
  static const std::set<std::string> taken{
      "std", "perdure", "main", "index", "rindex", "signal", "time", "clock", "link", "read",
      "write", "select", "errno", "assert", "stdin", "stdout", "stderr", "unix", "linux",
      // C++20's keywords, [lex.key]
      "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break",
      "case", "catch", "char", "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return",
      "co_yield", "compl", "concept", "const", "const_cast", "consteval", "constexpr", "constinit",
      "continue", "decltype", "default", "delete", "do", "double", "dynamic_cast", "else", "enum",
      "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if", "inline",
      "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr",
      "operator", "or", "or_eq", "private", "protected", "public", "register", "reinterpret_cast",
      "requires", "return", "short", "signed", "sizeof", "static", "static_assert", "static_cast",
      "struct", "switch", "template", "this", "thread_local", "throw", "true", "try", "typedef",
      "typeid", "typename", "union", "unsigned", "using", "virtual", "void", "volatile", "wchar_t",
      "while", "xor", "xor_eq"};
  return taken.contains(name);
}

void print_usage(const cg::program& p, std::ostream& out) {
  const auto line = [&](const std::string& arch, const cg::device_report::kernel& k) {
    out << arch << ": " << k.name << ": " << k.registers << " registers, " << k.stack_bytes
        << " bytes stack, " << k.spill_bytes << " bytes spilled\n";
  };
  for (const auto& d : p.device) {
    line(d.arch, d.loop);
    for (const auto& h : d.handlers) line(d.arch, h);
  }
}

int run(const arguments& a) {
  if (!fs::is_regular_file(a.header)) return fail("no such file: '" + a.header + "'");
  cg::frontend::parse_options options;
  options.header = a.header;
  const std::string stem = fs::path{a.header}.stem().string();
  options.name = identifier(stem);
  if (is_taken(options.name)) {
    return fail("'" + a.header + "': a header's name is its program's namespace, and '" +
                options.name + "' is taken; rename the header");
  }
  options.resource_dir = a.resource_dir.empty() ? cg::resource_dir() : a.resource_dir;
  options.include_dirs = a.include_dirs.empty() ? cg::include_dirs() : a.include_dirs;
  options.arguments = a.clang_flags;
  options.color = ::isatty(STDERR_FILENO) != 0;
  if (!fs::exists(fs::path{options.resource_dir} / "include" / "stddef.h")) {
    return fail("no Clang headers in '" + options.resource_dir +
                "'; give --resource-dir (clang-19 -print-resource-dir)");
  }
  auto program = cg::frontend::parse(options);
  if (!program) return 1;
  if (program->header.find_first_of("\"\n") != std::string::npos)
    return fail("'" + program->header + "': a path with '\"' or a line's end cannot be included");
  program->stem = stem;
  const auto device = cg::emit_device(*program);
  auto embedded = a.precompile;
  find_native_in(embedded);
  for (const auto* list : {&a.check, &std::as_const(embedded)}) {
    for (const auto& arch : *list) {
      const bool may_be_virtual = list == &a.check;
      if (arch.rfind("sm_", 0) == 0 || (may_be_virtual && cg::is_virtual(arch))) continue;
      return fail("'" + arch + "' is no architecture; give sm_80, sm_90, sm_100 or the like" +
                  (may_be_virtual ? ", or compute_90 to stop at PTX" : ""));
    }
  }
  if (!a.check.empty()) {
    auto result = cg::check(*program, device, a.check);
    std::cerr << result.warnings << result.errors;
    if (!result.errors.empty()) return 1;
    program->device = std::move(result.reports);
    print_usage(*program, a.dump_model ? std::cerr : std::cout);
  }
  if (!embedded.empty()) {
    auto result = cg::precompile(*program, device, embedded);
    std::cerr << result.errors;
    if (!result.errors.empty()) return 1;
    program->cubins = std::move(result.cubins);
  }
  const auto schema = cg::emit_schema(*program);
  if (a.dump_model) {
    std::cout << cg::emit_model(*program);
    return std::cout.flush() ? 0 : fail("cannot write to standard output");
  }
  const auto base = fs::path{a.out_dir} / (program->stem + ".actors");
  const auto path = [&](const char* extension) {
    auto p = base;
    p += extension;
    return p;
  };
  std::vector<cg::output> outputs{{path(".hpp"), cg::emit_header(*program)},
                                  {path(".cpp"), cg::emit_host(*program, device, schema)},
                                  {path(".cu"), device},
                                  {path(".json"), schema}};
  if (!a.depfile.empty())
    outputs.push_back({a.depfile, cg::depfile(outputs, program->dependencies)});
  const auto failed = cg::write_all(outputs);
  return failed.empty() ? 0 : fail(failed);
}

}  // namespace

int main(int argc, char** argv) {
  arguments a;
  std::vector<char*> own;  // what stands before "--"; the rest is Clang's
  int i = 0;
  for (; i < argc && std::string{argv[i]} != "--"; ++i) own.push_back(argv[i]);
  for (++i; i < argc; ++i) a.clang_flags.emplace_back(argv[i]);

  CLI::App app{
      "perdure-gen: makes a perdure program of a C++20 header of actors.\n"
      "Usage: perdure-gen HEADER -o DIR [options] [-- compiler flags]"};
  app.add_option("header", a.header, "the header that defines the actors")->required();
  app.add_option("-o,--out", a.out_dir, "directory of the generated files; made if missing");
  app.add_option("--depfile", a.depfile, "also write a depfile for make or ninja");
  app.add_option(
         "--check", a.check,
         "compile the device code for these architectures, report registers, stack and spills; "
         "compute_90 or the like: stop at PTX, without a report, in a fraction of the time")
      ->delimiter(',');
  app.add_option("--precompile", a.precompile,
                 "compile the device code for these architectures and embed it; native: for this "
                 "machine's GPUs, if there are any")
      ->delimiter(',');
  app.add_flag("--dump-model", a.dump_model, "print what was found as JSON and write nothing");
  app.add_option("--resource-dir", a.resource_dir,
                 "Clang's resource directory [PERDURE_CLANG_RESOURCE_DIR]");
  app.add_option("--perdure-include", a.include_dirs,
                 "directory with perdure/ and kernels/; may be repeated");
  try {
    app.parse(static_cast<int>(own.size()), own.data());
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 1;
  }
  try {
    return run(a);
  } catch (const std::exception& e) {
    return fail(e.what());
  }
}
