// kernels/dispatch/device_sources.cuh - how the generated dispatch hands messages to the user's handlers on the device.
// Why: alone, in runs, by lanes that do the same and by lanes side by side: each way unpacks and calls in its own.
// Invariant: a message is unpacked by constants, so that it stays in registers; longer ones are read where they lie.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/device_lane.cuh"
#include "kernels/dispatch/handle.cuh"

namespace perdure {
class context;
template <class M>
class run;
}  // namespace perdure

namespace perdure::detail {

/// Room for a value that is copied byte by byte and never made.
template <class T>
union holder {
  char none;
  T value;
  holder() : none{} {}
};

/// A message from its words. @param at  (int k) -> word k of at least as many as it has.
template <class M, class At>
M unpack(At at) {
  constexpr int words = abi::words_for(sizeof(M));
  constexpr int pieces = (sizeof(M) + 3) / 4;
  u32 raw[pieces];
#pragma unroll
  for (int i = 0; i < pieces; ++i) raw[i] = abi::payload_piece(at, i, words);
  holder<M> out;
  loop::copy_bytes(&out.value, raw, sizeof(M));
  return M(out.value);
}

/// Unpacks the message in hand for the generated dispatch.
template <class View>
struct message_source {
  const View& view;

  template <class M>
  decltype(auto) get() const {
    if constexpr (sizeof(M) <= abi::inline_payload) {
      if constexpr (View::is_lone && abi::words_for(sizeof(M)) <= loop::held_words) {
        if (view.is_held) {
          holder<M> out;
          loop::copy_bytes(&out.value, view.held->payload.at, sizeof(M));
          return M(out.value);
        }
      }
      return unpack<M>([&](int k) { return view.words[k]; });
    } else {
      return *reinterpret_cast<const M*>(loop::open_buffer(*view.mem, view.handle(), sizeof(M)));
    }
  }
};

/// f(actor). @param writes  whether this lane is the one that puts the state back.
template <class A, class F>
void with_state(void* self, bool writes, F f) {
  if constexpr (in_registers<A>) {
    holder<A> mine;
    void* home = __builtin_assume_aligned(self, alignof(A));
    loop::copy_bytes(&mine.value, home, sizeof(A));
    f(mine.value);
    if (writes) loop::copy_bytes(home, &mine.value, sizeof(A));
  } else {
    f(*static_cast<A*>(self));
  }
}

/// A run of messages for the generated dispatch. A small state stays in registers from its first message to its last.
struct lane_run {
  loop::message_run& run;
  loop::lane_state& call;

  template <class A, class M>
  void each(void* self) const {
    with_state<A>(self, true, [&](A& actor) { each_into<M>(actor); });
  }
  template <class A, class M>
  void each_in_runs(void* self) const {
    each<A, M>(self);
  }

 private:
  template <class M, class A>
  void each_into(A& actor) const {
    constexpr u32 words = abi::words_for(sizeof(M));
    constexpr bool is_short = sizeof(M) <= abi::inline_payload && words <= loop::held_words;
    run.each<is_short ? words : 1>(call, [&](const auto& ahead, const loop::message_view& view) {
      detail::lane lane{call, call.self, call.sender()};
      context ctx{lane};
      if constexpr (is_short) {
        actor.on(unpack<M>([&](int k) { return ahead[k]; }), ctx);
      } else {
        const message_source<loop::message_view> source{view};
        actor.on(source.get<M>(), ctx);
      }
      if constexpr (sizeof(M) > abi::inline_payload) loop::give_buffer(*call.mem, view.handle());
    });
  }
};

/// One message of a hot actor's in the hand of lanes that all do the same, each with a state of its own in its registers.
struct lane_alike {
  const loop::message_view& view;
  loop::lane_state& call;

  template <class A, class M>
  void each(void* self) const {
    if constexpr (in_registers<A> && sizeof(M) <= abi::inline_payload) {
      with_state<A>(self, call.leads, [&](auto& actor) {
        detail::lane lane{call, call.self, call.sender()};
        context ctx{lane};
        actor.on(unpack<M>([&](int k) { return view.words[k]; }), ctx);
      });
    }
  }
};

#if PERDURE_RUNS
template <class T>
using run_value = loop::value_beside<T>;
using run_lanes = loop::lanes_beside;

/// What a run's messages send by, each with the context of its own call.
struct run_calls {
  loop::joint_call& joint;
  u64 asker;  ///< of this lane's message: its sender field
  u64 from;   ///< the actor that this names, or 0

  template <class F>
  void call(u32 i, F f) {
    joint.in_turn(i, asker, [&](loop::lane_state& call) {
      detail::lane lane{call, call.self, call.sender()};
      context ctx{lane};
      f(ctx);
    });
  }
  /// Of this lane's message, i.
  u64 sender(u32 /*i*/) const { return from; }
  /// @param to  each message's receiver. @return as send_host().
  template <class A, class To, class N>
  bool send(u32 bits, const To& to, const run_value<N>& notes) {
    if constexpr (abi::words_for(sizeof(N)) <= loop::unit_words) {
      constexpr u32 id = handler_id(gen::tag{}, static_cast<A*>(nullptr), static_cast<N*>(nullptr));
      return joint.send_beside(
          bits, id, [&](u32 i) { return to.own(i).bits; },
          [&](u32 i) {
            loop::payload_sent<abi::words_for(sizeof(N)), sizeof(N)> payload{};
            loop::copy_bytes(payload.pieces.at, &notes.own(i), sizeof(N));
            return payload;
          });
    } else {
      return false;
    }
  }
  /// @return false: nothing was sent, and it is to be done by call().
  template <class N>
  bool send_host(u32 bits, u64 to, const run_value<N>& notes) {
    if constexpr (sizeof(N) <= abi::inline_payload) {
      constexpr u32 id = message_id(gen::tag{}, static_cast<N*>(nullptr));
      constexpr u32 words = abi::words_for(sizeof(N));
      return joint.send_host_beside<words>(bits, to, id, [&](u32 i) {
        loop::payload_pieces<words> pieces{};
        loop::copy_bytes(pieces.at, &notes.own(i), sizeof(N));
        return pieces;
      });
    } else {
      return false;
    }
  }
};
/// Messages of one actor and handler for the generated dispatch, each in the hand of a lane side by side.
struct joint_source {
  loop::joint_call& joint;
  u32 count;
  const abi::word* words;  ///< of this lane's message; where there is none, of another one's

  template <class A, class M>
  u32 call(void* self) const {
    const M mine = unpack<M>([&](int k) { return words[k]; });
    const u64 asker = abi::sender_of(words[0]);
    run_calls calls{joint, asker, loop::sender_of_asker(asker, joint.mem->system)};
    return static_cast<A*>(self)->on_run(run<M>::of(count, &mine, calls));
  }
};
#endif

static_assert(words_in_row == loop::row_words);
static_assert(64 <= sizeof(abi::u16) * loop::groups * 31, "memory::order has room for a state");

/// The same of messages that were taken apart. All lanes side by side do the same, each with a state of its own in its
/// registers, so that none waits for another; what others can see one does. A state in memory is one lane's.
struct lane_row {
  loop::message_row& in;
  loop::lane_state& by;

  template <class A, class M>
  void each(void* self) const {
    constexpr u32 words = abi::words_for(sizeof(M));
    if constexpr (sizeof(M) <= abi::inline_payload && words <= loop::row_words) {
      by.alike = in_registers<A>;
      if (!in_registers<A> && !by.leads) return;
      in_hand<A, M, 0>(in, by, [self](loop::message_row& row, loop::lane_state& call) {
        with_state<A>(self, call.leads, [&](A& actor) {
          row.each<words, in_registers<A>>(call, [&](const auto& record, u64 sender) {
            detail::lane lane{call, call.self, sender};
            context ctx{lane};
            holder<M> message;
            loop::copy_bytes(&message.value, record, sizeof(M));
            actor.on(static_cast<const M&>(message.value), ctx);
          });
        });
      });
    }
  }
#if PERDURE_RUNS
  /// By on_run(), up to 32 at once, which lanes side by side do as of any chain; what it leaves by on().
  template <class A, class M>
  void each_in_runs(void* self) const {
    constexpr u32 words = abi::words_for(sizeof(M));
    if constexpr (rows_in_runs<A, M>) {
      by.alike = true;
      loop::on_chip& chip = loop::here(*in.chip);
      void* state = chip[loop::here(*in.mem).order];
      move_state<A>(state, self);
      in_hand<A, M, 1>(in, by, [state](loop::message_row& row, loop::lane_state& call) {
        row.in_runs<words>(
            call,
            [&](const abi::word* first, u32 count, loop::joint_call& joint) {
              return at_once<A, M, words>(state, first, count, joint);
            },
            [&](loop::message_row& some) {
              lane_row{some, call}.each<A, M>(state);
              loop::meet_alike();  // the state is there for the next run
            });
      });
      move_state<A>(self, state);
    } else {
      each<A, M>(self);
    }
  }
#endif

 private:
  /// f(row, call), both in registers: a function of its own has enough of them.
  template <class A, class M, int Way, class F>
  static PERDURE_INLINED void in_hand(loop::message_row& in, loop::lane_state& by, F f) {
    loop::message_row row = in;
    loop::lane_state call = by;
    f(row, call);
    in = row;
    by = call;
  }
#if PERDURE_RUNS
  /// All lanes; one moves it.
  template <class A>
  void move_state(void* to, const void* from) const {
    if (by.leads) {
      loop::copy_bytes(__builtin_assume_aligned(to, alignof(A)),
                       __builtin_assume_aligned(from, alignof(A)), sizeof(A));
    }
    loop::meet_alike();
  }
  /// on_run() for so many messages, each of Words, from the first on.
  template <class A, class M, u32 Words>
  static u32 at_once(void* state, const abi::word* first, u32 count, loop::joint_call& joint) {
    const u32 own = loop::lanes_beside::own();
    const abi::word* at = first + (own < count ? own : 0) * Words;
    abi::word record[Words];
#pragma unroll
    for (u32 k = 0; k < Words; ++k) record[k] = at[k];
    holder<M> message;
    loop::copy_bytes(&message.value, record, sizeof(M));
    run_calls calls{joint, record[Words - 2].hi, record[Words - 1].lo};
    return static_cast<A*>(state)->on_run(run<M>::of(count, &message.value, calls));
  }
#endif
};

}  // namespace perdure::detail
