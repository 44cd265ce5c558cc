// codegen/emit/host.cpp - <stem>.actors.hpp and <stem>.actors.cpp: the registry of a program.
// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "codegen/emit/emit.hpp"
#include "codegen/emit/text.hpp"
#include "kernels/abi/layout_hash.cuh"

namespace perdure::codegen {
namespace {

/// A number as an enum's values are written down, "-3", as the 64 bits that stand for it.
std::string bits_of(const std::string& number) {
  return (number.front() == '-' ? std::to_string(static_cast<std::uint64_t>(std::stoll(number)))
                                : number) +
         "U";
}

void enums(const program& p, std::ostringstream& out) {
  if (p.enumerations.empty()) return;
  for (std::size_t i = 0; i < p.enumerations.size(); ++i) {
    if (p.enumerations[i].values.empty()) continue;
    out << "constexpr enumerator_info enum_" << i << "[] = {\n";
    for (const auto& v : p.enumerations[i].values)
      out << "    {" << quoted(v.name) << ", " << bits_of(v.number) << "},\n";
    out << "};\n";
  }
  out << "constexpr enum_info enums_[] = {\n";
  for (std::size_t i = 0; i < p.enumerations.size(); ++i) {
    out << "    {" << quoted(p.enumerations[i].name) << ", "
        << (p.enumerations[i].values.empty() ? "{}" : "enum_" + std::to_string(i)) << "},\n";
  }
  out << "};\n";
}

/// The names of an enum's values, as the last member of its row, or nothing.
std::string names_for(const program& p, const field& f) {
  for (std::size_t i = 0; i < p.enumerations.size() && !f.enumeration.empty(); ++i) {
    if (p.enumerations[i].name == f.enumeration) return ", &enums_[" + std::to_string(i) + "]";
  }
  return "";
}

void fields(const program& p, const std::vector<field>& all, const std::string& name,
            std::ostringstream& out) {
  if (all.empty()) return;
  out << "constexpr field_info " << name << "[] = {\n";
  for (const auto& f : all) {
    out << "    {" << quoted(f.name) << ", " << quoted(f.type) << ", " << f.offset << ", " << f.size
        << ", " << f.count << ", " << f.stride << ", field_kind::" << name_of(f.kind) << ", "
        << f.target << ", " << f.bit_offset << ", " << f.bit_width << names_for(p, f) << "},\n";
  }
  out << "};\n";
}

std::string span_of(const std::vector<field>& all, const std::string& name) {
  return all.empty() ? "{}" : name;
}

void invokers(const program& p, std::ostringstream& out) {
  for (const auto& h : p.handlers) {
    const auto& a = p.actors[h.actor - 1];
    if (a.lanes == 0) {
      out << "void invoke_" << h.id
          << "(void* self, const void* message, context& ctx) {\n  static_cast<" << a.spelling
          << "*>(self)->on(*static_cast<const " << p.messages[h.message].spelling
          << "*>(message), ctx);\n}\n";
      continue;
    }
    out << "void invoke_" << h.id
        << "(const void* self, [[maybe_unused]] const void* message,\n"
           "    [[maybe_unused]] const abi::landed_messages& landed, detail::block_lane& lane) {\n"
           "  block_context ctx{lane};\n  static_cast<const "
        << a.spelling << "*>(self)->on(" << wide_argument(p, h) << ", ctx);\n}\n";
  }
}

void ids(const std::vector<unsigned>& all, const std::string& name, std::ostringstream& out) {
  if (all.empty()) return;
  out << "constexpr std::uint16_t " << name << "[] = {";
  for (const auto id : all) out << id << ", ";
  out << "};\n";
}

void uses(const std::vector<port_use>& all, const std::string& name, std::ostringstream& out) {
  if (all.empty()) return;
  out << "constexpr port_use " << name << "[] = {";
  for (const auto& u : all) {
    out << '{' << (u.port < 0 ? "port_use::any" : std::to_string(u.port)) << ", " << u.message
        << "}, ";
  }
  out << "};\n";
}

/// What makes an actor wide, as wide_<id>.
void wide_info(const program& p, const actor& a, std::ostringstream& out) {
  const std::string id = std::to_string(a.id);
  std::vector<unsigned> joins;
  unsigned joined = 0;
  for (const auto h : a.handlers) {
    if (p.handlers[h].joins.empty()) continue;
    joins = p.handlers[h].joins;
    joined = h + 1;
  }
  if (!a.ports.empty()) {
    out << "constexpr const char* ports_" << id << "[] = {";
    for (const auto& name : a.ports) out << quoted(name) << ", ";
    out << "};\n";
  }
  if (!a.privates.empty()) {
    out << "constexpr private_info privates_" << id << "[] = {\n";
    for (const auto& v : a.privates) {
      out << "    {" << quoted(v.name) << ", " << v.offset << ", " << v.place << ", " << v.size
          << "},\n";
    }
    out << "};\n";
  }
  ids(a.opens, "opens_" + id, out);
  ids(joins, "joins_" + id, out);
  uses(a.port_sends, "sends_" + id, out);
  uses(a.port_takes, "takes_" + id, out);
  const auto list = [&](bool empty, const char* name) { return empty ? "{}" : name + id; };
  out << "const wide_info wide_" << id << "{" << a.lanes << ", " << list(a.ports.empty(), "ports_")
      << ", " << list(a.privates.empty(), "privates_") << ", " << a.private_bytes << ", "
      << list(a.opens.empty(), "opens_") << ", " << list(joins.empty(), "joins_") << ", " << joined
      << ", " << list(a.port_sends.empty(), "sends_") << ", "
      << list(a.port_takes.empty(), "takes_") << "};\n";
}

/// The type by which a handler is found.
std::string taken_by(const program& p, const handler& h) {
  if (h.joins.empty()) return p.messages[h.message].spelling;
  std::string list;
  for (const auto id : h.joins) list += (list.empty() ? "" : ", ") + p.messages[id].spelling;
  return "joined<" + list + ">";
}

void tables(const program& p, std::ostringstream& out) {
  enums(p, out);
  for (const auto& a : p.actors) fields(p, a.fields, "state_" + std::to_string(a.id), out);
  for (const auto& m : p.messages) fields(p, m.fields, "message_" + std::to_string(m.id), out);
  for (const auto& a : p.actors) {
    if (a.lanes != 0) wide_info(p, a, out);
  }
  out << "const actor_info actors_[] = {\n";
  for (const auto& a : p.actors) {
    out << "    {" << quoted(a.name) << ", detail::type_key<" << a.spelling << ">(), " << a.size
        << ", " << a.align << ", " << span_of(a.fields, "state_" + std::to_string(a.id))
        << ", constructor_of<" << a.spelling << ">(), "
        << (a.lanes == 0 ? std::string{"nullptr"} : "&wide_" + std::to_string(a.id))
        << (a.overflow.empty() ? "" : ", abi::overflow::" + a.overflow) << "},\n";
  }
  out << "};\nconst message_info messages_[] = {\n";
  for (const auto& m : p.messages) {
    out << "    {" << quoted(m.name) << ", detail::type_key<" << m.spelling << ">(), " << m.size
        << ", " << m.align << ", " << span_of(m.fields, "message_" + std::to_string(m.id))
        << (goes_to_host(p, m) ? ", true" : "") << "},\n";
  }
  out << "};\nconst handler_info handlers_[] = {\n";
  for (const auto& h : p.handlers) {
    out << "    {detail::handler_key<" << p.actors[h.actor - 1].spelling << ", " << taken_by(p, h)
        << ">(), " << h.actor << ", " << h.message << ", "
        << (p.actors[h.actor - 1].lanes == 0 ? "" : "nullptr, ") << "invoke_" << h.id
        << (p.actors[h.actor - 1].lanes == 0 ? ", nullptr" : "") << (h.in_runs ? ", true" : "")
        << "},\n";
  }
  out << "};\n";
  if (p.formats.empty()) return;
  out << "const format_info formats_[] = {\n";
  for (const auto& f : p.formats) out << "    {" << f.key << "U, " << quoted(f.text) << "},\n";
  out << "};\n";
}

}  // namespace

std::string emit_header(const program& p) {
  std::ostringstream out;
  out << banner(p, "hpp") << "#pragma once\n\n#include \"" << p.header << '"'
      << "\n\n#include <perdure/system.hpp>\n\nnamespace " << p.name
      << " {\n/// The actors of this header, for perdure::system::start.\nconst "
         "::perdure::program& actors();\n}  // namespace "
      << p.name << "\n\n"
      << layout_asserts(p);
  return out.str();
}

std::string emit_host(const program& p, const std::string& device, const std::string& schema) {
  std::ostringstream out;
  out << banner(p, "cpp") << "#include \"" << p.header << '"'
      << "\n\n#include <new>\n#include <type_traits>\n\n#include <perdure/program.hpp>\n\n"
         "#if defined(__GNUC__)\n"
         "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n#endif\n\n"
      << layout_asserts(p)
      << "namespace perdure {\nnamespace {\n\n"
         "template <class A>\nconstexpr auto constructor_of() -> void (*)(void*) {\n"
         "  if constexpr (std::is_default_constructible_v<A>) {\n"
         "    return [](void* at) { ::new (at) A{}; };\n"
         "  } else {\n    return nullptr;\n  }\n}\n\n";
  invokers(p, out);
  tables(p, out);
  for (std::size_t i = 0; i < p.cubins.size(); ++i) {
    out << "alignas(16) constexpr std::uint8_t cubin_" << i << "[] =\n"
        << byte_text(p.cubins[i].bytes) << ";\n";
  }
  if (!p.cubins.empty()) {
    out << "const cubin_info cubins_[] = {\n";
    for (std::size_t i = 0; i < p.cubins.size(); ++i) {
      out << "    {" << quoted(p.cubins[i].arch) << ", " << quoted(p.cubins[i].layout)
          << ", {cubin_" << i << ", " << p.cubins[i].bytes.size() << "}},\n";
    }
    out << "};\n";
  }
  out << "constexpr unsigned char device_[] =\n"
      << byte_text(device) << ";\nconstexpr unsigned char schema_[] =\n"
      << byte_text(schema) << ";\n\n}  // namespace\n}  // namespace perdure\n\nnamespace "
      << p.name
      << " {\n\nconst ::perdure::program& actors();\n\nconst ::perdure::program& actors() {\n"
         "  static const ::perdure::program self{\n      "
      << quoted(p.stem) << ", " << abi::layout_hash()
      << "U,\n      ::perdure::actors_, ::perdure::messages_, ::perdure::handlers_, "
      << (p.formats.empty() ? "{}" : "::perdure::formats_") << ", "
      << (p.cubins.empty() ? "{}" : "::perdure::cubins_") << ",\n"
      << "      {reinterpret_cast<const char*>(::perdure::device_), " << device.size() << "},\n"
      << "      {reinterpret_cast<const char*>(::perdure::schema_), " << schema.size()
      << "}};\n  return self;\n}\n\n}  // namespace " << p.name << "\n";
  return out.str();
}

}  // namespace perdure::codegen
