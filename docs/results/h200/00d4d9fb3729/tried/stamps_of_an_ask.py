# stamps of each ask on both sides into the file that DBG names; rewrites the sources of a working tree at 19219bb, to be built then
def sub(path, *pairs):
    s=open(path).read()
    for a,b in pairs:
        assert s.count(a)==1,(path,a,s.count(a))
        s=s.replace(a,b)
    open(path,'w').write(s)
sub('kernels/dispatch/beside.cuh',
("""    const batch_source source{first ?""","""    volatile u64* dbg = reinterpret_cast<volatile u64*>(&m.lane_heads[static_cast<u64>(host_lane) * m.workers + c.worker]) + 1;
    if (!first && lane == 0) { dbg[0] = when.now_ns; dbg[1] = steady_ns(); dbg[2] = looks.in_vain; }
    const batch_source source{first ?"""),
("""    if (!first) {
      looks.done();
""","""    if (!first) {
      if (lane == 0) dbg[3] = steady_ns();
      looks.done();
"""))
sub('runtime/bridge/lane_ways.hpp',
("""class lane_ways {
""","""inline volatile std::uint64_t* dbg_page = nullptr;
inline std::uint64_t dbg_pushed = 0, dbg_seen = 0, dbg_turns = 0;
class lane_ways {
"""),
("""    return {words_ + (at << shift_), heads_ + at};""","""    dbg_page = (volatile std::uint64_t*)(heads_ + at) + 1;
    return {words_ + (at << shift_), heads_ + at};"""))
sub('runtime/system/core_messages.cpp',
("""  if (!sent && asks_.take(id)) return sent.error();
  const std::uint32_t worker""","""  if (!sent && asks_.take(id)) return sent.error();
  dbg_pushed = std::chrono::steady_clock::now().time_since_epoch().count();
  const std::uint32_t worker"""),
("""  if (out.why) return *out.why;
  return {};
}

result<std::uint64_t> core::open_mailbox""","""  dbg_seen = std::chrono::steady_clock::now().time_since_epoch().count();
  if (out.why) return *out.why;
  return {};
}

result<std::uint64_t> core::open_mailbox"""),
("""  for (std::uint32_t idle = 0, turns = 1; !out.ended.load(std::memory_order_acquire); ++turns) {
""","""  for (std::uint32_t idle = 0, turns = 1; !out.ended.load(std::memory_order_acquire); ++turns) {
    dbg_turns = turns;
"""))
sub('tools/perdure/bench_rtt.cpp',
("""namespace bench {
""","""#include "runtime/bridge/lane_ways.hpp"
#include <cstdio>
#include <cstdlib>
namespace bench {
"""),
("""    if (us != nullptr) us->push_back(seconds_since(from) * 1e6);
""","""    if (us != nullptr) us->push_back(seconds_since(from) * 1e6);
    {
      static FILE* f = std::getenv("DBG") ? std::fopen(std::getenv("DBG"), "w") : nullptr;
      static std::vector<std::array<long long, 9>> all;
      using namespace perdure::runtime;
      if (f && us != nullptr && all.size() < 60000) {
        long long end = std::chrono::steady_clock::now().time_since_epoch().count();
        all.push_back({from.time_since_epoch().count(), (long long)dbg_pushed, (long long)dbg_seen, end, (long long)dbg_page[0], (long long)dbg_page[1], (long long)dbg_page[2], (long long)dbg_page[3], (long long)dbg_turns});
        if (all.size() == 60000) { for (auto& a : all) { for (auto x : a) std::fprintf(f, "%lld ", x); std::fprintf(f, "\\n"); } std::fclose(f); }
      }
    }
"""),
("""#include <fmt/format.h>
""","""#include <fmt/format.h>
#include <array>
#include <chrono>
#include <vector>
"""))
