// codegen/frontend/wide_rules.cpp - see wide_rules.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "codegen/frontend/wide_rules.hpp"

#include <algorithm>

#include "codegen/frontend/actors.hpp"

namespace perdure::codegen::frontend {
using namespace clang;
namespace {

void add_ports(const EnumDecl* ports, actor& a, report& to) {
  for (const auto* c : ports->enumerators()) {
    if (c->getInitVal() != static_cast<std::int64_t>(a.ports.size())) {
      to.error(c->getLocation(), "ports are numbered 0, 1, 2, ...; leave '" + c->getNameAsString() +
                                     "' its own number");
      return;
    }
    a.ports.push_back(c->getNameAsString());
  }
  if (a.ports.size() > max_ports) {
    to.error(ports->getLocation(), "'" + a.name + "' has " + std::to_string(a.ports.size()) +
                                       " ports; an actor has at most " + std::to_string(max_ports));
  }
}

/// Values of a lane lie one behind another; their markers must, too, since a marker is found by its distance from the
/// first.
void place_privates(const CXXRecordDecl* record, std::vector<private_member> privates, actor& a,
                    report& to) {
  constexpr std::uint64_t piece = 4;  // bytes that are moved at once
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < privates.size(); ++i) {
    private_member& v = privates[i];
    if (i > 0 && v.offset != privates[i - 1].offset + 1) {
      to.error(record->getLocation(), "per_lane member '" + v.name + "' must stand right behind '" +
                                          privates[i - 1].name + "'");
      return;
    }
    const auto align = std::max(v.align, piece);
    v.place = at = (at + align - 1) / align * align;
    at += v.size;
  }
  a.private_bytes = (at + 15) / 16 * 16;
  a.privates = std::move(privates);
}

}  // namespace

const VarDecl* lanes_of(const CXXRecordDecl* record) {
  return llvm::dyn_cast_or_null<VarDecl>(member_named(record, "lanes"));
}
const EnumDecl* ports_of(const CXXRecordDecl* record) {
  const auto* ports = enumeration_named(record, "port");
  return ports == nullptr ? nullptr : ports->getDefinition();
}

void widen(const CXXRecordDecl* record, std::vector<private_member> privates, actor& a,
           report& to) {
  const auto* lanes = lanes_of(record);
  const bool known = lanes != nullptr && lanes->isConstexpr() && lanes->getType()->isIntegerType();
  const auto* value =
      known && lanes->getAnyInitializer() != nullptr ? lanes->evaluateValue() : nullptr;
  if (value == nullptr || !value->isInt()) {
    to.error(lanes != nullptr ? lanes->getLocation() : record->getLocation(),
             "wide actor '" + a.name +
                 "' must say how many lanes it is written for: static constexpr int lanes");
    return;
  }
  const auto n = value->getInt().getExtValue();
  if (n < warp_lanes || n > max_lanes || n % warp_lanes != 0) {
    to.error(lanes->getLocation(), "lanes of '" + a.name + "' is " + std::to_string(n) +
                                       "; it must be a multiple of 32 up to 1024");
    return;
  }
  a.lanes = static_cast<unsigned>(n);
  if (const auto* ports = ports_of(record)) add_ports(ports, a, to);
  place_privates(record, std::move(privates), a, to);
}

}  // namespace perdure::codegen::frontend
