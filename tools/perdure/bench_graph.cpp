// tools/perdure/bench_graph.cpp - a line and parallel chains of small steps: resident actors beside
// CUDA graphs.
// Start of a sample: before the host sends each chain its baton. End: the last chain's word has
// been received from the mailbox. Each run goes on with the words of the one before, so that every
// word tells whether all before were right.
// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <array>
#include <limits>

#include "baseline_graph.hpp"
#include "graph_actors.actors.hpp"
#include "graph_wide_actors.actors.hpp"
#include "report.hpp"
#include "samples.hpp"

namespace bench {
namespace {

using namespace std::chrono_literals;
using arrivals = perdure::mailbox<chains::arrived>;

double us_since(steady::time_point from) { return seconds_since(from) * 1e6; }

/// Runs `repeats` times through all chains, whose first actors are `heads`; once at least, and no
/// more once `seconds` are over.
template <class A>
void run_through(perdure::system& system, arrivals& box, const std::vector<perdure::ref<A>>& heads,
                 chain_words& words, std::uint32_t repeats, double seconds,
                 std::vector<double>& send, std::vector<double>& end_to_end) {
  const auto count = static_cast<std::uint32_t>(heads.size());
  std::vector<chains::baton> batons(count);
  std::vector<perdure::letter<chains::arrived>> letters(count);
  const auto began = steady::now();
  for (std::uint32_t i = 0; i < repeats && (i == 0 || seconds_since(began) < seconds); ++i) {
    for (std::uint32_t c = 0; c < count; ++c) batons[c] = {words[c], c};
    words.advance();
    const auto from = steady::now();
    const std::size_t sent =
        system.send_many<A, chains::baton>(std::span{heads}, std::span{batons}).value();
    send.push_back(us_since(from));
    std::size_t got = 0;
    while (sent == count && got < count) {
      const std::size_t more = box.receive(std::span{letters}.subspan(got), 30s).value();
      if (more == 0) break;
      got += more;
    }
    end_to_end.push_back(us_since(from));
    if (got < count)
      throw perdure::bad_result{perdure::error{
          perdure::errc::timeout,
          fmt::format("graph: {} batons sent, {} of {} came back in 30 s", sent, got, count)}};
    for (const auto& l : letters) words.expect("the actors", l.body.chain, l.body.word);
  }
}

/// Figures of one kind of actors in one shape.
template <class A>
void measure(const bench_options& options, const std::string& name, perdure::system& system,
             arrivals& box, const std::vector<perdure::ref<A>>& heads, const chain_shape& shape,
             chain_words& words, nlohmann::json& report) {
  std::vector<double> warm, warm_ends, sends, ends;
  const bool exactly = options.graph.repeats != 0;
  const std::uint32_t repeats = options.graph.most_repeats();
  const std::uint64_t before = system.statistics().handled;
  const double seconds = exactly ? std::numeric_limits<double>::infinity() : options.seconds;
  run_through(system, box, heads, words, 5, seconds, warm, warm_ends);
  std::uint64_t passes = warm.size();
  for (std::uint32_t run = 0; run < options.runs; ++run) {
    std::vector<double> send, end;
    run_through(system, box, heads, words, repeats, seconds, send, end);
    passes += send.size();
    report["runs"].push_back({{"shape", name}, {"send_us", send}, {"end_to_end_us", end}});
    sends.push_back(percentile(send, 50));
    ends.push_back(percentile(end, 50));
  }
  report["results"][name + "_send_us"] = summary(sends);
  report["results"][name + "_end_to_end_us"] = summary(ends);
  system.quiesce(30s).value();
  const auto stats = system.statistics();
  const std::uint64_t steps = passes * shape.chains * shape.length;
  if (stats.dead_total() != 0 || stats.queued != 0 || stats.handled - before != steps)
    throw wrong_answer{fmt::format("graph {}: {} handled, not {}; {} dead letters, {} queued", name,
                                   stats.handled - before, steps, stats.dead_total(),
                                   stats.queued)};
  nlohmann::json& all = report["answers"]["steps"];
  all = all.get<std::uint64_t>() + steps;
}

/// Chains of small actors, neighbours on different workers (far) and on the same one (near): an
/// actor's worker is its index modulo their number.
void small_chains(const bench_options& options, const std::vector<chain_shape>& shapes,
                  nlohmann::json& report) {
  auto system = perdure::system::start(graph_actors::actors(), options.system()).value();
  add_system(report, system, graph_actors::actors(), 0);
  auto box = system.make_mailbox<chains::arrived>(1024).value();
  const std::uint32_t workers = system.layout().workers;
  for (const chain_shape& shape : shapes) {
    for (const bool near : {false, true}) {
      // far: chains one after the other; near: side by side, a chain in a column of as many as
      // there are workers
      const std::uint32_t columns = (shape.chains + workers - 1) / workers * workers;
      const std::uint32_t stride = near ? columns : 1;
      const auto place = [&](std::size_t i) {
        chains::node n;
        n.host = box.ref();
        n.number = static_cast<std::uint32_t>(near ? i / columns : i % shape.length);
        n.stride = n.number + 1 < shape.length ? stride : 0;
        return n;
      };
      const auto from = steady::now();
      const std::size_t all = std::size_t{shape.length} * (near ? columns : shape.chains);
      const auto made = system.spawn<chains::node>(all, place).value();
      const double spawn_us = us_since(from);
      std::vector<perdure::ref<chains::node>> heads;
      heads.reserve(shape.chains);
      for (std::uint32_t c = 0; c < shape.chains; ++c)
        heads.push_back(made[near ? c : std::size_t{c} * shape.length]);
      chain_words words{shape};
      const std::string name = shape.name() + (near ? "_small_near" : "_small_far");
      report["config"]["spawn_us"][name] = spawn_us;
      measure(options, name, system, box, heads, shape, words, report);
    }
  }
  note_load(report);
  system.stop(5s).value();
}

/// A chain of wide actors that are linked, in a system of its own: a worker looks at all the wide
/// actors that live on it, so those of another shape would slow it down.
void wide_chain(const bench_options& options, const chain_shape& shape, nlohmann::json& report) {
  using port = chains::stage::port;
  auto system = perdure::system::start(graph_wide_actors::actors(), options.system()).value();
  nlohmann::json about;
  add_system(about, system, graph_wide_actors::actors(), 0);
  report["wide_system"] = about;
  auto box = system.make_mailbox<chains::arrived>(1024).value();
  const auto stage_of = [&](std::size_t i) {
    chains::stage s;
    s.host = box.ref();
    s.number = static_cast<std::uint32_t>(i % shape.length);
    s.last = s.number + 1 == shape.length;
    return s;
  };
  const auto from = steady::now();
  const auto made =
      system.spawn<chains::stage>(std::size_t{shape.chains} * shape.length, stage_of).value();
  const double spawn_us = us_since(from);
  std::vector<perdure::link> links;
  std::vector<perdure::ref<chains::stage>> heads;
  for (std::uint32_t c = 0; c < shape.chains; ++c) {
    const std::size_t first = std::size_t{c} * shape.length;
    heads.push_back(made[first]);
    for (std::size_t i = first; i + 1 < first + shape.length; ++i)
      links.emplace_back(made[i], port::out, made[i + 1], port::in);
  }
  const auto linking = steady::now();
  if (!links.empty()) system.link(links).value();
  const std::string name = shape.name() + "_wide";
  report["config"]["spawn_us"][name] = spawn_us;
  report["config"]["link_us"][name] = us_since(linking);
  chain_words words{shape};
  measure(options, name, system, box, heads, shape, words, report);
  note_load(report);
  system.stop(5s).value();
}

/// Which baselines do what the actors did: the whole way, and the host's part of it.
nlohmann::json beside(const std::vector<chain_shape>& shapes) {
  nlohmann::json named;
  for (const chain_shape& shape : shapes) {
    const std::string graph = shape.name() + "_graph_", launches = shape.name() + "_launches_";
    for (const char* kind : {"small_far", "small_near", "wide"}) {
      const std::string actors = fmt::format("{}_{}_", shape.name(), kind);
      named[actors + "end_to_end_us"] = {graph + "end_to_end_us", launches + "end_to_end_us"};
      named[actors + "send_us"] = {graph + "repeat_launch_us", launches + "call_us"};
    }
  }
  return named;
}

/// Time by length, a plot for each number of chains.
nlohmann::json curves(const nlohmann::json& report, const graph_options& options) {
  nlohmann::json plots;
  for (const std::uint32_t chains : {1U, options.chains}) {
    nlohmann::json lines = nlohmann::json::object();
    for (const std::uint32_t length : options.lengths) {
      for (const char* kind : {"small_far", "small_near", "wide", "graph", "launches"}) {
        const std::string key =
            fmt::format("{}_{}_end_to_end_us", chain_shape{chains, length}.name(), kind);
        for (const char* where : {"results", "baselines"}) {
          const nlohmann::json& figures = report.at(where);
          if (figures.contains(key)) lines[kind].push_back({length, figures.at(key).at("median")});
        }
      }
    }
    plots[fmt::format("end to end, chains: {}", chains)] = {
        {"x", "nodes a chain"}, {"y", "microseconds"}, {"lines", lines}};
  }
  return plots;
}

}  // namespace

nlohmann::json graph(const bench_options& options) {
  nlohmann::json report = begin_report("graph", options);
  const std::vector<chain_shape> shapes = shapes_of(options.graph);
  report["config"]["lengths"] = options.graph.lengths;
  report["config"]["repeats"] = options.graph.most_repeats();
  report["runs"] = nlohmann::json::array();
  report["answers"] = {{"steps", 0}, {"wrong", 0}, {"dead_letters", 0}};
  small_chains(options, shapes, report);
  for (const chain_shape& shape : shapes) wide_chain(options, shape, report);
  report["baselines"] = graph_baselines(options, shapes);  // the whole device is theirs now
  if (report["baselines"].contains("raw")) {
    report["baseline_runs"] = std::move(report["baselines"]["raw"]);
    report["baselines"].erase("raw");
    report["beside"] = beside(shapes);
  }
  report["curves"] = curves(report, options.graph);
  return report;
}

void add_graph_options(CLI::App& to, graph_options& o) {
  to.add_option("--lengths", o.lengths, "nodes a chain")
      ->check(CLI::Range(1U, 10'000U))
      ->capture_default_str();
  to.add_option("--chains", o.chains, "of the parallel shape")
      ->check(CLI::Range(2U, 64U))
      ->capture_default_str();
  to.add_option("--repeats", o.repeats,
                "launches a run; 50, or fewer where --seconds is over before")
      ->check(CLI::Range(1U, 100'000U));
}

}  // namespace bench
