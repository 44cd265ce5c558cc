// apps/txmon/baseline/single_thread.cpp - see batch.hpp; the loop.
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstring>

#include "batch.hpp"

namespace txmon::baseline {
namespace {

/// Handlers put their alerts into a vector.
struct noting_lane : perdure::detail::lane {
  std::vector<alert> alerts;
  perdure::detail::lane_ops table{};

  noting_lane() {
    table.send_host = [](perdure::detail::lane& l, std::uint64_t, std::uint64_t, const void* m,
                         std::uint32_t) {
      std::memcpy(&static_cast<noting_lane&>(l).alerts.emplace_back(), m, sizeof(alert));
    };
    ops = &table;
  }
};

}  // namespace

batch_result single_thread(std::span<const transaction> rows, std::uint32_t accounts,
                           const terms& by) {
  // An account's lines are asked for this many rows before they are needed.
  constexpr std::size_t ahead = 12;
  batch_result out;
  account fresh;
  fresh.begin(by);
  out.states.assign(accounts, fresh);
  noting_lane lane;
  perdure::context ctx{lane};
  const auto ask_for = [&](std::uint32_t id) {
    const auto* at = reinterpret_cast<const char*>(&out.states[id]);
    for (std::size_t byte = 0; byte < sizeof(account); byte += 64) __builtin_prefetch(at + byte, 1);
  };
  const auto from = std::chrono::steady_clock::now();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (r + ahead < rows.size()) {
      ask_for(rows[r + ahead].account.get());
      ask_for(rows[r + ahead].counterparty.get());
    }
    transaction t = rows[r];
    out.states[t.account.get()].on(t, ctx);
    t.type |= transaction::credit_bit;
    out.states[t.counterparty.get()].on(t, ctx);
  }
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
  out.alerts = std::move(lane.alerts);
  return out;
}

}  // namespace txmon::baseline
