// tests/support/prove_main.cpp - perdure-prove: one seeded load, native and lowered, CPU and GPU; do they agree?
// Why: contract, clause 9, for a program that nobody has seen before; tools/prove makes the two units.
// Exit code: 0 all runs agree, 1 they do not, 2 something could not be run at all.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tests/support/load.hpp"
#include "tests/support/units.hpp"

namespace {

using namespace perdure;
using namespace perdure::support;

struct settings {
  std::string native, lowered, json, backend = "auto";
  load_plan plan;
  std::uint32_t lanes = 64;
  bool order_free = false;
};

/// All runs of one kind must agree with the first of them.
class bench {
 public:
  bench(const program& native, const settings& s) : native_{native}, settings_{s} {}

  /// @return false if it could not be run; then `why` says so.
  bool run(const std::string& what, const program& p, const options& opts, std::size_t burst,
           bool must_agree = true) {
    load_plan plan = settings_.plan;
    plan.burst = burst;
    // Shown before it begins: a handler may end this program, or not end itself.
    fmt::print("  {:<34} ", what);
    std::fflush(stdout);
    auto done = run_load(p, opts, plan);
    if (!done) {
      why_ = done.error();
      fmt::print("not run: {}\n", why_->message());
      return false;
    }
    report(what, *done);
    if (!first_) {
      first_ = std::move(*done);
      return true;
    }
    const std::string text = compare(native_, *first_, *done);
    if (text.empty() && first_->state_hash == done->state_hash) return true;
    fmt::print("  {} from the first run (first|this):\n{}",
               must_agree ? "DIFFERS" : "the order mattered: differs",
               text.empty() ? "  in the hash only\n" : text);
    json_["runs"].back()["agrees"] = false;
    agree_ &= !must_agree;
    return true;
  }
  /// What follows is compared among itself.
  void next_group() { first_.reset(); }
  const error& why() const { return *why_; }
  bool agree() const { return agree_; }
  nlohmann::ordered_json& json() { return json_; }

 private:
  void report(const std::string& what, const aftermath& a) {
    const auto& c = a.counters;
    fmt::print("{:016x}  handled {} dead {} stopped {} failed {} timers {} letters {} fired {}{}\n",
               a.state_hash, c.handled, c.dead_total(), c.stopped, c.failed, c.timers_fired,
               a.letters, c.fired, a.timers_pending ? " (timers re-arm for ever)" : "");
    if (c.handled + c.dead_total() + c.queued != c.sent) {
      fmt::print("  COUNTERS: sent {} is not handled + dead + queued {}\n", c.sent, c.queued);
      agree_ = false;
    }
    json_["runs"].push_back({{"run", what},
                             {"backend", a.layout.backend},
                             {"device", a.layout.device},
                             {"workers", a.layout.workers},
                             {"lanes", a.layout.lanes},
                             {"state_hash", fmt::format("{:016x}", a.state_hash)},
                             {"actors", a.actors.size()},
                             {"sent", c.sent},
                             {"handled", c.handled},
                             {"dead", c.dead_total()},
                             {"stopped", c.stopped},
                             {"failed", c.failed},
                             {"timers", c.timers_fired},
                             {"letters", a.letters},
                             {"fired", c.fired},
                             {"agrees", true}});
  }

  const program& native_;
  const settings& settings_;
  std::optional<aftermath> first_;
  std::optional<error> why_;
  nlohmann::ordered_json json_ = {{"runs", nlohmann::json::array()}};
  bool agree_ = true;
};

options cpu_options(const settings& s, std::uint32_t workers) {
  options o;
  o.backend = backend::cpu;
  o.schedule = schedule::seeded;
  o.seed = s.plan.seed;
  o.workers = workers;
  o.lanes = s.lanes;
  o.memory_bytes = std::size_t{64} << 20U;
  return o;
}

int prove(const settings& s) {
  const program& native = load_native(s.native);
  const program& lowered = load_lowered(native, s.lowered);
  fmt::print(
      "{}: {} actor types, {} handlers, {} messages; seed {}, {} messages from the host to {} actors\n",
      native.name, native.actors.size(), native.handlers.size(), native.messages.size(),
      s.plan.seed, s.plan.messages, s.plan.actors_per_type * native.actors.size());
  bench b{native, s};
  b.json()["program"] = native.name;
  b.json()["seed"] = s.plan.seed;
  auto must = [&](bool ran) {
    if (ran) return true;
    fmt::print(stderr, "perdure-prove: {}: {}\n", native.name, b.why().message());
    return false;
  };
  // Many workers, bursts: the schedule is the seed's, so even what depends on order must be equal.
  if (!must(b.run("cpu native, 3 workers", native, cpu_options(s, 3), 16))) return 2;
  if (!must(b.run("cpu lowered, 3 workers", lowered, cpu_options(s, 3), 16))) return 2;
  // One worker and one message at a time has one order on every backend.
  b.next_group();
  if (!must(b.run("cpu native, 1 worker, stepwise", native, cpu_options(s, 1), 1))) return 2;
  if (!must(b.run("cpu lowered, 1 worker, stepwise", lowered, cpu_options(s, 1), 1))) return 2;
  // Links and joined handlers leave one state on any number of workers; ordinary messages between actors may not.
  const auto is_wide = [](const actor_info& a) { return a.wide != nullptr; };
  if ((s.order_free || std::any_of(native.actors.begin(), native.actors.end(), is_wide)) &&
      !must(b.run("cpu lowered, 3 workers, stepwise", lowered, cpu_options(s, 3), 1, s.order_free)))
    return 2;
  if (s.backend != "cpu") {
    options o = cpu_options(s, 1);
    o.backend = backend::cuda;
    if (b.run("cuda, 1 worker, stepwise", native, o, 1)) {
      o.workers = 0;
      o.lanes = 0;
      b.next_group();
      if (!must(b.run("cpu native, 1 worker, in bursts", native, cpu_options(s, 1), 16))) return 2;
      if (!must(b.run("cuda, all workers, in bursts", native, o, 16, false))) return 2;
    } else if (s.backend == "auto" &&
               (b.why().code() == errc::no_device || b.why().code() == errc::no_driver ||
                b.why().code() == errc::driver_too_old || b.why().code() == errc::no_nvrtc ||
                b.why().code() == errc::unsupported)) {
      b.json()["cuda"] = b.why().message();
    } else {
      must(false);
      return 2;
    }
  }
  b.json()["agree"] = b.agree();
  fmt::print("{}: {}\n", native.name, b.agree() ? "AGREE" : "DISAGREE");
  if (!s.json.empty()) {
    std::ofstream out{s.json};
    out << b.json().dump(2) << '\n';
    if (!out.flush()) {
      fmt::print(stderr, "perdure-prove: cannot write {}\n", s.json);
      return 2;
    }
  }
  return b.agree() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  settings s;
  CLI::App app{"Runs one seeded load on the native and on the lowered unit of a program of actors.",
               "perdure-prove"};
  app.add_option("--native", s.native, "library of the native registry")
      ->required()
      ->check(CLI::ExistingFile);
  app.add_option("--lowered", s.lowered, "library of the lowered text")
      ->required()
      ->check(CLI::ExistingFile);
  app.add_option("--seed", s.plan.seed, "of the load, of ctx.random() and of the schedule")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--actors", s.plan.actors_per_type, "of each type")->check(CLI::Range(1, 100000));
  app.add_option("--messages", s.plan.messages, "from the host")->check(CLI::Range(1, 10000000));
  app.add_option("--lanes", s.lanes, "lanes a worker")->check(CLI::Range(1, 1024));
  app.add_flag("--order-free", s.order_free, "the state must not depend on the number of workers");
  app.add_option("--backend", s.backend, "auto: also on a GPU if there is one")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
  app.add_option("--json", s.json, "write the hashes and counters to this file");
  app.footer("Exit code: 0 all runs agree, 1 they do not, 2 something could not be run at all.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  try {
    return prove(s);
  } catch (const std::exception& e) {
    fmt::print(stderr, "perdure-prove: {}\n", e.what());
    return 2;
  }
}
