// long_faces.actors.cu - made by perdure-gen from long_faces.hpp; do not edit.
#define PERDURE_WIDE 1
#define PERDURE_LINK_SHARE 11
#include "kernels/unit.cuh"
#line 9 "long_faces.hpp"
namespace relief {

struct face {
  std::array<float, 1024> height;
};

struct block : perdure::block_actor<block> {
  static constexpr int lanes = 256;
  enum class port { west, east, south, north, down, up };
  float sum = 0;

  void on(const perdure::joined<face>& in, perdure::block_context& ctx) const {
    const face& west = in.get<face>(port::west);
    ctx.once(*this, [&](block& me) { me.sum += west.height[0]; });
  }
};

}
#line 25 "long_faces.actors.cu"
#if defined(__CUDACC_RTC__)
#pragma nv_diag_suppress 1427
#elif defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
#endif
static_assert(sizeof(::relief::block) == 4 && alignof(::relief::block) == 4 && __builtin_offsetof(::relief::block, sum) == 0, "perdure: host and device disagree on relief::block");
static_assert(sizeof(::relief::face) == 4096 && alignof(::relief::face) == 4 && __builtin_offsetof(::relief::face, height) == 0, "perdure: host and device disagree on relief::face");
#if defined(__CUDACC_RTC__)
#pragma nv_diag_default 1427
#elif defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
namespace perdure::gen {
constexpr unsigned actor_id(tag, const ::relief::block*) { return 1; }
constexpr unsigned message_id(tag, const ::relief::face*) { return 0; }
constexpr unsigned private_place_of(tag, unsigned actor, unsigned offset) {
  switch (static_cast<unsigned long>(actor) << 32U | offset) {
    default: return 0;
  }
}
struct table {
  static constexpr unsigned actors = 1, messages = 1, handlers = 1;
  static constexpr unsigned largest_message = 4096;
  static constexpr actor_row actor_rows[] = {{0, 0}, {sizeof(::relief::block), alignof(::relief::block)}};
  static constexpr handler_row handler_rows[] = {{1, 0, sizeof(::relief::face)}};
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
      case 0: enter(lane, 1); static_cast<const ::relief::block*>(self)->on(::perdure::joined<::relief::face>{landed}, ctx); break;
      default: break;
    }
  }
};
}  // namespace perdure::gen
#include "kernels/entry.cuh"
