// tests/corpus/accept/out_of_line_members.hpp - member templates and handlers defined outside of their classes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

template <class T>
class accumulator {
 public:
  template <class U>
  accumulator& add(U value);
  T total() const;

 private:
  T total_ = 0;
  std::uint32_t count_ = 0;
};

struct credit {
  std::uint32_t units;
};
struct debit {
  std::int32_t units;
};

struct ledger : perdure::actor<ledger> {
  accumulator<std::int64_t> sum;
  std::int64_t last = 0;
  void on(const credit& m, perdure::context& ctx);
  void on(const debit& m, perdure::context& ctx);

 private:
  template <class M>
  void note(const M& m);
};

template <class T>
template <class U>
accumulator<T>& accumulator<T>::add(U value) {
  total_ += static_cast<T>(value);
  ++count_;
  return *this;
}

template <class T>
T accumulator<T>::total() const {
  return total_ + static_cast<T>(count_);
}

template <class M>
void ledger::note(const M& m) {
  last = static_cast<std::int64_t>(m.units) * 2;
}

inline void ledger::on(const credit& m, perdure::context&) {
  sum.add(m.units).add(std::uint8_t{1});
  note(m);
}

inline void ledger::on(const debit& m, perdure::context&) {
  sum.add(-std::int64_t{m.units});
  note(m);
  last += sum.total();
}
