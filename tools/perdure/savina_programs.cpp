// tools/perdure/savina_programs.cpp - makes the actors of each Savina program and knows what must
// come out.
// Invariant: a check uses what the host computes by itself from savina_rules.hpp, never what an
// actor claims alone.
// SPDX-License-Identifier: Apache-2.0
#include "savina_programs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace bench {
namespace {

using savina::outcome;

void expect(const std::string& program, const outcome& got, std::uint64_t done) {
  if (got.done != done || got.wrong != 0) {
    throw wrong_answer{fmt::format("{}: the outcome is ({}, {} wrong), not ({}, 0 wrong)", program,
                                   got.done, got.wrong, done)};
  }
}

/// The same message to every actor of a range.
template <class A, class M>
void send_all(perdure::system& system, const perdure::range<A>& to, const M& message) {
  const std::vector<perdure::ref<A>> refs(to.begin(), to.end());
  const std::vector<M> messages(refs.size(), message);
  for (std::size_t at = 0; at < refs.size();) {
    const std::size_t sent =
        system.send_many<A, M>(std::span{refs}.subspan(at), std::span{messages}.subspan(at))
            .value();
    if (sent == 0)
      throw perdure::bad_result{perdure::error{perdure::errc::inbox_full,
                                               "savina: nothing was taken within send_timeout"}};
    at += sent;
  }
}

savina_program ping_pong(const std::string& name, perdure::system& system, savina::to_host host,
                         std::uint32_t pairs, std::uint32_t pings, std::uint32_t shift) {
  savina::referee judge;
  judge.host = host;
  judge.expected = pairs;
  const auto judges = system.spawn<savina::referee>(1, judge).value();
  const auto pongers = system.spawn<savina::ponger>(pairs + shift).value();
  const auto place = [&](std::size_t i) {
    savina::pinger p;
    if (i < pairs) p.partner = pongers[i + shift];
    p.tells = judges[0];
    return p;
  };
  // as many of both types, so that a later pair's places fall together as the first one's do
  const auto made = system.spawn<savina::pinger>(pairs + shift, place).value();
  const perdure::range<savina::pinger> pingers{made[0].bits, pairs};
  const std::uint64_t all = std::uint64_t{pairs} * pings;
  auto answered = std::make_shared<std::uint64_t>(0);  // by each ponger, over all runs
  return {name,
          2 * all,
          {{"pairs", pairs}, {"pings", pings}},
          [=, &system] { send_all(system, pingers, savina::serve{pings}); },
          [=, &system](const outcome& got) {
            expect(name, got, all);
            std::vector<savina::ponger> states(pongers.size());
            system.view(pongers, std::span{states}).value();
            *answered += pings;
            for (std::size_t i = shift; i < states.size(); ++i)
              expect(name, {states[i].answered, 0}, *answered);
          }};
}

savina_program count(perdure::system& system, savina::to_host host, std::uint32_t increments,
                     const savina_options& options) {
  savina::producer p;
  p.counter = system.spawn<savina::tally>(1).value()[0];
  p.host = host;
  const auto producers = system.spawn<savina::producer>(2, p).value();
  const std::size_t shift = options.apart ? 1 : 0;
  const savina::produce job{increments, options.burst.value_or(savina::count_burst),
                            options.window.value_or(savina::count_window)};
  return {"count",
          std::uint64_t{increments} + 2,
          {{"increments", increments}, {"burst", job.burst}, {"window", job.window}},
          [=, &system] { system.send(producers[shift], job).value(); },
          [=](const outcome& got) { expect("count", got, increments); }};
}

savina_program big(perdure::system& system, savina::to_host host, std::uint32_t members,
                   std::uint32_t pings) {
  savina::referee judge;
  judge.host = host;
  judge.expected = members;
  const auto judges = system.spawn<savina::referee>(1, judge).value();
  const auto place = [&](std::size_t i) {
    savina::member m;
    m.tells = judges[0];
    m.index = static_cast<std::uint32_t>(i);
    return m;
  };
  const auto all = system.spawn<savina::member>(members, place).value();
  std::vector<std::uint64_t> a_run(members, 0);  // pings that each member gets
  for (std::uint32_t i = 0; i < members; ++i) {
    std::uint32_t walk = i;
    for (std::uint32_t n = 0; n < pings; ++n) {
      walk = savina::next_walk(walk);
      ++a_run[savina::partner_of(walk, i, members)];
    }
  }
  auto runs = std::make_shared<std::uint64_t>(0);
  const std::uint64_t sent = std::uint64_t{members} * pings;
  return {"big",
          2 * sent,
          {{"actors", members}, {"pings", pings}},
          [=, &system] { send_all(system, all, savina::mingle{all[0].bits, members, pings}); },
          [=, &system](const outcome& got) {
            expect("big", got, sent);
            std::vector<savina::member> states(members);
            system.view(all, std::span{states}).value();
            ++*runs;
            for (std::uint32_t i = 0; i < members; ++i)
              expect("big", {states[i].answered, 0}, *runs * a_run[i]);
          }};
}

savina_program thread_ring(perdure::system& system, savina::to_host host, std::uint32_t hops) {
  const std::uint32_t hoppers = savina::ring_hoppers;
  const auto place = [&](std::size_t i) {
    savina::hopper h;
    h.host = host;
    h.index = static_cast<std::uint32_t>(i);
    return h;
  };
  const auto ring = system.spawn<savina::hopper>(hoppers, place).value();
  std::uint32_t value = 0;
  for (std::uint32_t n = 0; n < hops; ++n) value = savina::passed(value, n % hoppers);
  return {"thread_ring",
          hops,
          {{"actors", hoppers}, {"hops", hops}},
          [=, &system] {
            system.send(ring[0], savina::hop{ring[0].bits, hoppers, hops - 1, 0}).value();
          },
          [=](const outcome& got) { expect("thread_ring", got, value); }};
}

savina_program banking(perdure::system& system, savina::to_host host, std::uint32_t transfers,
                       const savina_options& options) {
  const std::uint32_t accounts = savina::bank_accounts;
  savina::teller t;
  t.host = host;
  const auto tellers = system.spawn<savina::teller>(1, t).value();
  savina::account a;
  a.bank = tellers[0];
  const auto all = system.spawn<savina::account>(accounts, a).value();
  std::vector<std::int64_t> a_run(accounts, 0);  // what each account gains
  for (std::uint32_t n = 0; n < transfers; ++n) {
    const savina::transfer one = savina::transfer_of(n, accounts);
    a_run[one.from] -= one.cents;
    a_run[one.to] += one.cents;
  }
  auto runs = std::make_shared<std::int64_t>(0);
  const savina::open_bank job{all[0].bits, accounts, transfers,
                              options.burst.value_or(savina::bank_burst),
                              options.window.value_or(savina::bank_window)};
  return {"banking",
          std::uint64_t{4} * transfers,
          {{"accounts", accounts}, {"transfers", transfers}, {"under_way", job.burst * job.window}},
          [=, &system] { system.send(tellers[0], job).value(); },
          [=, &system](const outcome& got) {
            expect("banking", got, transfers);
            std::vector<savina::account> states(accounts);
            system.view(all, std::span{states}).value();
            ++*runs;
            for (std::uint32_t i = 0; i < accounts; ++i) {
              if (states[i].cents != *runs * a_run[i])
                throw wrong_answer{fmt::format("banking: account {} holds {} cents, not {}", i,
                                               states[i].cents, *runs * a_run[i])};
            }
          }};
}

}  // namespace

const std::vector<std::string>& savina_names() {
  static const std::vector<std::string> names{"ping_pong", "ping_pong_pairs", "count",
                                              "big",       "thread_ring",     "banking"};
  return names;
}

const perdure::program& savina_actors_of(const std::string& name) {
  return name == "count" ? savina_count_actors::actors() : savina_actors::actors();
}

std::uint32_t scaled(std::uint32_t count, const savina_options& options) {
  return static_cast<std::uint32_t>(std::clamp(count * options.scale, 1.0, 4e9));
}

savina_program make_savina_program(const std::string& name, perdure::system& system,
                                   savina::to_host host, const savina_options& options) {
  // an actor's worker is its index modulo their number: the same of both types is the same worker
  const std::uint32_t shift = options.apart ? 1 : 0;
  if (name == "ping_pong")
    return ping_pong(name, system, host, 1, scaled(savina::default_pings, options), shift);
  if (name == "ping_pong_pairs")
    return ping_pong(name, system, host, options.pairs, scaled(savina::many_pings, options), shift);
  if (name == "count")
    return count(system, host, scaled(savina::default_increments, options), options);
  if (name == "big") {
    const std::uint32_t members = options.members != 0 ? options.members : savina::big_members;
    return big(system, host, members, scaled(savina::default_big_pings, options));
  }
  if (name == "thread_ring")
    return thread_ring(system, host, scaled(savina::default_hops, options));
  return banking(system, host, scaled(savina::default_transfers, options), options);
}

}  // namespace bench
