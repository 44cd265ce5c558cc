// codegen/emit/schema.cpp - <stem>.actors.json, for people, tools and tests.
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <nlohmann/json.hpp>

#include "codegen/emit/emit.hpp"
#include "kernels/abi/layout_hash.cuh"

namespace perdure::codegen {
namespace {

using json = nlohmann::ordered_json;

json fields(const std::vector<field>& all) {
  auto list = json::array();
  for (const auto& f : all) {
    json j{{"name", f.name},          {"type", f.type},     {"offset", f.offset},
           {"size", f.size},          {"count", f.count},   {"stride", f.stride},
           {"kind", name_of(f.kind)}, {"target", f.target}, {"bit_offset", f.bit_offset},
           {"bit_width", f.bit_width}};
    list.push_back(std::move(j));
  }
  return list;
}

std::string receiver(const program& p, const send& s) {
  if (s.via == send_kind::reply) return "asker";
  return s.to == mailbox_target ? "host" : p.actors[s.to - 1].name;
}

json sends(const program& p, const handler& h, send_kind only) {
  auto list = json::array();
  for (const auto& s : h.sends) {
    const bool plain = only == send_kind::send && s.via == send_kind::host;
    if (s.via != only && !plain) continue;
    json j;
    if (only != send_kind::reply) j["to"] = receiver(p, s);
    j["message"] = p.messages[s.message].name;
    j["file"] = s.where.file;
    j["line"] = s.where.line;
    list.push_back(std::move(j));
  }
  return list;
}

json handler_of(const program& p, const handler& h) {
  auto logs = json::array();
  for (const auto& l : h.logs) logs.push_back({{"text", l.text}, {"line", l.where.line}});
  return {{"id", h.id},
          {"message", p.messages[h.message].name},
          {"signature", h.signature},
          {"file", h.where.file},
          {"line", h.where.line},
          {"sends", sends(p, h, send_kind::send)},
          {"replies", sends(p, h, send_kind::reply)},
          {"after", sends(p, h, send_kind::after)},
          {"logs", std::move(logs)}};
}
json with_joins(const program& p, const handler& h) {
  auto j = handler_of(p, h);
  if (h.in_runs) j["in_runs"] = true;
  if (h.joins.empty()) return j;
  j["joins"] = json::array();
  for (const auto id : h.joins) j["joins"].push_back(p.messages[id].name);
  return j;
}

json graph(const program& p) {
  auto list = json::array();
  for (const auto& h : p.handlers) {
    for (const auto& s : h.sends) {
      json edge{{"from", p.actors[h.actor - 1].name},
                {"to", receiver(p, s)},
                {"message", p.messages[s.message].name},
                {"via", name_of(s.via)}};
      if (std::find(list.begin(), list.end(), edge) == list.end()) list.push_back(std::move(edge));
    }
  }
  return list;
}

json kernel(const device_report::kernel& k) {
  return {{"name", k.name},
          {"registers", k.registers},
          {"stack_bytes", k.stack_bytes},
          {"spill_bytes", k.spill_bytes},
          {"shared_bytes", k.shared_bytes}};
}

json wide(const program& p, const actor& a) {
  auto privates = json::array();
  for (const auto& v : a.privates) {
    privates.push_back(
        {{"name", v.name}, {"offset", v.offset}, {"place", v.place}, {"size", v.size}});
  }
  auto opens = json::array();
  for (const auto id : a.opens) opens.push_back(p.messages[id].name);
  const auto uses = [&](const std::vector<port_use>& all) {
    auto list = json::array();
    for (const auto& u : all) {
      const auto port = static_cast<std::size_t>(u.port);
      list.push_back({{"port", u.port >= 0 && port < a.ports.size() ? json(a.ports[port]) : json()},
                      {"message", p.messages[u.message].name}});
    }
    return list;
  };
  return {{"lanes", a.lanes},
          {"ports", a.ports},
          {"per_lane", std::move(privates)},
          {"per_lane_bytes", a.private_bytes},
          {"opens", std::move(opens)},
          {"sends", uses(a.port_sends)},
          {"takes", uses(a.port_takes)}};
}

json schema(const program& p) {
  json root{{"perdure_schema", 1},
            {"program", p.stem},
            {"header", p.header},
            {"abi_hash", static_cast<std::uint64_t>(abi::layout_hash())}};
  root["actors"] = json::array();
  for (const auto& a : p.actors) {
    auto handlers = json::array();
    for (const auto id : a.handlers) handlers.push_back(with_joins(p, p.handlers[id]));
    root["actors"].push_back({{"name", a.name},
                              {"id", a.id},
                              {"size", a.size},
                              {"align", a.align},
                              {"fields", fields(a.fields)},
                              {"handlers", std::move(handlers)}});
    if (a.hot) root["actors"].back()["hot"] = true;
    if (!a.overflow.empty()) root["actors"].back()["overflow"] = a.overflow;
    if (a.lanes != 0) root["actors"].back()["wide"] = wide(p, a);
  }
  root["messages"] = json::array();
  for (const auto& m : p.messages) {
    root["messages"].push_back({{"name", m.name},
                                {"id", m.id},
                                {"size", m.size},
                                {"align", m.align},
                                {"fields", fields(m.fields)}});
  }
  root["enums"] = json::array();
  for (const auto& e : p.enumerations) {
    auto values = json::array();
    for (const auto& v : e.values) values.push_back({{"name", v.name}, {"value", v.number}});
    root["enums"].push_back({{"name", e.name}, {"values", std::move(values)}});
  }
  root["formats"] = json::array();
  for (const auto& f : p.formats) root["formats"].push_back({{"key", f.key}, {"text", f.text}});
  root["send_graph"] = graph(p);
  if (!p.device.empty()) root["device"] = json::array();
  for (const auto& d : p.device) {
    json j{{"arch", d.arch}};
    j.update(kernel(d.loop));
    j["handlers"] = json::array();
    for (const auto& h : d.handlers) j["handlers"].push_back(kernel(h));
    root["device"].push_back(std::move(j));
  }
  return root;
}

}  // namespace

std::string emit_schema(const program& p) { return schema(p).dump(2) + "\n"; }

std::string emit_model(const program& p) {
  auto root = schema(p);
  root["layouts"] = json::array();
  for (const auto& l : p.layouts) {
    json members = json::object();
    for (const auto& m : l.members) members[m.name] = m.offset;
    root["layouts"].push_back({{"type", l.spelling},
                               {"size", l.size},
                               {"align", l.align},
                               {"members", std::move(members)}});
  }
  root["kept"] = p.kept;
  root["dependencies"] = p.dependencies;
  return root.dump(2) + "\n";
}

}  // namespace perdure::codegen
