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
  auto* tokens = on.add_option("--tokens", o.tokens, "tokens under way at once; 0: 1,024 a worker")
                     ->check(CLI::Range(0U, 1U << 24U));
  auto* payload = on.add_option("--payload", o.payload, "bytes of a message's payload: 38 or 8")
                      ->check(CLI::IsMember({38U, 8U}))
                      ->capture_default_str();
  on.add_flag("--hot", o.hot, "one hot counter; all others send to it, with no token and 4 bytes")
      ->excludes(tokens)
      ->excludes(payload);
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
      {.name = "rtt",
       .help = "host -> actor -> host: one ask at a time",
       .run = rtt,
       .sized = true},
      {.name = "inject",
       .help = "host threads send to counting actors",
       .run = inject,
       .own_options = thread_options,
       .sized = true},
      {.name = "egress",
       .help = "actors send to host mailboxes",
       .run = egress,
       .own_options = thread_options,
       .sized = true},
      {.name = "letters",
       .help = "letters and answers of 1 and 4 KB to the host",
       .run = letters,
       .own_options = thread_options,
       .sized = true},
      {.name = "route",
       .help = "tokens walk at random among many actors",
       .run = route,
       .own_options = route_options,
       .variants = {{"", {}},
                    {"8", {"--payload", "8"}},
                    {"10m", {"--actors", "10000000"}, true},
                    {"8_10m", {"--payload", "8", "--actors", "10000000"}, true},
                    {"hot", {"--hot"}}},
       .sized = true},
      {.name = "hop",
       .help = "one hop between two actors, by inbox and by link; torn words",
       .run = hop,
       .own_options = hop_options,
       .variants = {{"", {}}, {"cluster", {"--cluster", "2", "--words", "100000000"}, true}}},
      {.name = "micro",
       .help = "payloads, a burst, the clock, spawn, start, barriers: each by itself",
       .run = micro,
       .sized = true},
      {.name = "sustain",
       .help = "the same load for --seconds (60), in windows: on the device alone, and fed by the "
               "host",
       .run = sustain,
       .own_options = sustain_options,
       .lasts = true,
       .sized = true},
      {.name = "clock",
       .help = "how nearly host and workers agree on the time, for --seconds (60)",
       .run = clock,
       .lasts = true},
      {.name = "start", .help = "from start() to the first reply, cold and warm", .run = start},
      {.name = "park",
       .help = "the first reply of workers that have left while there was nothing to do",
       .run = park},
      {.name = "placement",
       .help = "groups of actors, dealt out to all workers and then brought together",
       .run = placement,
       .sized = true},
      {.name = "record",
       .help = "what a recording costs, and how fast it is gone through again",
       .run = record,
       .sized = true},
      {.name = "savina",
       .help = "programs of the Savina suite, beside CAF on this machine's cores",
       .run = savina,
       .own_options = savina_words,
       .variants = {{"", {}}, {"apart", {"--apart", "--programs", "ping_pong", "count"}}},
       .scaled = true},
      {.name = "graph",
       .help = "chains of small steps: actors, CUDA graphs, launches",
       .run = graph,
       .own_options = graph_words},
  };
  return all;
}

}  // namespace bench
