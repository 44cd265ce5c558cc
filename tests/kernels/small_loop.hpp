// tests/kernels/small_loop.hpp - a thread block of small actors as it runs on a device, each lane a thread: three warps, or one.
// Why: who polls, who handles what it has seen and who is called to the block's barrier is decided by votes; a vote that not
//      all lanes reach, or of what lane 0 alone knows, hangs a worker, and no loop over lanes shows that.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#define PERDURE_WARPS_OF_THREADS
#include "tests/support/warps_of_threads.hpp"

#if PERDURE_LANES > 32  // the target says
#define PERDURE_SCOUTS 1
#include "kernels/dispatch/beside.cuh"
#else
#define PERDURE_SCOUTS 0
#include "kernels/dispatch/idle.cuh"
#endif

#include <atomic>
#include <random>
#include <thread>

#include "tests/kernels/world.hpp"

namespace perdure::loop {

/// As perdure_loop() of kernels/entry.cuh.
template <class Handle, class Clock>
void run_block(on_chip& c, const memory& m, collective_slots* slots, Handle& handle, Clock& clock) {
  block_device b{slots};
  const bool was_parked = begin(b, c, m, 0);
#include "kernels/dispatch/small_loop.cuh"
  b.use(blockDim.x);
  leave(b, c, m);
}

}  // namespace perdure::loop

namespace kernel_test {

inline constexpr u32 ear_type = 1, on_said = 0, on_passed = 1, on_speech = 2, on_echo = 3,
                     on_tome = 4;
inline constexpr u32 host_lanes = 3, ears = 4;

struct said {
  u32 lane, number;
};
/// Longer than a scout's look.
struct speech {
  said what;
  u32 text[40];
};
/// Over 240 bytes: in a buffer of the host's.
struct tome {
  said what;
  u32 text[100];
};
inline tome make_tome(said what) {
  tome t{what, {}};
  for (u32 i = 0; i < 100; ++i) t.text[i] = what.number * 31 + what.lane + i;
  return t;
}
struct ear {
  u64 came = 0, passed = 0, echoed = 0;
  u32 last[host_lanes + 1] = {};              ///< by host lane, then of the ring
  u32 out_of_order = 0, torn = 0, alone = 0;  ///< of tomes, those that a lane has brought by itself
};

/// Notes what comes, writes a letter for each, and tells its neighbour of every third.
struct listener {
  static constexpr bool large_messages = true;
  u64 first;
  const std::atomic<bool>& echoes;
  const std::atomic<bool>& tells;
  const std::atomic<bool>& writes_long;
  std::atomic<u64>& together_in_all;
  std::atomic<u64>& heard;
  std::atomic<u64>& passed;
  std::atomic<u64>&
      most_told;  ///< words of host lane 0 that the host was told of before they were handled
  static bool is_hot(u32 /*handler*/) {
    return false;
  }  // a device's program has code of its own for those
  void operator()(u32 handler, void* state, const message_view& view, lane_state& call) const {
    ear& e = *static_cast<ear*>(state);
    if (handler == on_passed) {
      ++e.passed;
      ++passed;
      return;
    }
    if (handler == on_echo) {
      ++e.echoed;
      const said again{0, 0};
      if (echoes.load()) send_bytes(call, call.self, on_echo, &again, sizeof(again));
      return;
    }
    if (handler == on_tome) {
      e.alone += is_brought(*view.mem, view.handle()) ? 0 : 1;
      const tome got = message_of<tome>(view), all = make_tome(got.what);
      e.torn += std::memcmp(&got, &all, sizeof(got)) != 0 ? 1 : 0;
      hear(e, got.what, call, &got);
      return;
    }
    hear(e, handler == on_speech ? message_of<speech>(view).what : message_of<said>(view), call);
  }
  /// @param all  a letter as long is written.
  void hear(ear& e, const said& s, lane_state& call, const tome* all = nullptr) const {
    const u64 told = load<order::relaxed, scope::system>(&call.mem->lane_heads[0].value);
    const u64 before = heard++ * abi::words_for(sizeof(said));
    if (told > before && told - before > most_told) most_told = told - before;
    ++e.came;
    if (s.number <= e.last[s.lane]) ++e.out_of_order;
    e.last[s.lane] = s.number;
    const u64 box = abi::make_ref(5, 0, abi::mailbox_type, system_number);
    const tome own = make_tome(s);
    if (all != nullptr || (writes_long && s.number % 2 == 0)) {
      send_host_bytes(call, box, 0, all != nullptr ? all : &own, sizeof(own));
    } else {
      call.send_host(box, 0, payload_bytes{&s, sizeof(s)});
    }
    if (s.number % 3 == 0 && tells)
      send_bytes(call, first + (abi::ref_index(call.self) + 1) % ears, on_passed, &s, sizeof(s));
  }

  static bool takes_runs(u32 handler) { return handler == on_said; }
  /// Up to the first one whose number ends with 7, with what is told from lane to lane.
  template <class Words>
  u32 together(u32 /*handler*/, void* state, u32 count, Words words, joint_call& joint) const {
    ear& e = *static_cast<ear*>(state);
    value_beside<said> own;
    lanes_beside::each([&](u32 i) {
      if (i < count)
        own.own(i) =
            message_of<said>(message_view{words(i), joint.mem, abi::words_of(words(i)[0])});
    });
    const u32 leaves =
        lanes_beside::which([&](u32 i) { return i < count && own.own(i).number % 10 == 7; });
    const u32 n = leaves != 0 ? first_bit(leaves) : count;
    lanes_beside::meet();
    u32 number = 0;
    for (u32 i = 0; i < n; ++i) {
      const said s = own.of(i);
      number += s.number;
      joint.in_turn(i, perdure::abi::sender_of(words(i)[0]),
                    [&](lane_state& call) { hear(e, s, call); });
    }
    value_beside<u32> numbers, before;
    lanes_beside::each([&](u32 i) { numbers.own(i) = i < n ? own.own(i).number : 0; });
    lanes_beside::sum_below(before, numbers);
    EXPECT_EQ(before.of(31) + numbers.of(31), number);
    if (lanes_beside::leads()) together_in_all += n;
    return n;
  }
};

class SmallLoop : public ::testing::Test {
 protected:
  SmallLoop() = default;
  explicit SmallLoop(const shape& s) : w{s, types(), handlers()} {}
  static std::vector<type_spec> types() { return {{sizeof(ear)}}; }
  static std::vector<abi::handler_entry> handlers() {
    return {{ear_type, 0, sizeof(said)},
            {ear_type, 0, sizeof(said)},
            {ear_type, 0, sizeof(speech)},
            {ear_type, 0, sizeof(said)},
            {ear_type, 0, sizeof(tome)}};
  }
  static shape one_block() {
    shape s;
    s.lanes = PERDURE_LANES;
    s.ring_shift = 9;
    s.spill_shift = 12;
    s.out_units = 512;
    s.chip_units = 128;
    s.claim_slots = 256;
    s.host_shift = 8;
    s.host_lanes = host_lanes;
    s.buffers = PERDURE_LANES;  // of letters
    s.buffer_bytes = 512;
    s.host_buffers = 5;
    s.stall_ns = 600'000'000'000;
    return s;
  }
  void SetUp() override {
    w.m.control_shift = 20;  // a millisecond
    for (u32 i = 0; i < ears; ++i) {
      const u64 made = w.spawn(ear_type, i);
      if (i == 0) first = made;
      w.state<ear>(ear_type, i) = {};
    }
    launch();
  }
  void launch() {
    for (u32 i = 0; i < PERDURE_LANES; ++i) {
      lanes.emplace_back([this, i] {
        warps_of_threads::be_lane(block, i);
        listener handle{first, echoes, tells, writes_long, together, heard, passed_on, most_told};
        auto clock = [this] {
          const u64 still = stands_still_at;
          return still != 0 ? still : steady_now();
        };
        run_block(*w.chips[0], w.m, &slots, handle, clock);
      });
    }
  }
  static u64 steady_now() {
    return static_cast<u64>(std::chrono::steady_clock::now().time_since_epoch().count());
  }
  /// Until all lanes have left.
  void join() {
    for (std::thread& t : lanes) t.join();
    lanes.clear();
  }
  /// Sends to an ear by a host lane, or by the ring as another worker would.
  void say(u32 by, bool at_length = false) {
    const u32 bytes = at_length ? sizeof(speech) : sizeof(said);
    const u32 handler = at_length ? on_speech : on_said;
    const u32 number = ++numbers[by];
    const u64 to = first + number % ears;
    speech s{{by, number}, {}};
    while (by < host_lanes && !w.lane(by).try_push(to, handler, 0, 1, &s, bytes)) drain();
    if (by == host_lanes) push(to, handler, s, bytes);
    ++sent;
  }
  void say_all(u32 by) {
    const u32 number = ++numbers[by];
    const tome t = make_tome({by, number});
    while (!w.lane(by).try_push(first + number % ears, on_tome, 0, 1, &t, sizeof(t))) drain();
    ++sent;
    ++tomes_sent;
  }
  void push(u64 to, u32 handler, const speech& s, u32 bytes) {
    const u32 words = abi::words_for(bytes);
    word out[abi::max_words];
    out[0] = {abi::envelope_lo(abi::ref_index(to), abi::ref_generation(to), handler, words), 0};
    abi::pack_bytes(out, &s, bytes, abi::stamp_to_wire(1), words);
    const u64 at = fetch_add<scope::device>(&w.m.tails[0].value, u64{words});
    const u64 size = u64{1} << w.m.ring_shift;
    while (at + words > load<order::acquire, scope::device>(&w.m.heads[0].value) + size) drain();
    for (u32 k = 0; k < words; ++k) {
      store<order::relaxed, scope::device>(&w.m.rings[(at + k) & (size - 1)],
                                           abi::tagged(out[k], at + k, w.m.ring_shift, k == 0));
    }
  }
  void drain() {
    perdure::runtime::inbound_message m;
    bool any = false;
    for (; w.host_take(0, m); any = true) {
      said s{};
      std::memcpy(&s, m.bytes(), sizeof(s));
      if (!m.long_payload.empty()) {
        ++tomes;
        const tome all = make_tome(s);
        EXPECT_EQ(std::memcmp(m.bytes(), &all, sizeof(all)), 0) << "torn";
      }
      if (++letters_of[s.lane] == 1) first_letter[s.lane] = letters;
      ++letters;
    }
    if (!any) std::this_thread::yield();
  }
  /// Beside others that want the CPU a hundred threads take a hundred times as long.
  static auto patience() { return std::chrono::steady_clock::now() + std::chrono::seconds{250}; }
  void wait_for_letters() {
    const auto until = patience();
    while (letters < sent && std::chrono::steady_clock::now() < until) drain();
    ASSERT_EQ(letters, sent) << "the worker has stopped handling";
  }
  /// Until all has been handled for which so many words were written to the host, and the worker polls.
  void wait_for_a_poll_behind(u64 words) {
    const u64 at = words - 1;
    const word* last = &w.m.host_rings[at & ((1U << w.m.host_shift) - 1)];
    const auto polls = [&] {
      const u32 ask = read_ask(*w.chips[0]);
      return PERDURE_SCOUTS == 0 || (ask != 0 && ask != scout_leave);
    };
    while (!abi::is_ready(load<order::relaxed, scope::system>(last), at, w.m.host_shift) ||
           !polls())
      std::this_thread::yield();
  }
  void give(abi::command what) {
    store<order::release, scope::system>(&w.m.control[0].command, abi::make_command(++epoch, what));
    while (acknowledged() != epoch) drain();
  }
  u64 acknowledged() const {
    return load<order::acquire, scope::system>(&w.m.control[0].acknowledged);
  }
  /// Until what ears tell each other has come: a halt leaves what still stands in the ring.
  void wait_for_passed(u64 messages) {
    const auto until = patience();
    while (passed_on < messages && std::chrono::steady_clock::now() < until) drain();
    ASSERT_EQ(passed_on, messages) << "the worker has stopped handling";
  }
  void end() {
    u64 to_tell = 0;
    for (const u32 n : numbers) to_tell += tells ? n / 3 : 0;
    wait_for_passed(to_tell);
    give(abi::command::halt);
    join();
    u64 came = 0, passed = 0, echoed = 0;
    for (u32 i = 0; i < ears; ++i) {
      const ear& e = w.state<ear>(ear_type, i);
      came += e.came;
      passed += e.passed;
      echoed += e.echoed;
      EXPECT_EQ(e.out_of_order, 0U) << "ear " << i;
      EXPECT_EQ(e.torn, 0U) << "ear " << i;
      EXPECT_EQ(e.alone, 0U) << "all lanes bring what the host sends";
    }
    EXPECT_EQ(came, sent);
    EXPECT_EQ(w.free_host_buffers(), w.m.host_buffer_count);
    EXPECT_EQ(w.free_buffers(), w.m.buffer_count);
    EXPECT_TRUE(tomes == tomes_sent || writes_long);
    EXPECT_EQ(passed, to_tell);
    EXPECT_EQ(w.total(abi::counter::handled), sent + passed + echoed);
    for (u32 r = 0; r < abi::dead_reasons; ++r)
      EXPECT_EQ(w.dead(static_cast<abi::dead_reason>(r)), 0U) << "reason " << r;
  }

  world w{one_block(), types(), handlers()};
  std::atomic<bool> echoes{false};  ///< who gets an echo sends it to itself once more
  std::atomic<u64> heard{0}, passed_on{0}, most_told{0};
  std::atomic<bool> tells{true};         ///< of every third an ear tells its neighbour, by the ring
  std::atomic<bool> writes_long{false};  ///< of every other one a letter of a tome's length
  std::atomic<u64> together{0};          ///< messages that were handled by lanes side by side
  warps_of_threads::block block{PERDURE_LANES};
  collective_slots slots{};
  std::vector<std::thread> lanes;
  u64 first = 0, sent = 0, letters = 0, epoch = 0, tomes_sent = 0, tomes = 0;
  u64 letters_of[host_lanes + 1] = {}, first_letter[host_lanes + 1] = {};  ///< by host lane
  std::atomic<u64> stands_still_at{0};  ///< the workers' clock; 0: it goes on
  u32 numbers[host_lanes + 1] = {};
};

}  // namespace kernel_test
