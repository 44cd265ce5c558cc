// short_faces.actors.cu - made by perdure-gen from short_faces.hpp; do not edit.
#define PERDURE_WIDE 1
#define PERDURE_LINK_SHARE 3
#include "kernels/unit.cuh"
#line 9 "short_faces.hpp"
namespace plain_land {

struct edge {
  std::array<float, 128> height;
};
struct level {
  std::array<float, 512> height;
};

struct block : perdure::block_actor<block> {
  static constexpr int lanes = 256;
  enum class port { west, east, down, up };
  float sum = 0;

  void on(const perdure::joined<edge, level>& in, perdure::block_context& ctx) const {
    const edge& west = in.get<edge>(port::west);
    const level& down = in.get<level>(port::down);
    ctx.once(*this, [&](block& me) { me.sum += west.height[0] + down.height[0]; });
  }
};

}
#line 29 "short_faces.actors.cu"
#if defined(__CUDACC_RTC__)
#pragma nv_diag_suppress 1427
#elif defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
#endif
static_assert(sizeof(::plain_land::block) == 4 && alignof(::plain_land::block) == 4 && __builtin_offsetof(::plain_land::block, sum) == 0, "perdure: host and device disagree on plain_land::block");
static_assert(sizeof(::plain_land::edge) == 512 && alignof(::plain_land::edge) == 4 && __builtin_offsetof(::plain_land::edge, height) == 0, "perdure: host and device disagree on plain_land::edge");
static_assert(sizeof(::plain_land::level) == 2048 && alignof(::plain_land::level) == 4 && __builtin_offsetof(::plain_land::level, height) == 0, "perdure: host and device disagree on plain_land::level");
#if defined(__CUDACC_RTC__)
#pragma nv_diag_default 1427
#elif defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
namespace perdure::gen {
constexpr unsigned actor_id(tag, const ::plain_land::block*) { return 1; }
constexpr unsigned message_id(tag, const ::plain_land::edge*) { return 0; }
constexpr unsigned message_id(tag, const ::plain_land::level*) { return 1; }
constexpr unsigned private_place_of(tag, unsigned actor, unsigned offset) {
  switch (static_cast<unsigned long>(actor) << 32U | offset) {
    default: return 0;
  }
}
struct table {
  static constexpr unsigned actors = 1, messages = 2, handlers = 1;
  static constexpr unsigned largest_message = 2048;
  static constexpr actor_row actor_rows[] = {{0, 0}, {sizeof(::plain_land::block), alignof(::plain_land::block)}};
  static constexpr handler_row handler_rows[] = {{1, 0, sizeof(::plain_land::edge)}};
  template <class Source>
  PERDURE_INLINED static void invoke(unsigned handler, void* self, Source& source,
                                     ::perdure::context& ctx) {
    switch (handler) {
      default: break;
    }
  }
  static constexpr unsigned lanes = 256, private_bytes = 0;  // of wide actors
  static constexpr bool wide_alike = true;  // all have so many lanes, and bytes a lane
  static constexpr bool is_joined([[maybe_unused]] unsigned handler) {
    return false || handler == 0;
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
      case 0: enter(lane, 1); static_cast<const ::plain_land::block*>(self)->on(::perdure::joined<::plain_land::edge, ::plain_land::level>{landed}, ctx); break;
      default: break;
    }
  }
};
}  // namespace perdure::gen
#include "kernels/entry.cuh"
