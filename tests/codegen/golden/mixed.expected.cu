// mixed.actors.cu - made by perdure-gen from mixed.hpp; do not edit.
#define PERDURE_TIMERS 1
#include "kernels/unit.cuh"
#line 15 "mixed.hpp"
namespace shop {


enum class state : std::uint8_t { open, shut };

namespace {
constexpr std::int64_t steps[] = {1, 2, 5};
}

template <class T>
T clamped(T x) {
  return x < T{0} ? T{0} : x;
}
#line 35 "mixed.hpp"
struct order {

std :: int32_t first ; std :: int32_t second ;


  std::int64_t sum() const { return clamped(std::int64_t{first} + second); }
};

static_assert(sizeof(order) == 8);
static_assert(sizeof(std::string) > 8);

class [[nodiscard]] till : public perdure::actor<till> {
 public:
  till() = default;

  void on(const order& m, perdure::context& ctx) {
    total += m.sum() * steps[count++ % 3];
    now = state::open;
    if (m.first < 0) ctx.after(std::chrono::seconds{1}, ctx.self(*this), order{0, m.second});
  }



 private:
  std::int64_t total = 0, count = 0;
  state now = state::shut;
};

}
#line 49 "mixed.actors.cu"
#if defined(__CUDACC_RTC__)
#pragma nv_diag_suppress 1427
#elif defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
#endif
static_assert(sizeof(::shop::till) == 24 && alignof(::shop::till) == 8, "perdure: host and device disagree on shop::till");
static_assert(sizeof(::shop::order) == 8 && alignof(::shop::order) == 4 && __builtin_offsetof(::shop::order, first) == 0 && __builtin_offsetof(::shop::order, second) == 4, "perdure: host and device disagree on shop::order");
#if defined(__CUDACC_RTC__)
#pragma nv_diag_default 1427
#elif defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
namespace perdure::gen {
constexpr unsigned actor_id(tag, const ::shop::till*) { return 1; }
constexpr unsigned message_id(tag, const ::shop::order*) { return 0; }
constexpr unsigned handler_id(tag, const ::shop::till*, const ::shop::order*) { return 0; }
constexpr unsigned private_place_of(tag, unsigned actor, unsigned offset) {
  switch (static_cast<unsigned long>(actor) << 32U | offset) {
    default: return 0;
  }
}
struct table {
  static constexpr unsigned actors = 1, messages = 1, handlers = 1;
  static constexpr unsigned largest_message = 8;
  static constexpr actor_row actor_rows[] = {{0, 0}, {sizeof(::shop::till), alignof(::shop::till)}};
  static constexpr handler_row handler_rows[] = {{1, 0, sizeof(::shop::order)}};
  template <class Source>
  PERDURE_INLINED static void invoke(unsigned handler, void* self, Source& source,
                                     ::perdure::context& ctx) {
    switch (handler) {
      case 0: static_cast<::shop::till*>(self)->on(source.template get<::shop::order>(), ctx); break;
      default: break;
    }
  }
  static constexpr unsigned lanes = 0, private_bytes = 0;  // of wide actors
  static constexpr bool wide_alike = true;  // all have so many lanes, and bytes a lane
  static constexpr bool is_joined([[maybe_unused]] unsigned handler) {
    return false;
  }
  template <class Lane>
  static void invoke_wide(unsigned handler, [[maybe_unused]] const void* self,
      [[maybe_unused]] const void* message, Lane& lane) {
    [[maybe_unused]] ::perdure::block_context ctx{lane};
    switch (handler) {
      default: break;
    }
  }
  template <class Lane>
  static void invoke_joined(unsigned handler, [[maybe_unused]] const void* self,
      [[maybe_unused]] const ::perdure::abi::landed_messages& landed, Lane& lane) {
    [[maybe_unused]] ::perdure::block_context ctx{lane};
    switch (handler) {
      default: break;
    }
  }
};
}  // namespace perdure::gen
#include "kernels/entry.cuh"
