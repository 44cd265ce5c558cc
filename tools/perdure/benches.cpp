// tools/perdure/benches.cpp - see benches.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "benches.hpp"

#include <CLI/CLI.hpp>
#include <bit>

namespace bench {
namespace {

void inbox_option(CLI::App& on, bench_options& o) {
  on.add_option("--inbox", o.inbox,
                "64-byte slots of a worker's inbox: a power of two, 64 or more; 0: choose")
      ->check([](const std::string& given) -> std::string {
        std::uint32_t slots = 0;
        const bool number = CLI::detail::lexical_cast(given, slots);
        const bool fits = slots == 0 || (std::has_single_bit(slots) && slots >= 64);
        return number && fits ? "" : given + " is neither 0 nor a power of two of 64 or more";
      });
}

void route_options(CLI::App& on, bench_options& o) {
  inbox_option(on, o);
  on.add_option("--tokens", o.tokens, "tokens under way at once; 0: 1,024 a worker")
      ->check(CLI::Range(0U, 1U << 24U));
  on.add_option("--payload", o.payload, "bytes of a message's payload: 38 or 8")
      ->check(CLI::IsMember({38U, 8U}))
      ->capture_default_str();
  on.add_flag("--hot", o.hot, "one hot counter; all others send to it");
}

void hop_options(CLI::App& on, bench_options& o) {
  on.add_option("--cluster", o.cluster, "workers a block cluster: 1, 2, 4 or 8; 0: choose")
      ->check(CLI::IsMember({0U, 1U, 2U, 4U, 8U}));
  on.add_option("--words", o.words, "words of the tear test; 0: 10,000,000,000")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 40U));
}

void thread_options(CLI::App& on, bench_options& o) {
  on.add_option("--threads", o.threads, "host threads; 0: 1, and 8 where there are as many cores")
      ->check(CLI::Range(0U, 64U));
}

void sustain_options(CLI::App& on, bench_options& o) {
  inbox_option(on, o);
  thread_options(on, o);
}

void savina_words(CLI::App& on, bench_options& o) { add_savina_options(on, o.savina); }
void graph_words(CLI::App& on, bench_options& o) { add_graph_options(on, o.graph); }

}  // namespace

std::span<const entry> benches() {
  static const std::vector<entry> all{
      {"rtt", "host -> actor -> host: one ask at a time", rtt},
      {"inject", "host threads send to counting actors", inject, thread_options},
      {"egress", "actors send to host mailboxes", egress, thread_options},
      {"route",
       "tokens walk at random among many actors",
       route,
       route_options,
       {{"", {}},
        {"8", {"--payload", "8"}},
        {"10m", {"--actors", "10000000"}, true},
        {"8_10m", {"--payload", "8", "--actors", "10000000"}, true},
        {"hot", {"--hot"}}}},
      {"hop", "one hop between two actors, by inbox and by link; torn words", hop, hop_options},
      {"micro", "payloads, a burst, the clock, spawn, start, barriers: each by itself", micro},
      {"sustain",
       "the same load for --seconds (60), in windows: on the device alone, and fed by the host",
       sustain,
       sustain_options,
       {{"", {}}},
       true},
      {"clock",
       "how nearly host and workers agree on the time, for --seconds (60)",
       clock,
       nullptr,
       {{"", {}}},
       true},
      {"start", "from start() to the first reply, cold and warm", start},
      {"park", "the first reply of workers that have left while there was nothing to do", park},
      {"placement", "groups of actors, dealt out to all workers and then brought together",
       placement},
      {"savina",
       "programs of the Savina suite, beside CAF on this machine's cores",
       savina,
       savina_words,
       {{"", {}}, {"apart", {"--apart", "--programs", "ping_pong", "count"}}},
       false,
       true},
      {"graph", "chains of small steps: actors, CUDA graphs, launches", graph, graph_words},
  };
  return all;
}

}  // namespace bench
