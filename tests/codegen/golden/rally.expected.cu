// rally.actors.cu - made by perdure-gen from rally.hpp; do not edit.
#include "kernels/unit.cuh"
#line 8 "rally.hpp"
struct pong;
struct ball {
  std::uint32_t bounces;
};

struct ping : perdure::actor<ping> {
  perdure::ref<pong> other;
  std::uint32_t seen = 0;
  void on(const ball& m, perdure::context& ctx);
};

struct pong : perdure::actor<pong> {
  perdure::ref<ping> other;
  void on(const ball& m, perdure::context& ctx) { ctx.send(other, ball{m.bounces + 1}); }
};

inline void ping::on(const ball& m, perdure::context& ctx) {
  ++seen;
  if (m.bounces < 10) ctx.send(other, m);
}
#line 25 "rally.actors.cu"
#if defined(__CUDACC_RTC__)
#pragma nv_diag_suppress 1427
#elif defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
#endif
static_assert(sizeof(::ping) == 16 && alignof(::ping) == 8 && __builtin_offsetof(::ping, other) == 0 && __builtin_offsetof(::ping, seen) == 8, "perdure: host and device disagree on ping");
static_assert(sizeof(::pong) == 8 && alignof(::pong) == 8 && __builtin_offsetof(::pong, other) == 0, "perdure: host and device disagree on pong");
static_assert(sizeof(::ball) == 4 && alignof(::ball) == 4 && __builtin_offsetof(::ball, bounces) == 0, "perdure: host and device disagree on ball");
#if defined(__CUDACC_RTC__)
#pragma nv_diag_default 1427
#elif defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
namespace perdure::gen {
constexpr unsigned actor_id(tag, const ::ping*) { return 1; }
constexpr unsigned actor_id(tag, const ::pong*) { return 2; }
constexpr unsigned message_id(tag, const ::ball*) { return 0; }
constexpr unsigned handler_id(tag, const ::ping*, const ::ball*) { return 0; }
constexpr unsigned handler_id(tag, const ::pong*, const ::ball*) { return 1; }
constexpr unsigned private_place_of(tag, unsigned actor, unsigned offset) {
  switch (static_cast<unsigned long>(actor) << 32U | offset) {
    default: return 0;
  }
}
struct table {
  static constexpr unsigned actors = 2, messages = 1, handlers = 2;
  static constexpr unsigned largest_message = 4;
  static constexpr actor_row actor_rows[] = {{0, 0}, {sizeof(::ping), alignof(::ping)}, {sizeof(::pong), alignof(::pong)}};
  static constexpr handler_row handler_rows[] = {{1, 0, sizeof(::ball)}, {2, 0, sizeof(::ball)}};
  template <class Source>
  PERDURE_INLINED static void invoke(unsigned handler, void* self, Source& source,
                                     ::perdure::context& ctx) {
    switch (handler) {
      case 0: static_cast<::ping*>(self)->on(source.template get<::ball>(), ctx); break;
      case 1: static_cast<::pong*>(self)->on(source.template get<::ball>(), ctx); break;
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
