// runtime/replay/machine.hpp - goes through a recording, call by call.
// Why: a call's stamps follow from the stamp of its message's taking: so what a handler sends again has the stamp that it had, and
//      the entry of whoever took it names it by that and its sender.
// Invariant: an entry is gone through behind all that it depends on, since stamps follow cause and effect.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernels/dispatch/lane_state.cuh"
#include "perdure/replay.hpp"
#include "runtime/replay/population.hpp"
#include "runtime/replay/trace.hpp"
#include "runtime/system/program_index.hpp"

namespace perdure::runtime {

class machine {
 public:
  machine(const program_index& index, const recording& of, const replay_options& opts);

  /// All entries, or as many as on_call wants. @return diverged, cannot_write
  result<replay_report> run();

  // for the call under way
  const program_index& index() const { return index_; }
  void post(const loop::lane_state& by, std::uint64_t to, std::uint32_t handler, const void* m,
            std::uint32_t bytes);
  void set_timer(const loop::lane_state& by, std::uint64_t to, std::uint32_t handler, const void* m,
                 std::uint32_t bytes);
  void count_to_host() { ++report_.to_host; }
  void log(const loop::lane_state& by, std::uint64_t key, std::uint32_t count, std::uint64_t kinds,
           const std::uint64_t* values);
  /// Whether a message of that type may be committed at the port. @param open  bits: ports
  bool takes(const actor_place& who, std::uint32_t open, unsigned port, std::uint32_t message);
  /// Where a handler fills a message. @param port  below abi::max_ports. The same place for all of a port
  std::byte* stage(unsigned port);
  void commit(const actor_place& who, unsigned port, std::uint32_t message);

 private:
  /// Who sent it, and when: nobody sends two at one stamp.
  struct sending {
    std::uint64_t sender;  ///< sender field
    std::uint64_t stamp;   ///< 56 bits, as they travel
    bool operator==(const sending&) const = default;
  };
  struct hash {
    std::size_t operator()(const sending& s) const {
      return static_cast<std::size_t>(
          (s.stamp ^ s.sender * 0x9e37'79b9'7f4a'7c15U) * 0xff51'afd7'ed55'8ccdU >> 7U);
    }
  };
  struct message {
    std::uint64_t to;
    std::uint32_t handler, bytes;
    const std::byte* at;  ///< in the recording, or
    aligned_bytes own;
  };
  using messages = std::unordered_map<sending, message, hash>;
  struct link {
    std::uint32_t message;
    std::uint32_t bytes;  ///< as many as its receiver may read
    std::deque<aligned_bytes> queue;
  };

  result<void> take_message(const abi::record_entry& e);
  result<void> take_firing(const abi::record_entry& e);
  result<void> take_timer(const abi::record_entry& e);
  /// @return whether the replay goes on with this call.
  bool ask(const abi::record_entry& e, const actor_place& who, std::uint64_t sender,
           std::string_view message_type, const void* message);
  void call_wide(const loop::lane_state& of, const actor_place& who, std::uint32_t handler,
                 const void* message, std::uint32_t in, std::uint32_t open);
  void end_call(const loop::lane_state& call, const actor_place& who, std::uint64_t began,
                std::string_view handler);
  loop::lane_state call_of(const abi::record_entry& e, const actor_place& who) const;
  result<actor_place> living(const abi::record_entry& e);
  result<void> take(const abi::record_entry& e);
  error diverges(const abi::record_entry& e, const std::string& how) const;
  std::string name_of(std::uint64_t bits) const;
  void compare();

  const program_index& index_;
  const recording& of_;
  const replay_options& opts_;
  loop::memory memory_{};  ///< seed and system: all that a call asks it for
  population actors_;
  std::deque<link> links_;  // they stay where they are
  messages sent_, timers_;
  abi::record_entry ports_{};  ///< of the message that follows
  std::uint32_t largest_ = 1;  ///< message
  aligned_bytes scratch_;      ///< the message in hand
  std::array<aligned_bytes, abi::max_ports> stages_;
  std::unique_ptr<trace> trace_;  ///< or none
  replay_report report_;
};

}  // namespace perdure::runtime
