// tests/corpus/accept/host_mailboxes.hpp - an actor sends to the host's mailbox through ref<host<...>>.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct alert {
  std::uint32_t level;
  std::int64_t amount;
};
struct notice {
  std::uint16_t code;
};
struct transfer {
  std::int64_t amount;
};
struct subscribe {
  perdure::ref<perdure::host<alert, notice>> to;
};

struct auditor : perdure::actor<auditor> {
  perdure::ref<perdure::host<alert, notice>> out;
  std::int64_t sum = 0;
  std::uint32_t alerts = 0;
  void on(const subscribe& m, perdure::context&) { out = m.to; }
  void on(const transfer& m, perdure::context& ctx) {
    sum += m.amount;
    if (m.amount > 10) {
      ++alerts;
      ctx.send(out, alert{alerts, m.amount});
    } else {
      ctx.send(out, notice{static_cast<std::uint16_t>(m.amount & 0xff)});
    }
  }
};
