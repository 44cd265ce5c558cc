// apps/txmon/bench/resident.cpp - see resident.hpp.
// Start of a run: before the makers are told to begin. End: the system is at rest and the host has every alert.
// SPDX-License-Identifier: Apache-2.0
#include "resident.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <perdure/result.hpp>

#include "account_system.hpp"
#include "account_view.hpp"
#include "progress.hpp"
#include "right_answer.hpp"
#include "throughput.hpp"
#include "codes.hpp"
#include "resident_source.actors.hpp"
#include "tools/perdure/samples.hpp"

namespace txmon::bench {
namespace {

using json = nlohmann::ordered_json;
using ::bench::seconds_since;
using ::bench::steady;
static_assert(account_system::spawn_size % stretch == 0);

/// All makers' rows in the order of their numbers.
workload rows_of_makers(const row_shape& s, std::uint32_t makers, std::uint32_t each) {
  workload w;
  w.accounts = makers * stretch;
  w.shape = s;
  w.rows.reserve(std::size_t{makers} * each);
  for (std::uint32_t i = 0; i < each; ++i)
    for (std::uint32_t place = 0; place < makers; ++place)
      w.rows.push_back(row_of_maker(s, place, makers, i));
  return w;
}

template <class M>
void send_to_all(perdure::system& system, std::span<const perdure::ref<maker>> to,
                 std::span<const M> what) {
  for (std::size_t done = 0; done < to.size();) {  // a lane that is full takes none now
    const auto sent = system.send_many(to.subspan(done), what.subspan(done));
    if (!sent && sent.error().code() != perdure::errc::inbox_full) sent.value();
    done += sent.value_or(std::size_t{0});
  }
}

perdure::range<maker> spawn_makers(account_system& accounts, const row_shape& s,
                                   std::uint32_t makers) {
  perdure::system& system = accounts.system();
  auto made = system
                  .spawn<maker>(makers,
                                [&](std::size_t i) {
                                  maker m;
                                  m.shape = s;
                                  m.place = static_cast<std::uint32_t>(i);
                                  m.makers = makers;
                                  m.accounts = accounts.ref_of(m.place * stretch).bits;
                                  return m;
                                })
                  .value();
  return made;
}

}  // namespace

json resident(const bench_options& o) {
  progress now{"resident"};
  const std::uint32_t makers = std::max(1U, o.accounts / stretch);
  const auto each = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, o.transactions / makers));
  row_shape shape = make_workload(draw::even, makers * stretch, 0, o.seed).shape;
  const workload w = rows_of_makers(shape, makers, each);
  const right_answer right{w.rows, w.accounts, rule_schedule{}};
  std::vector<double> rate, seconds;
  json layout;
  for (std::uint32_t run = 0; run <= o.runs; ++run) {  // the first one warms up and is checked, too
    account_system accounts{o.system(w.accounts),
                            rule_schedule{}.common(0),
                            monitor::settings{}.mailbox_slots,
                            {},
                            ::resident_source::actors()};
    accounts.ensure(w.accounts);
    const auto all = spawn_makers(accounts, shape, makers);
    std::vector<perdure::ref<maker>> to(all.begin(), all.end());
    const std::vector<greet> known(to.size(), greet{all[0].bits});
    const std::vector<make> what(to.size(), make{each});
    send_to_all<greet>(accounts.system(), to, known);
    accounts.settle();
    const auto begin = steady::now();
    send_to_all<make>(accounts.system(), to, what);
    accounts.settle();
    const double took = seconds_since(begin);
    if (run > 0) {
      seconds.push_back(took);
      rate.push_back(static_cast<double>(w.rows.size()) / took);
    }
    layout = describe({accounts.system().statistics(), accounts.system().layout()});
    auto alerts = accounts.take_alerts();
    sort_alerts(alerts);
    right.expect(fmt::format("resident source, run {}", run), std::move(alerts),
                 [&](const auto& use) { accounts.view(w.accounts, use); });
    now.reached(fmt::format("run {} of {} is right", run, o.runs));
  }
  json actors{{"transactions_per_s", ::bench::summary(rate)}, {"seconds", seconds}};
  actors.update(layout);
  json out{{"stream", describe(w, right.alerts())}, {"actors", actors}};
  out["stream"]["drawn"] = "even within 64 accounts of a maker";
  out["makers"] = makers;
  return out;
}

}  // namespace txmon::bench
