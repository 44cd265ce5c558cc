// dsl/examples/bank/bank.hpp - accounts that send money to each other.
// Invariant: money is in an account or in a deposit under way; none is made and none is lost.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <perdure/actor.hpp>

#include <cstdint>

struct account;

struct deposit {
  std::int64_t cents;
};
struct transfer {
  perdure::ref<account> to;
  std::int64_t cents;
};
struct inquiry {};
struct balance {
  std::int64_t cents;
  std::uint32_t refused;  ///< transfers that the account could not pay
};

struct account : perdure::actor<account> {
  std::int64_t cents = 0;
  std::uint32_t refused = 0;

  void on(const deposit& m, perdure::context&) { cents += m.cents; }

  void on(const transfer& m, perdure::context& ctx) {
    if (m.cents > cents) {
      ++refused;
      return;
    }
    cents -= m.cents;
    ctx.send(m.to, deposit{m.cents});
  }

  void on(const inquiry&, perdure::context& ctx) const { ctx.reply(balance{cents, refused}); }
};
