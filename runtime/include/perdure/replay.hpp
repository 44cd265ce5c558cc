// runtime/include/perdure/replay.hpp - a recorded run, gone through again on one thread of the CPU.
// Why: what went wrong among thousands of threads of a GPU is looked at in a debugger: the same calls, with the same states,
//      messages, times and random numbers, in an order in which they can have happened.
// Threads: each replay is one thread's; any number at the same time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/hlc.hpp"
#include "perdure/options.hpp"
#include "perdure/program.hpp"
#include "perdure/ref.hpp"
#include "perdure/result.hpp"

namespace perdure {

/// A handler's call that comes next. Valid until the function that gets it returns.
struct replayed_call {
  std::uint64_t number;  ///< of the replay's calls, from 0
  any_ref actor;
  any_ref sender;  ///< null for a host, and for a joined handler
  hlc at;
  std::string_view actor_type;
  std::string_view message_type;  ///< empty: a joined handler
  const void* state;              ///< before the call: an `actor_type`
  const void* message;            ///< a `message_type`, or null
};

struct replay_options {
  /// Before each call. False: the replay ends here.
  std::function<bool(const replayed_call&)> on_call{};
  /// What handlers log: the same lines as in the run.
  std::function<void(const log_record&)> on_log{};
  /// A file that https://ui.perfetto.dev opens, or empty: a row for each actor, its calls in the order of their hybrid times, and an
  /// arrow for each message. An event is a nanosecond there, so a microsecond of the run takes 65.5; how many microseconds have
  /// passed stands with each call. Some 350 bytes a call: for replays of up to a million calls, such as those that on_call ends.
  std::filesystem::path trace{};
};

/// An actor whose state at the run's end is not what the replay came to.
struct replayed_difference {
  any_ref actor;
  std::string recorded, replayed;  ///< as to_text()
};

struct replay_report {
  std::uint64_t messages = 0;  ///< calls of ordinary handlers
  std::uint64_t firings = 0;   ///< of joined ones
  std::uint64_t timers = 0;    ///< messages of after() that were sent
  std::uint64_t to_host = 0;   ///< replies and messages to mailboxes
  /// Messages that nobody handled here: dead letters, or still queued at the end.
  std::uint64_t left = 0;
  bool ended = false;  ///< by on_call
  /// The recording has all that was handled, up to the end. Else record_slots was too little, or a message of a GPU's region found no
  /// room: the replay ends before the first event that is not in it. Or workers did not leave, or the device has failed: it goes
  /// as far as what was written does, also into a call that never returned.
  bool whole = true;
  /// Actors whose last state is in the recording; 0 if the replay did not go to the run's end.
  std::uint64_t compared = 0;
  std::uint64_t differ = 0;                    ///< of them, so many came to something else
  std::vector<replayed_difference> different;  ///< the first 16 of those
};

/// Goes through a recording (options.record) again: each actor handles what it handled, in the same order, by the handlers
/// as the host compiler has made them, one call at a time on the calling thread. Nothing runs beside it, nothing waits and no time
/// passes: ctx.now(), ctx.random() and ctx.sender() say what they said. What was sent to hosts is counted.
/// @param actors  the program that was recorded, such as bank::actors(). Its handlers may have been changed since; its actors,
///                messages and handlers may not.
/// @return bad_recording: the context says what is wrong with the file. diverged: a call got a message that in the replay nobody has
///         sent, or had none for its joined handler; the context names it. Then a handler depends on more than its state, its
///         message and its context, or has been changed. cannot_write: the trace; there is none then. out_of_memory. Whatever a handler throws goes
///         through.
result<replay_report> replay(const program& actors, const std::filesystem::path& recording,
                             const replay_options& opts = {});

}  // namespace perdure
