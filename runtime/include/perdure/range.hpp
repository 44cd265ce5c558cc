// runtime/include/perdure/range.hpp - references to actors with consecutive indices.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <string>

#include "perdure/ref.hpp"

namespace perdure {

/// What spawn gives: `size()` references whose indices follow one another, all of one generation.
template <class A>
class range {
 public:
  range() = default;
  range(std::uint64_t first_bits, std::size_t size) : first_{first_bits}, size_{size} {}

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// @param i  below size(); not checked.
  ref<A> operator[](std::size_t i) const { return ref<A>{first_ + i}; }
  /// @throws std::out_of_range  if i is not below size(): what lies behind it may be another's actor.
  ref<A> at(std::size_t i) const {
    if (i < size_) return (*this)[i];
    throw std::out_of_range{"perdure::range::at: " + std::to_string(i) + " of " +
                            std::to_string(size_) + " actors"};
  }

  class iterator {
   public:
    using value_type = ref<A>;
    using difference_type = std::ptrdiff_t;
    explicit iterator(std::uint64_t bits = 0) : bits_{bits} {}
    ref<A> operator*() const { return ref<A>{bits_}; }
    iterator& operator++() {
      ++bits_;
      return *this;
    }
    iterator operator++(int) {
      auto old = *this;
      ++bits_;
      return old;
    }
    friend bool operator==(iterator a, iterator b) { return a.bits_ == b.bits_; }

   private:
    std::uint64_t bits_;
  };
  iterator begin() const { return iterator{first_}; }
  iterator end() const { return iterator{first_ + size_}; }

 private:
  std::uint64_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace perdure
