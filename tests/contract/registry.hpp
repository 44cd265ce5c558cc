// tests/contract/registry.hpp - builds a perdure::program from actor types and messages, without perdure-gen.
// Why: the contract is the runtime's; its tests must neither wait for the tool nor fail because of it.
// Invariant: ids are what the tool would give: actor types from 1 in order, messages and handlers from 0.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <perdure/system.hpp>

#include <deque>
#include <string>
#include <vector>

#include "kernels/abi/layout_hash.cuh"

namespace contract {

/// The type's name as the compiler spells it, without its namespaces.
template <class T>
std::string name_of_type() {
  std::string text = __PRETTY_FUNCTION__;
  const auto from = text.find("T = ") + 4;
  text = text.substr(from, text.find_first_of(";]", from) - from);
  const auto colon = text.rfind("::");
  return colon == std::string::npos ? text : text.substr(colon + 2);
}

class registry {
 public:
  /// An actor type with its handlers, one a message.
  template <class A, class... Ms>
  registry& actor() {
    actors_.push_back({keep(name_of_type<A>()),
                       perdure::detail::type_key<A>(),
                       sizeof(A),
                       alignof(A),
                       {},
                       nullptr});
    const auto id = static_cast<std::uint8_t>(actors_.size());
    (handlers_.push_back({perdure::detail::handler_key<A, Ms>(), id, message<Ms>(),
                          [](void* self, const void* m, perdure::context& ctx) {
                            static_cast<A*>(self)->on(*static_cast<const Ms*>(m), ctx);
                          }}),
     ...);
    return *this;
  }
  /// Messages that no actor handles: replies, and letters to mailboxes.
  template <class... Ms>
  registry& also() {
    (message<Ms>(), ...);
    return *this;
  }
  registry& log(const char* text) {
    formats_.push_back({perdure::detail::fnv1a(text), text});
    return *this;
  }
  /// The program; the registry must outlive it.
  const perdure::program& done() {
    program_ = perdure::program{
        "contract", perdure::abi::layout_hash(), actors_, messages_, handlers_, formats_, {}, {},
        {}};
    return program_;
  }

 private:
  const char* keep(std::string name) { return names_.emplace_back(std::move(name)).c_str(); }
  template <class M>
  std::uint16_t message() {
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      if (messages_[i].key == perdure::detail::type_key<M>()) return static_cast<std::uint16_t>(i);
    }
    messages_.push_back(
        {keep(name_of_type<M>()), perdure::detail::type_key<M>(), sizeof(M), alignof(M), {}});
    return static_cast<std::uint16_t>(messages_.size() - 1);
  }

  std::deque<std::string> names_;
  std::vector<perdure::actor_info> actors_;
  std::vector<perdure::message_info> messages_;
  std::vector<perdure::handler_info> handlers_;
  std::vector<perdure::format_info> formats_;
  perdure::program program_{};
};

/// A registry that is never destroyed, not even at exit: for programs whose handlers a thread may still be in by then.
/// All of them stay reachable from here, so that a leak checker finds them.
inline registry& kept_registry() {
  static auto& all = *new std::deque<registry>;
  return all.emplace_back();
}

}  // namespace contract
