// tests/corpus/accept/specialisations.hpp - explicit and partial specialisations are chosen as the native compiler chooses them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

template <class T>
struct codec {
  static constexpr std::uint32_t tag = 1;
  static std::uint64_t encode(T v) { return static_cast<std::uint64_t>(v) * 10U + tag; }
};
template <>
struct codec<bool> {
  static constexpr std::uint32_t tag = 2;
  static std::uint64_t encode(bool v) { return v ? 77U : 33U; }
};
template <class T>
struct codec<T*> {  // partial, present but not used by a handler
  static std::uint64_t encode(T* v) { return v == nullptr ? 0U : codec<T>::encode(*v); }
};
template <class A, class B>
struct joined_pair {
  A a;
  B b;
};
template <class A, class B>
struct codec<joined_pair<A, B>> {  // partial
  static constexpr std::uint32_t tag = 4;
  static std::uint64_t encode(const joined_pair<A, B>& v) {
    return codec<A>::encode(v.a) ^ (codec<B>::encode(v.b) << 7U);
  }
};

template <class T>
std::uint32_t kind_of() { return 0; }
template <>
inline std::uint32_t kind_of<double>() { return 8; }
template <>
inline std::uint32_t kind_of<std::uint16_t>() { return 2; }

template <class T>
constexpr int rank_of = 1;
template <>
constexpr int rank_of<float> = 5;
template <class T>
constexpr int rank_of<T[]> = 9;

struct packet {
  joined_pair<std::uint16_t, bool> head;
  std::uint32_t body;
};

struct encoder : perdure::actor<encoder> {
  std::uint64_t digest = 0;
  std::uint32_t kinds = 0;
  void on(const packet& m, perdure::context&) {
    digest = digest * 31U + codec<joined_pair<std::uint16_t, bool>>::encode(m.head);
    digest += codec<std::uint32_t>::encode(m.body);
    kinds += kind_of<double>() + kind_of<std::uint16_t>() + kind_of<char>();
    kinds += static_cast<std::uint32_t>(rank_of<float> + rank_of<int> + rank_of<int[]>);
  }
};
