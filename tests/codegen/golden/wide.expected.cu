// wide.actors.cu - made by perdure-gen from wide.hpp; do not edit.
#define PERDURE_WIDE 1
#include "kernels/unit.cuh"
#line 9 "wide.hpp"
struct set {
  std::uint32_t value;
};
struct face {
  std::array<std::uint32_t, 8> value;
};
struct permit {};
struct sum_of {
  std::uint64_t sum;
};

struct reader : perdure::actor<reader> {
  std::uint64_t last = 0;
  void on(const sum_of& m, perdure::context&) { last = m.sum; }
};



struct strip : perdure::block_actor<strip> {
  static constexpr int lanes = 64;
  enum class port { west, east, ready };
  std::uint32_t cell[100] = {};
  perdure::per_lane<std::array<std::uint16_t, 3>> before;
  perdure::per_lane<double> weight;
  perdure::ref<reader> out;

  void on(const set& m, perdure::block_context& ctx) const {
    ctx.for_each<100>(*this, [&](strip& me, int i, int k) { me.keep(i, k, m.value, ctx); });
    pass(ctx);
  }

  void on(const perdure::joined<face, permit>& in, perdure::block_context& ctx) const {
    ctx.for_each<8>(*this, [&](strip& me, int i, int) {
      me.cell[i] += in.get<face>(port::west).value[static_cast<std::size_t>(i)];
    });
    const auto sum = ctx.reduce<100>(
        *this, std::uint64_t{0}, [](const strip& me, int i) { return std::uint64_t{me.cell[i]}; },
        [](std::uint64_t a, std::uint64_t b) { return a + b; });
    ctx.send(out, sum_of{sum});
  }

 private:
  void keep(int i, int k, std::uint32_t by, perdure::block_context& ctx) {
    before(ctx)[static_cast<std::size_t>(k)] = static_cast<std::uint16_t>(cell[i]);
    weight(ctx) += 0.5;
    cell[i] += by;
  }
  void pass(perdure::block_context& ctx) const {
    const auto east = ctx.open<face>(port::east);
    ctx.for_each<8>(*this, [&](strip& me, int i, int) {
      east->value[static_cast<std::size_t>(i)] = me.cell[i];
    });
    ctx.commit(east);
    ctx.commit(ctx.open<permit>(port::ready));
  }
};
#line 62 "wide.actors.cu"
#if defined(__CUDACC_RTC__)
#pragma nv_diag_suppress 1427
#elif defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
#endif
static_assert(sizeof(::reader) == 8 && alignof(::reader) == 8 && __builtin_offsetof(::reader, last) == 0, "perdure: host and device disagree on reader");
static_assert(sizeof(::strip) == 416 && alignof(::strip) == 8 && __builtin_offsetof(::strip, cell) == 0 && __builtin_offsetof(::strip, before) == 400 && __builtin_offsetof(::strip, weight) == 401 && __builtin_offsetof(::strip, out) == 408, "perdure: host and device disagree on strip");
static_assert(sizeof(::sum_of) == 8 && alignof(::sum_of) == 8 && __builtin_offsetof(::sum_of, sum) == 0, "perdure: host and device disagree on sum_of");
static_assert(sizeof(::set) == 4 && alignof(::set) == 4 && __builtin_offsetof(::set, value) == 0, "perdure: host and device disagree on set");
static_assert(sizeof(::face) == 32 && alignof(::face) == 4 && __builtin_offsetof(::face, value) == 0, "perdure: host and device disagree on face");
static_assert(sizeof(::permit) == 1 && alignof(::permit) == 1, "perdure: host and device disagree on permit");
#if defined(__CUDACC_RTC__)
#pragma nv_diag_default 1427
#elif defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
namespace perdure::gen {
constexpr unsigned actor_id(tag, const ::reader*) { return 1; }
constexpr unsigned actor_id(tag, const ::strip*) { return 2; }
constexpr unsigned message_id(tag, const ::sum_of*) { return 0; }
constexpr unsigned message_id(tag, const ::set*) { return 1; }
constexpr unsigned message_id(tag, const ::face*) { return 2; }
constexpr unsigned message_id(tag, const ::permit*) { return 3; }
constexpr unsigned handler_id(tag, const ::reader*, const ::sum_of*) { return 0; }
constexpr unsigned handler_id(tag, const ::strip*, const ::set*) { return 1; }
constexpr unsigned private_place_of(tag, unsigned actor, unsigned offset) {
  switch (static_cast<unsigned long>(actor) << 32U | offset) {
    case 8589934992UL: return 0;  // strip.before
    case 8589934993UL: return 8;  // strip.weight
    default: return 0;
  }
}
struct table {
  static constexpr unsigned actors = 2, messages = 4, handlers = 3;
  static constexpr unsigned largest_message = 32;
  static constexpr actor_row actor_rows[] = {{0, 0}, {sizeof(::reader), alignof(::reader)}, {sizeof(::strip), alignof(::strip)}};
  static constexpr handler_row handler_rows[] = {{1, 0, sizeof(::sum_of)}, {2, 1, sizeof(::set)}, {2, 2, sizeof(::face)}};
  template <class Source>
  PERDURE_INLINED static void invoke(unsigned handler, void* self, Source& source,
                                     ::perdure::context& ctx) {
    switch (handler) {
      case 0: static_cast<::reader*>(self)->on(source.template get<::sum_of>(), ctx); break;
      default: break;
    }
  }
  static constexpr unsigned lanes = 64, private_bytes = 16;  // of wide actors
  static constexpr bool wide_alike = true;  // all have so many lanes, and bytes a lane
  static constexpr bool is_joined([[maybe_unused]] unsigned handler) {
    return false || handler == 2;
  }
  template <class Lane>
  static void invoke_wide(unsigned handler, [[maybe_unused]] const void* self,
      [[maybe_unused]] const void* message, Lane& lane) {
    [[maybe_unused]] ::perdure::block_context ctx{lane};
    switch (handler) {
      case 1: enter(lane, 2); static_cast<const ::strip*>(self)->on(*static_cast<const ::set*>(message), ctx); break;
      default: break;
    }
  }
  template <class Lane>
  static void invoke_joined(unsigned handler, [[maybe_unused]] const void* self,
      [[maybe_unused]] const ::perdure::abi::landed_messages& landed, Lane& lane) {
    [[maybe_unused]] ::perdure::block_context ctx{lane};
    switch (handler) {
      case 2: enter(lane, 2); static_cast<const ::strip*>(self)->on(::perdure::joined<::face, ::permit>{landed}, ctx); break;
      default: break;
    }
  }
};
}  // namespace perdure::gen
#include "kernels/entry.cuh"
