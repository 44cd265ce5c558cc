// tools/perdure/caf/play.cpp - ping-pong, big and thread ring: actors that answer each other.
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <vector>

#include "runs.hpp"
#include "savina_rules.hpp"

namespace savina_caf {

struct serve {};
struct ping {
  std::uint32_t number;
};
struct pong {
  std::uint32_t mixed;
};
struct hop {
  std::uint32_t left, value;
};

}  // namespace savina_caf

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(savina_caf::serve)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(savina_caf::ping)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(savina_caf::pong)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(savina_caf::hop)

namespace savina_caf {
namespace {

using actors = std::vector<caf::actor>;

/// Sums what `expected` others report and tells the host.
caf::behavior referee(caf::event_based_actor* self, const caf::actor& host,
                      std::uint32_t expected) {
  auto reports = std::make_shared<std::uint32_t>(0);
  auto sum = std::make_shared<outcome>();
  return {[=](const outcome& m) {
    sum->done += m.done;
    sum->wrong += m.wrong;
    if (++*reports == expected) self->send(host, *sum);
  }};
}

caf::behavior ponger(caf::event_based_actor*) {
  return {[](ping m) { return pong{savina::pong_of(m.number)}; }};
}

class pinger : public caf::event_based_actor {
 public:
  pinger(caf::actor_config& config, caf::actor partner, caf::actor tells, std::uint32_t pings)
      : caf::event_based_actor{config},
        partner_{std::move(partner)},
        tells_{std::move(tells)},
        pings_{pings} {}
  caf::behavior make_behavior() override {
    return {[this](serve) { send(partner_, ping{number_}); },
            [this](pong m) {
              wrong_ += m.mixed != savina::pong_of(number_) ? 1U : 0U;
              if (++number_ < pings_) return send(partner_, ping{number_});
              send(tells_, outcome{number_, wrong_});
            }};
  }
  void on_exit() override { partner_ = tells_ = nullptr; }

 private:
  caf::actor partner_, tells_;
  std::uint32_t pings_, number_ = 0, wrong_ = 0;
};

class member : public caf::event_based_actor {
 public:
  member(caf::actor_config& config, std::shared_ptr<actors> all, caf::actor tells,
         std::uint32_t index, std::uint32_t pings)
      : caf::event_based_actor{config},
        all_{std::move(all)},
        tells_{std::move(tells)},
        index_{index},
        walk_{index},
        pings_{pings} {}
  caf::behavior make_behavior() override {
    return {[](ping m) { return pong{savina::pong_of(m.number)}; },
            [this](pong m) {
              wrong_ += m.mixed != savina::pong_of(number_) ? 1U : 0U;
              if (++number_ < pings_) return send_ping();
              send(tells_, outcome{number_, wrong_});
            },
            [this](serve) { send_ping(); }};
  }
  void on_exit() override {
    all_.reset();
    tells_ = nullptr;
  }

 private:
  void send_ping() {
    walk_ = savina::next_walk(walk_);
    const auto members = static_cast<std::uint32_t>(all_->size());
    send((*all_)[savina::partner_of(walk_, index_, members)], ping{number_});
  }
  std::shared_ptr<actors> all_;
  caf::actor tells_;
  std::uint32_t index_, walk_, pings_, number_ = 0, wrong_ = 0;
};

class hopper : public caf::event_based_actor {
 public:
  hopper(caf::actor_config& config, caf::actor host, std::uint32_t index)
      : caf::event_based_actor{config}, host_{std::move(host)}, index_{index} {}
  caf::behavior make_behavior() override {
    return {[this](hop m) {
              const std::uint32_t value = savina::passed(m.value, index_);
              if (m.left == 0) return send(host_, outcome{value, 0});
              send(next_, hop{m.left - 1, value});
            },
            [this](const caf::actor& next) { next_ = next; }};
  }
  void on_exit() override { host_ = next_ = nullptr; }

 private:
  caf::actor host_, next_;
  std::uint32_t index_;
};

void end_all(caf::scoped_actor& host, const actors& all) {
  for (const auto& a : all) host->send_exit(a, caf::exit_reason::kill);
}

}  // namespace

double ping_pong(caf::actor_system& system, std::uint32_t pairs, std::uint32_t pings) {
  caf::scoped_actor host{system};
  actors all, pingers;
  all.push_back(system.spawn(referee, caf::actor{host}, pairs));
  for (std::uint32_t i = 0; i < pairs; ++i) {
    const auto partner = system.spawn(ponger);
    pingers.push_back(system.spawn<pinger>(partner, all[0], pings));
    all.push_back(partner);
  }
  const double took = timed(host, {std::uint64_t{pairs} * pings, 0}, [&] {
    for (const auto& p : pingers) host->send(p, serve{});
  });
  end_all(host, pingers);
  end_all(host, all);
  return took;
}

double big(caf::actor_system& system, std::uint32_t members, std::uint32_t pings) {
  caf::scoped_actor host{system};
  const auto judge = system.spawn(referee, caf::actor{host}, members);
  const auto all = std::make_shared<actors>();
  for (std::uint32_t i = 0; i < members; ++i)
    all->push_back(system.spawn<member>(all, judge, i, pings));
  const double took = timed(host, {std::uint64_t{members} * pings, 0}, [&] {
    for (const auto& m : *all) host->send(m, serve{});
  });
  end_all(host, *all);
  end_all(host, {judge});
  return took;
}

double thread_ring(caf::actor_system& system, std::uint32_t hops) {
  caf::scoped_actor host{system};
  actors ring;
  for (std::uint32_t i = 0; i < savina::ring_hoppers; ++i)
    ring.push_back(system.spawn<hopper>(caf::actor{host}, i));
  for (std::uint32_t i = 0; i < ring.size(); ++i) host->send(ring[i], ring[(i + 1) % ring.size()]);
  std::uint32_t value = 0;
  for (std::uint32_t n = 0; n < hops; ++n) value = savina::passed(value, n % savina::ring_hoppers);
  const double took = timed(host, {value, 0}, [&] { host->send(ring[0], hop{hops - 1, 0}); });
  end_all(host, ring);
  return took;
}

}  // namespace savina_caf
