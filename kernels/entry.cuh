// kernels/entry.cuh - stands at the end of every generated unit: the kernel, or what tests call instead.
// Why: the program's table is known here, so the user's handlers are inlined into the loop.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__CUDACC_RTC__)

#include "kernels/platform/block_device.cuh"
#if PERDURE_WIDE || PERDURE_LANES <= 32
#define PERDURE_SCOUTS 0
#include "kernels/dispatch/idle.cuh"
#else
#define PERDURE_SCOUTS 1
#include "kernels/dispatch/beside.cuh"
#endif
#if PERDURE_WIDE
#include "kernels/wide/device_block_lane.cuh"
#endif
#include "kernels/platform/device_clock.cuh"

namespace perdure::loop {

/// Of 16 bytes: the largest slot that is brought on chip with its messages.
template <class Table>
constexpr u32 most_pieces() {
  u32 most = 0;
  for (const auto& row : Table::actor_rows) {
    if (wide_is_built || row.size == 0 || !abi::is_staged(row.size, row.align)) continue;
    const u32 pieces = abi::slot_stride(row.size, row.align) / sizeof(word);
    most = pieces > most ? pieces : most;
  }
  return most;
}

/// Whether some small actors have slots that are too large for that.
template <class Table>
constexpr bool has_slots_in_memory() {
  for (const auto& row : Table::actor_rows)
    if (row.size != 0 && !abi::is_staged(row.size, row.align)) return true;
  return false;
}

struct device_handle {
  static constexpr u32 private_bytes = gen::table::private_bytes;
  /// A block that is wider than they are has lanes with no values.
  static constexpr bool wide_alike = gen::table::wide_alike && gen::table::lanes == PERDURE_LANES;
  static constexpr u32 state_pieces = most_pieces<gen::table>();
  static constexpr bool slots_in_memory = has_slots_in_memory<gen::table>();

  static constexpr bool large_messages = gen::table::largest_message > abi::inline_payload;

  /// @tparam View  message_view, or lone_view.
  template <class View>
  PERDURE_INLINED void operator()(u32 handler, void* state, const View& message,
                                  lane_state& call) const {
    detail::lane lane{call, call.self, call.sender()};
    context ctx{lane};
    detail::message_source<View> source{message};
    gen::table::invoke(handler, state, source, ctx);
  }
#if PERDURE_HOT
  static bool is_hot(u32 handler) { return gen::table::is_hot(handler); }
  /// Messages of one actor and handler in a row.
  void run(u32 handler, void* state, message_run& run, lane_state& call) const {
    detail::lane_run source{run, call};
    gen::table::invoke_run(handler, state, source);
  }
  void run(u32 handler, void* state, message_row& row, lane_state& call) const {
    detail::lane_row source{row, call};
    gen::table::invoke_run(handler, state, source);
  }
  /// Whether it calls send_n(), and lanes side by side may all do the same with its message; and one message so.
  static bool sends_many(u32 handler) { return gen::table::sends_many(handler); }
  void alike(u32 handler, void* state, const message_view& view, lane_state& call) const {
    detail::lane_alike source{view, call};
    gen::table::invoke_many(handler, state, source);
  }
#endif
#if PERDURE_RUNS
  static bool takes_runs(u32 handler) { return gen::table::takes_runs(handler); }
#if PERDURE_HOT
  static bool rows_go_together(u32 handler) { return gen::table::rows_go_together(handler); }
#endif
  /// All lanes side by side. @param words  (i) -> those of message i, of `count`. @return messages handled.
  template <class Words>
  u32 together(u32 handler, void* state, u32 count, Words words, joint_call& joint) const {
    const u32 own = lanes_beside::own();
    detail::joint_source source{joint, count, words(own < count ? own : 0)};
    return gen::table::invoke_together(handler, state, source);
  }
#endif
#if PERDURE_WIDE
  /// All lanes: an ordinary handler of a wide actor, and a joined one.
  void wide(wide_call<whole_block>& made, u32 handler, const void* message) const {
    with_lane(made,
              [&](auto& lane) { gen::table::invoke_wide(handler, made.state, message, lane); });
  }
  void joined(wide_call<whole_block>& made, u32 handler) const {
#ifdef PERDURE_STATES_IN_MEMORY
    const abi::landed_messages landed{whole_in_hand(*made.chip, *made.mem).at};
#else
    const abi::landed_messages landed{made.landed, made.landed_at};
#endif
    with_lane(made,
              [&](auto& lane) { gen::table::invoke_joined(handler, made.state, landed, lane); });
  }

 private:
  template <class Call>
  static void with_lane(wide_call<whole_block>& made, Call call) {
    detail::block_lane lane{
        {made.block, made.chip, made.mem, made.call, made.state, made.store, made.open_ports}};
    call(lane);
    lane.leave(made);
  }
#endif
};

/// One worker a block; launched cooperatively, so that all workers make progress. It stands inside the namespace, where a
/// user's `turn` or `memory` cannot make a name ambiguous.
extern "C" __global__ void __launch_bounds__(PERDURE_LANES, PERDURE_BLOCKS_EACH) perdure_loop() {
  const memory& m = perdure_memory;
  __shared__ collective_slots slots;
#if PERDURE_WIDE
  on_chip& c = chip_of_block();
#else
  on_chip& c = kept(chip_of_block());
#endif
#if PERDURE_WIDE
  whole_block b{&slots};
#else
  block_device b{&slots};
#endif
  device_handle handle;
  device_clock clock;
  [[maybe_unused]] const bool was_parked = begin(b, c, m, blockIdx.x);
#if PERDURE_WIDE
  if (m.cluster > 1) meet_cluster();
  // wide handlers take the whole block at any time
  for (progress did = progress::idle; did != progress::halted;) {
    arrival here;
    for (bool has_run = did == progress::hot;; has_run = false) {
      did = turn_until_hot(b, c, m, handle, clock, here, has_run);
      here = arrival{};
      if (did == progress::halted || did == progress::hot) break;
      if (did != progress::idle) continue;
      __syncthreads();  // all have decided before the first warp changes what they looked at
      if (threadIdx.x < 32) here = poll_for_work(c, m, threadIdx.x, handle, clock);
      here = tell_all(b, here);
    }
    if constexpr (hot_is_built) {
      if (did == progress::hot) run_aside(b, c, m, handle);
    }
  }
  if (m.cluster > 1) meet_cluster();
#else
#include "kernels/dispatch/small_loop.cuh"
  b.use(blockDim.x);
#endif
  leave(b, c, m);
}

}  // namespace perdure::loop

#else

namespace perdure::gen {

/// The message lies unpacked in memory.
struct memory_source {
  const void* message;
  template <class M>
  const M& get() const {
    return *static_cast<const M*>(message);
  }
};

}  // namespace perdure::gen

/// Runs one handler of the lowered text on the host; tests put it in place of the native `invoke`.
extern "C" void perdure_lowered_invoke(unsigned handler, void* self, const void* message,
                                       perdure::context& ctx) {
  perdure::gen::memory_source source{message};
  perdure::gen::table::invoke(handler, self, source, ctx);
}
/// As above, for a handler of a wide actor. @param message  of a joined handler: a landed_messages.
extern "C" void perdure_lowered_invoke_wide(unsigned handler, const void* self, const void* message,
                                            perdure::detail::block_lane& lane) {
  if (perdure::gen::table::is_joined(handler)) {
    perdure::gen::table::invoke_joined(
        handler, self, *static_cast<const perdure::abi::landed_messages*>(message), lane);
  } else {
    perdure::gen::table::invoke_wide(handler, self, message, lane);
  }
}

#endif
