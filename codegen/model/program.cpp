// codegen/model/program.cpp - names of the model's enumerators, as schema and diagnostics print them.
// SPDX-License-Identifier: Apache-2.0
#include "codegen/model/program.hpp"

#include <algorithm>

namespace perdure::codegen {

const char* name_of(field_kind kind) {
  switch (kind) {
    case field_kind::signed_integer:
      return "signed_integer";
    case field_kind::unsigned_integer:
      return "unsigned_integer";
    case field_kind::floating:
      return "floating";
    case field_kind::boolean:
      return "boolean";
    case field_kind::enumeration:
      return "enumeration";
    case field_kind::reference:
      return "reference";
  }
  return "unknown";
}

const char* name_of(send_kind kind) {
  switch (kind) {
    case send_kind::send:
      return "send";
    case send_kind::after:
      return "after";
    case send_kind::reply:
      return "reply";
    case send_kind::host:
      return "host";
  }
  return "unknown";
}

bool has_overflow_rules(const std::vector<actor>& actors) {
  return std::any_of(actors.begin(), actors.end(),
                     [](const actor& a) { return !a.overflow.empty(); });
}

bool has_runs(const std::vector<handler>& handlers) {
  return std::any_of(handlers.begin(), handlers.end(), [](const handler& h) { return h.in_runs; });
}
bool has_hot(const std::vector<actor>& actors) {
  return std::any_of(actors.begin(), actors.end(), [](const actor& a) { return a.hot; });
}

unsigned widest(const std::vector<actor>& actors) {
  unsigned lanes = 0;
  for (const actor& a : actors) lanes = std::max(lanes, a.lanes);
  return lanes;
}

bool goes_to_host(const program& p, const message& m) {
  return std::any_of(p.handlers.begin(), p.handlers.end(), [&](const handler& h) {
    return std::any_of(h.sends.begin(), h.sends.end(), [&](const send& s) {
      return s.message == m.id && (s.via == send_kind::reply || s.via == send_kind::host);
    });
  });
}

}  // namespace perdure::codegen
