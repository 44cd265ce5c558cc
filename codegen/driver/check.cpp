// codegen/driver/check.cpp - see check.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "codegen/driver/check.hpp"

#include <algorithm>
#include <future>
#include <regex>
#include <set>
#include <sstream>

#include "kernels/abi/actor_slot.cuh"
#include "runtime/jit/compile.hpp"
#include "runtime/jit/loop_layout.hpp"
#include "runtime/jit/nvrtc.hpp"

namespace perdure::codegen {
namespace jit = perdure::runtime::jit;
namespace {

/// A kernel a handler beside the loop: the assembler then says what each handler takes by itself.
std::string with_handler_kernels(const program& p, const std::string& source) {
  std::ostringstream out;
  out << source << "#line 1 \"" << p.stem << ".actors.check\"\n";
  if (widest(p.actors) != 0) out << "#include \"kernels/wide/measure.cuh\"\n";
  for (const auto& h : p.handlers) {
    if (p.actors[h.actor - 1].lanes != 0) {
      out << "extern \"C\" __global__ void __launch_bounds__(" << widest(p.actors)
          << ", 1) perdure_handler_" << h.id
          << "(char* slot, const void* message, const unsigned* landed_at, "
             "perdure::loop::lane_state* call) {\n  perdure::loop::measure_wide("
          << h.id << ", " << h.actor << ", slot, message, landed_at, call);\n}\n";
      continue;
    }
    out << "extern \"C\" __global__ void perdure_handler_" << h.id
        << "(void* self, const perdure::loop::message_view* view, perdure::loop::lane_state* call) "
           "{\n"
           "  perdure::detail::lane lane{*call, call->self, call->sender()};\n  perdure::context "
           "ctx{lane};\n"
           "  perdure::detail::message_source source{*view};\n  perdure::gen::table::invoke("
        << h.id << ", self, source, ctx);\n}\n";
  }
  return out.str();
}

/// "/home/u/bank.hpp(12): error: ..." -> "/home/u/bank.hpp:12: error: ...", as editors read it.
std::string with_lines(const std::string& log) {
  static const std::regex place{
      R"(^(.+)\((\d+)\): (catastrophic error|error|warning|note|remark))"};
  std::istringstream in{log};
  std::string out;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("ptxas info", 0) == 0 || line.find("bytes stack frame") != std::string::npos)
      continue;
    out += std::regex_replace(line, place, "$1:$2: $3") + "\n";
  }
  return out;
}

device_report::kernel usage(const jit::function_usage& f, std::string name) {
  return {std::move(name), f.registers, std::max(f.stack_bytes, f.deepest_stack_bytes),
          f.spill_store_bytes + f.spill_load_bytes, f.shared_bytes};
}

/// Why a compile failed, with the whole log where there is one.
std::string why(const error& e, const program& p, const std::string& source,
                const std::string& arch) {
  std::string text = "perdure-gen: error: " + arch + ": " + e.message() + "\n";
  if (e.code() != errc::compile_failed) return text;
  const auto compiler = jit::nvrtc::open();
  if (!compiler) return text;
  const auto again = compiler->compile(source, p.stem + ".actors.cu", jit::standard_options(arch),
                                       jit::embedded_headers());
  if (!again) return text;
  return "perdure-gen: error: NVRTC " + compiler->version() + " refuses '" + p.stem + "' for " +
         arch + ":\n" + with_lines(again->log);
}

struct one_result {
  device_report report;
  std::string errors, warnings;
};

constexpr std::uint64_t largest_chip = 227 * 1024;  ///< what a GPU gives a block at the most
/// Whether the states of all wide actors have room on a chip, or of none.
jit::wide_states states_of(const program& p) {
  bool some = false, all = true;
  for (const auto& a : p.actors) {
    if (a.lanes == 0) continue;
    some = some || a.size <= largest_chip;
    all = all && a.size <= largest_chip;
  }
  return all    ? jit::wide_states::on_chip
         : some ? jit::wide_states::varied
                : jit::wide_states::in_memory;
}
/// Whether every actor is small, and no slot is brought on chip.
bool all_small_in_memory(const program& p) {
  return std::all_of(p.actors.begin(), p.actors.end(), [](const auto& a) {
    return a.lanes == 0 && !perdure::abi::is_staged(static_cast<std::uint32_t>(a.size),
                                                    static_cast<std::uint32_t>(a.align));
  });
}
/// Threads a block of a program that says nothing else: abi::usual_lanes(), or its widest actor's.
unsigned lanes_of(const program& p) {
  const unsigned lanes = widest(p.actors);
  return lanes != 0 ? lanes : perdure::abi::usual_lanes(all_small_in_memory(p));
}
/// What the library makes of a program of which nothing else is said, on a GPU whose chip holds what theirs do.
jit::loop_layout layout_of(const program& p) {
  jit::loop_layout usual{lanes_of(p)};
  if (widest(p.actors) != 0) usual.states = states_of(p);
  return usual;
}
jit::compile_options options_for(const program& p, const std::string& source) {
  jit::compile_options how;
  how.extra = jit::options_of(layout_of(p), source);
  return how;
}

one_result check_one(const program& p, const std::string& source, const std::string& arch) {
  one_result r;
  if (is_virtual(arch)) {
    const auto taken =
        jit::try_compile(source, p.stem + ".actors.cu", arch, options_for(p, source));
    if (!taken) r.errors = why(taken.error(), p, source, arch);
    return r;
  }
  r.report.arch = arch;
  const auto unit = with_handler_kernels(p, source);
  const auto made = jit::compile(unit, p.stem + ".actors.cu", arch, options_for(p, source));
  if (!made) {
    r.errors = why(made.error(), p, unit, arch);
    return r;
  }
  if (const auto* loop = made->function("perdure_loop"))
    r.report.loop = usage(*loop, "perdure_loop");
  for (const auto& h : p.handlers) {
    const auto* f = made->function("perdure_handler_" + std::to_string(h.id));
    if (f == nullptr) continue;
    r.report.handlers.push_back(usage(*f, h.signature));
    const unsigned stack = r.report.handlers.back().stack_bytes;
    if (p.actors[h.actor - 1].lanes != 0 && stack != 0) {
      r.warnings += h.where.file + ":" + std::to_string(h.where.line) + ":" +
                    std::to_string(h.where.column) + ": warning: " + arch + ": '" + h.signature +
                    "' has a stack frame of " + std::to_string(stack) +
                    " bytes: values of its lanes lie in memory\n";
    }
    if (f->spill_store_bytes + f->spill_load_bytes == 0) continue;
    r.warnings += h.where.file + ":" + std::to_string(h.where.line) + ":" +
                  std::to_string(h.where.column) + ": warning: " + arch + ": '" + h.signature +
                  "' spills " + std::to_string(f->spill_store_bytes + f->spill_load_bytes) +
                  " bytes of registers to memory\n";
  }
  return r;
}

}  // namespace

bool is_virtual(const std::string& arch) { return arch.rfind("compute_", 0) == 0; }

checked check(const program& p, const std::string& source, const std::vector<std::string>& archs) {
  std::vector<std::future<one_result>> running;
  for (const auto& arch : archs) {
    running.push_back(
        std::async(std::launch::async, [&p, &source, arch] { return check_one(p, source, arch); }));
  }
  checked all;
  std::set<std::string> said;  // the same text for the next architecture says nothing new
  for (auto& one : running) {
    auto r = one.get();
    if (said.insert(r.errors).second) all.errors += r.errors;
    all.warnings += r.warnings;
    if (r.errors.empty() && !r.report.arch.empty()) all.reports.push_back(std::move(r.report));
  }
  return all;
}

precompiled precompile(const program& p, const std::string& source,
                       const std::vector<std::string>& archs) {
  precompiled all;
  const auto layout = jit::name_of(layout_of(p), source);
  for (const auto& arch : archs) {
    auto made = jit::compile(source, p.stem + ".actors.cu", arch, options_for(p, source));
    if (!made) {
      all.errors += why(made.error(), p, source, arch);
      continue;
    }
    all.cubins.push_back(
        {arch, layout,
         std::string{reinterpret_cast<const char*>(made->bytes.data()), made->bytes.size()}});
  }
  return all;
}

}  // namespace perdure::codegen
