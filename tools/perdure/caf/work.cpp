// tools/perdure/caf/work.cpp - count and banking: one actor gives work to others.
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <vector>

#include "runs.hpp"
#include "savina_rules.hpp"

namespace savina_caf {

struct go {};
struct increment {
  std::uint32_t number;
};
struct retrieve {};
struct credit {};
struct debit {
  std::uint32_t to, cents, number;
};
struct deposit {
  std::uint32_t cents, number;
};
struct deposited {
  std::uint32_t number;
};
struct confirmed {
  std::uint32_t number;
};
struct ask_balance {};

}  // namespace savina_caf

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(savina_caf::go)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(savina_caf::increment)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(savina_caf::retrieve)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(savina_caf::credit)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(savina_caf::debit)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(savina_caf::deposit)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(savina_caf::deposited)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(savina_caf::confirmed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(savina_caf::ask_balance)

namespace savina_caf {
namespace {

using actors = std::vector<caf::actor>;

/// Pays `producer` for every `burst` increments; 0: never.
class tally : public caf::event_based_actor {
 public:
  tally(caf::actor_config& config, std::uint32_t burst)
      : caf::event_based_actor{config}, burst_{burst} {}
  caf::behavior make_behavior() override {
    return {[this](increment m) {
              wrong_ += m.number != counted_ ? 1U : 0U;
              ++counted_;
              if (burst_ == 0 || ++unpaid_ < burst_) return;
              unpaid_ = 0;
              send(caf::actor_cast<caf::actor>(current_sender()), credit{});
            },
            [this](retrieve) { return outcome{counted_, wrong_}; }};
  }

 private:
  std::uint32_t burst_, counted_ = 0, wrong_ = 0, unpaid_ = 0;
};

class producer : public caf::event_based_actor {
 public:
  producer(caf::actor_config& config, caf::actor counter, caf::actor host, std::uint32_t increments,
           std::uint32_t burst, std::uint32_t window)
      : caf::event_based_actor{config},
        counter_{std::move(counter)},
        host_{std::move(host)},
        increments_{increments},
        burst_{burst},
        window_{window} {}
  caf::behavior make_behavior() override {
    return {[this](credit) { send_burst(); },
            [this](go) {
              for (std::uint32_t i = 0; i < window_; ++i) send_burst();
            },
            [this](const outcome& m) { send(host_, m); }};
  }
  void on_exit() override { counter_ = host_ = nullptr; }

 private:
  void send_burst() {
    if (number_ == increments_) return;
    const std::uint32_t end = number_ + std::min(increments_ - number_, burst_);
    for (; number_ < end; ++number_) send(counter_, increment{number_});
    if (number_ == increments_) send(counter_, retrieve{});
  }
  caf::actor counter_, host_;
  std::uint32_t increments_, burst_, window_, number_ = 0;
};

class account : public caf::event_based_actor {
 public:
  account(caf::actor_config& config, std::shared_ptr<actors> all, caf::actor bank)
      : caf::event_based_actor{config}, all_{std::move(all)}, bank_{std::move(bank)} {}
  caf::behavior make_behavior() override {
    return {[this](debit m) {
              cents_ -= m.cents;
              send((*all_)[m.to], deposit{m.cents, m.number});
            },
            [this](deposit m) {
              cents_ += m.cents;
              return deposited{m.number};
            },
            [this](deposited m) { send(bank_, confirmed{m.number}); },
            [this](ask_balance) { return cents_; }};
  }
  void on_exit() override {
    all_.reset();
    bank_ = nullptr;
  }

 private:
  std::shared_ptr<actors> all_;
  caf::actor bank_;
  std::int64_t cents_ = 0;
};

class teller : public caf::event_based_actor {
 public:
  teller(caf::actor_config& config, std::shared_ptr<actors> all, caf::actor host,
         std::uint32_t transfers, std::uint32_t under_way)
      : caf::event_based_actor{config},
        all_{std::move(all)},
        host_{std::move(host)},
        transfers_{transfers},
        under_way_{under_way} {}
  caf::behavior make_behavior() override {
    return {[this](confirmed m) {
              numbers_ += m.number;
              if (++done_ < transfers_) return order();
              const std::uint64_t all = std::uint64_t{transfers_} * (transfers_ - 1) / 2;
              send(host_, outcome{done_, numbers_ == all ? 0U : 1U});
            },
            [this](go) {
              for (std::uint32_t i = 0; i < under_way_; ++i) order();
            }};
  }
  void on_exit() override {
    all_.reset();
    host_ = nullptr;
  }

 private:
  void order() {
    if (number_ == transfers_) return;
    const auto t = savina::transfer_of(number_, static_cast<std::uint32_t>(all_->size()));
    send((*all_)[t.from], debit{t.to, t.cents, number_});
    ++number_;
  }
  std::shared_ptr<actors> all_;
  caf::actor host_;
  std::uint32_t transfers_, under_way_, number_ = 0, done_ = 0;
  std::uint64_t numbers_ = 0;
};

}  // namespace

double count(caf::actor_system& system, std::uint32_t increments, std::uint32_t burst,
             std::uint32_t window) {
  caf::scoped_actor host{system};
  const bool at_once = burst >= increments;
  const auto counter = system.spawn<tally>(at_once ? 0U : burst);
  const auto sends =
      system.spawn<producer>(counter, caf::actor{host}, increments, burst, at_once ? 1U : window);
  const double took = timed(host, {increments, 0}, [&] { host->send(sends, go{}); });
  host->send_exit(sends, caf::exit_reason::kill);
  host->send_exit(counter, caf::exit_reason::kill);
  return took;
}

double banking(caf::actor_system& system, std::uint32_t transfers, std::uint32_t under_way) {
  caf::scoped_actor host{system};
  const auto all = std::make_shared<actors>();
  const auto bank = system.spawn<teller>(all, caf::actor{host}, transfers, under_way);
  for (std::uint32_t i = 0; i < savina::bank_accounts; ++i)
    all->push_back(system.spawn<account>(all, bank));
  const double took = timed(host, {transfers, 0}, [&] { host->send(bank, go{}); });
  std::vector<std::int64_t> expected(savina::bank_accounts, 0);
  for (std::uint32_t n = 0; n < transfers; ++n) {
    const auto t = savina::transfer_of(n, savina::bank_accounts);
    expected[t.from] -= t.cents;
    expected[t.to] += t.cents;
  }
  for (std::uint32_t i = 0; i < savina::bank_accounts; ++i) {
    std::int64_t cents = 0;
    host->request((*all)[i], std::chrono::seconds(10), ask_balance{})
        .receive(
            [&](std::int64_t c) { cents = c; },
            [](const caf::error&) { throw std::runtime_error{"banking: no balance in 10 s"}; });
    if (cents != expected[i])
      throw wrong_answer{"banking: account " + std::to_string(i) + " holds " +
                         std::to_string(cents) + ", not " + std::to_string(expected[i])};
  }
  for (const auto& a : *all) host->send_exit(a, caf::exit_reason::kill);
  host->send_exit(bank, caf::exit_reason::kill);
  return took;
}

}  // namespace savina_caf
