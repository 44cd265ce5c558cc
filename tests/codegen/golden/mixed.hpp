// tests/codegen/golden/mixed.hpp - what the host alone uses is dropped; what handlers use stays token for token.
#pragma once

#include <chrono>
#include <cstdint>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include <perdure/actor.hpp>

#define FIELDS(X) X(first) X(second)

namespace shop {

class printer;
enum class state : std::uint8_t { open, shut };

namespace {
constexpr std::int64_t steps[] = {1, 2, 5};
}

template <class T>
T clamped(T x) {
  return x < T{0} ? T{0} : x;
}
template <class T>
T unused(T x) {
  return x + x;
}
inline std::map<int, std::string> names;
inline int host_total(const std::vector<int>& all) { return static_cast<int>(all.size()); }

struct order {
#define MEMBER(name) std::int32_t name;
  FIELDS(MEMBER)
#undef MEMBER
  std::string text() const { return std::to_string(first); }
  std::int64_t sum() const { return clamped(std::int64_t{first} + second); }
};

static_assert(sizeof(order) == 8);
static_assert(sizeof(std::string) > 8);

class [[nodiscard]] till : public perdure::actor<till> {
 public:
  till() = default;
  explicit till(const std::string& name) : total{static_cast<std::int64_t>(name.size())} {}
  void on(const order& m, perdure::context& ctx) {
    total += m.sum() * steps[count++ % 3];
    now = state::open;
    if (m.first < 0) ctx.after(std::chrono::seconds{1}, ctx.self(*this), order{0, m.second});
  }
  friend std::ostream& operator<<(std::ostream& out, const till& t) { return out << t.total; }
  friend class printer;

 private:
  std::int64_t total = 0, count = 0;
  state now = state::shut;
};

}  // namespace shop
