// codegen/emit/device.cpp - <stem>.actors.cu: the slice, layout asserts, and the dispatch table.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <sstream>

#include "codegen/emit/emit.hpp"
#include "codegen/emit/text.hpp"
#include "kernels/abi/link.cuh"

namespace perdure::codegen {
namespace {

/// The part of the table for wide actors.
void wide_table(const program& p, std::ostringstream& out) {
  std::uint64_t private_bytes = 0;
  for (const auto& a : p.actors) private_bytes = std::max(private_bytes, a.private_bytes);
  const bool alike = std::all_of(p.actors.begin(), p.actors.end(), [&](const actor& a) {
    return a.lanes == 0 || (a.lanes == widest(p.actors) && a.private_bytes == private_bytes);
  });
  out << "  static constexpr unsigned lanes = " << widest(p.actors)
      << ", private_bytes = " << private_bytes << ";  // of wide actors\n"
      << "  static constexpr bool wide_alike = " << (alike ? "true" : "false")
      << ";  // all have so many lanes, and bytes a lane\n"
      << "  static constexpr bool is_joined([[maybe_unused]] unsigned handler) {\n    return false";
  for (const auto& h : p.handlers) {
    if (!h.joins.empty()) out << " || handler == " << h.id;
  }
  out << ";\n  }\n";
  for (const bool joined : {false, true}) {
    out << "  template <class Lane>\n  static void " << (joined ? "invoke_joined" : "invoke_wide")
        << "(unsigned handler, [[maybe_unused]] const void* self,\n      [[maybe_unused]] const "
        << (joined ? "::perdure::abi::landed_messages& landed" : "void* message")
        << ", Lane& lane) {\n"
           "    [[maybe_unused]] ::perdure::block_context ctx{lane};\n"
           "    switch (handler) {\n";
    for (const auto& h : p.handlers) {
      const auto& a = p.actors[h.actor - 1];
      if (a.lanes == 0 || joined == h.joins.empty()) continue;
      out << "      case " << h.id << ": enter(lane, " << a.id << "); static_cast<const "
          << a.spelling << "*>(self)->on(" << wide_argument(p, h) << ", ctx); break;\n";
    }
    out << "      default: break;\n    }\n  }\n";
  }
}

/// Where the loop keeps a lane's own values, by the place of their marker.
void private_places(const program& p, std::ostringstream& out) {
  out << "constexpr unsigned private_place_of(tag, unsigned actor, unsigned offset) {\n"
         "  switch (static_cast<unsigned long>(actor) << 32U | offset) {\n";
  for (const auto& a : p.actors) {
    for (const auto& v : a.privates) {
      out << "    case " << (static_cast<std::uint64_t>(a.id) << 32U | v.offset) << "UL: return "
          << v.place << ";  // " << a.name << "." << v.name << "\n";
    }
  }
  out << "    default: return 0;\n  }\n}\n";
}

/// Runs of messages: of the types that say they are hot.
void hot_table(const program& p, std::ostringstream& out) {
  std::ostringstream cases, names, many, many_names, rows;
  for (const auto& h : p.handlers) {
    const auto& a = p.actors[h.actor - 1];
    if (!a.hot) continue;
    const auto& m = p.messages[h.message];
    names << (names.str().empty() ? "" : " || ") << "handler == " << h.id;
    if (h.sends_many && m.size <= abi::inline_payload) {
      many_names << " || (handler == " << h.id << " && ::perdure::detail::in_registers<"
                 << a.spelling << ">)";
      many << "      case " << h.id << ": run.template each<" << a.spelling << ", " << m.spelling
           << ">(self); break;\n";
    }
    if (h.in_runs) {
      rows << " || (handler == " << h.id << " && ::perdure::detail::rows_in_runs<" << a.spelling
           << ", " << m.spelling << ">)";
    }
    cases << "      case " << h.id << ": run.template " << (h.in_runs ? "each_in_runs" : "each")
          << "<" << a.spelling << ", " << m.spelling << ">(self); break;\n";
  }
  if (has_runs(p.handlers)) {
    out << "  static constexpr bool rows_go_together([[maybe_unused]] unsigned handler) {\n    return "
           "false"
        << rows.str() << ";\n  }\n";
  }
  out << "  static constexpr bool is_hot(unsigned handler) { return " << names.str()
      << "; }\n  static constexpr bool sends_many([[maybe_unused]] unsigned handler) {\n    return "
         "false"
      << many_names.str()
      << ";\n  }\n"
         "  template <class Run>\n"
         "  static void invoke_many([[maybe_unused]] unsigned handler, [[maybe_unused]] void* self,\n"
         "                          [[maybe_unused]] Run& run) {\n"
         "    switch (handler) {\n"
      << many.str()
      << "      default: break;\n    }\n  }\n"
         "  template <class Run>\n"
         "  static void invoke_run(unsigned handler, void* self, Run& run) {\n"
         "    switch (handler) {\n"
      << cases.str() << "      default: break;\n    }\n  }\n";
}

static_assert(max_run_message_bytes == abi::inline_payload);
/// Runs of messages that a handler's on_run() takes.
void runs_table(const program& p, std::ostringstream& out) {
  std::ostringstream cases, names;
  for (const auto& h : p.handlers) {
    if (!h.in_runs) continue;
    names << (names.str().empty() ? "" : " || ") << "handler == " << h.id;
    cases << "      case " << h.id << ": return source.template call<"
          << p.actors[h.actor - 1].spelling << ", " << p.messages[h.message].spelling
          << ">(self);\n";
  }
  out << "  static constexpr bool takes_runs(unsigned handler) { return " << names.str()
      << "; }\n"
         "  template <class Source>\n"
         "  static unsigned invoke_together(unsigned handler, void* self, Source& source) {\n"
         "    switch (handler) {\n"
      << cases.str() << "      default: return 0;\n    }\n  }\n";
}

/// Whether the host may send messages that do not travel in a ring.
bool takes_large(const program& p) {
  return std::any_of(p.handlers.begin(), p.handlers.end(), [&](const auto& h) {
    return h.joins.empty() && p.messages[h.message].size > abi::inline_payload;
  });
}

/// Whether the ring to the host is to take messages that do not travel in others.
bool sends_long_to_host(const program& p) {
  return std::any_of(p.messages.begin(), p.messages.end(), [&](const auto& m) {
    return m.size > abi::inline_payload && goes_to_host(p, m);
  });
}

/// The table stands in perdure::gen, where unit.cuh and entry.cuh look for it.
void table(const program& p, std::ostringstream& out) {
  std::uint64_t largest = 0;
  for (const auto& m : p.messages) largest = std::max(largest, m.size);
  out << "struct table {\n  static constexpr unsigned actors = " << p.actors.size()
      << ", messages = " << p.messages.size() << ", handlers = " << p.handlers.size() << ";\n"
      << "  static constexpr unsigned largest_message = " << largest << ";\n"
      << "  static constexpr actor_row actor_rows[] = {{0, 0}";
  for (const auto& a : p.actors)
    out << ", {sizeof(" << a.spelling << "), alignof(" << a.spelling << ")}";
  out << "};\n  static constexpr handler_row handler_rows[] = {";
  for (const auto& h : p.handlers) {
    out << (h.id == 0 ? "" : ", ") << '{' << h.actor << ", " << h.message << ", sizeof("
        << p.messages[h.message].spelling << ")}";
  }
  out << "};\n  template <class Source>\n"
         "  PERDURE_INLINED static void invoke(unsigned handler, void* self, Source& source,\n"
         "                                     ::perdure::context& ctx) {\n"
         "    switch (handler) {\n";
  for (const auto& h : p.handlers) {
    if (p.actors[h.actor - 1].lanes != 0) continue;
    out << "      case " << h.id << ": static_cast<" << p.actors[h.actor - 1].spelling
        << "*>(self)->on(source.template get<" << p.messages[h.message].spelling
        << ">(), ctx); break;\n";
  }
  out << "      default: break;\n    }\n  }\n";
  if (has_hot(p.actors)) hot_table(p, out);
  if (has_runs(p.handlers)) runs_table(p, out);
  wide_table(p, out);
  out << "};\n";
}

/// Whether each group of lanes has no more than one run of several words a lane and one of a word a lane in a firing, if the former
/// have `share`. Which message comes in at which port is known when links are made; here each is taken to come as often as the others.
bool share_will_do(const program& p, const handler& h, std::uint64_t share, std::uint64_t groups) {
  std::uint64_t longs = 0, shorts = 0;
  for (const unsigned m : h.joins) {
    const std::uint64_t words = abi::link_words(static_cast<abi::u32>(p.messages[m].size));
    const std::uint64_t last = words % (share * abi::group_lanes);
    longs += words / (share * abi::group_lanes) + (last > abi::group_lanes ? 1 : 0);
    shorts += last > 0 && last <= abi::group_lanes ? 1 : 0;
  }
  const std::size_t ports = p.actors[h.actor - 1].ports.size();
  return std::max(longs, shorts) * ports <= groups * h.joins.size();
}
/// Words that a lane is to hold of a run of words, if not as many as usual: see share_of_a_lane() in kernels/wide/runs.cuh. The least
/// with which each group of lanes has one long run in any firing, since it moves as many words as that has; or so many that the
/// longest message is one. 0: as usual.
std::uint64_t link_share(const program& p) {
  const std::uint64_t lanes = widest(p.actors);  // of the block: all share in each firing
  if (lanes > abi::few_lanes) return 0;
  const std::uint64_t groups = std::max<std::uint64_t>(lanes / abi::group_lanes, 1);
  std::uint64_t share = 0;
  for (const auto& h : p.handlers) {
    if (h.joins.empty() || p.actors[h.actor - 1].ports.empty()) continue;
    std::uint64_t least = abi::least_share;
    while (least < abi::usual_share && !share_will_do(p, h, least, groups)) ++least;
    std::uint64_t longest = 0, sum = 0;
    for (const unsigned m : h.joins) {
      const std::uint64_t words = abi::link_words(static_cast<abi::u32>(p.messages[m].size));
      longest = std::max(longest, words);
      sum += words;
    }
    const auto all = sum * p.actors[h.actor - 1].ports.size() / h.joins.size();
    const auto needs = (longest + abi::group_lanes - 1) / abi::group_lanes;
    if (all > lanes * abi::usual_share)
      least = std::max(least, std::min<std::uint64_t>(needs, abi::most_share));
    share = std::max(share, least);
  }
  return share != abi::usual_share ? share : 0;
}

/// Whether `name` stands in C++ text by itself; in a string or a user's function of that name it does, too.
bool names(const std::string& text, const std::string& name) {
  const auto joins = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const auto end = at + name.size();
    if ((at == 0 || !joins(text[at - 1])) && (end == text.size() || !joins(text[end]))) return true;
  }
  return false;
}

}  // namespace

std::string emit_device(const program& p) {
  std::ostringstream out;
  // what a program has no use for, its loop has no code for: every start compiles it
  out << banner(p, "cu") << (widest(p.actors) != 0 ? "#define PERDURE_WIDE 1\n" : "");
  if (const auto share = link_share(p); share != 0)
    out << "#define PERDURE_LINK_SHARE " << share << "\n";
  out << (has_overflow_rules(p.actors) ? "#define PERDURE_OVERFLOW 1\n" : "")
      << (has_hot(p.actors) ? "#define PERDURE_HOT 1\n" : "")
      << (has_runs(p.handlers) ? "#define PERDURE_RUNS 1\n" : "")
      << (takes_large(p) ? "#define PERDURE_HOST_BUFFERS 1\n" : "")
      << (sends_long_to_host(p) ? "#define PERDURE_LONG_LETTERS 1\n" : "")
      << (names(p.sliced, "after") ? "#define PERDURE_TIMERS 1\n" : "")
      << "#include \"kernels/unit.cuh\"\n";
  if (!p.opaque.empty()) {
    out << "#if defined(__CUDACC_RTC__)  // named by the slice, made by nobody\nnamespace std {\n";
    for (const auto& name : p.opaque) out << "class " << name << ";\n";
    out << "}\n#else\n";
    for (const auto& name : p.opaque) out << "#include <" << name << ">\n";
    out << "#endif\n";
  }
  out << p.sliced;
  const auto so_far = out.str();
  const auto line = std::count(so_far.begin(), so_far.end(), '\n') + 2;
  out << "#line " << line << " \"" << p.stem << ".actors.cu\"\n"
      << layout_asserts(p) << "namespace perdure::gen {\n";
  for (const auto& a : p.actors) {
    out << "constexpr unsigned actor_id(tag, const " << a.spelling << "*) { return " << a.id
        << "; }\n";
  }
  for (const auto& m : p.messages) {
    out << "constexpr unsigned message_id(tag, const " << m.spelling << "*) { return " << m.id
        << "; }\n";
  }
  for (const auto& h : p.handlers) {
    if (!h.joins.empty()) continue;  // nothing is sent to it
    out << "constexpr unsigned handler_id(tag, const " << p.actors[h.actor - 1].spelling
        << "*, const " << p.messages[h.message].spelling << "*) { return " << h.id << "; }\n";
  }
  private_places(p, out);
  table(p, out);
  out << "}  // namespace perdure::gen\n#include \"kernels/entry.cuh\"\n";
  return out.str();
}

}  // namespace perdure::codegen
