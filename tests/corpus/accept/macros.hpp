// tests/corpus/accept/macros.hpp - object-like and function-like macros, pasting, stringised names, conditional compilation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

#define LIMIT 500
#define SQUARE(x) ((x) * (x))
#define FIELD(type, name) type name = 0
#define JOIN(a, b) a##b
#define HANDLE(message) void on(const message& m, perdure::context& ctx)
#define MAX_OF(a, b) ((a) > (b) ? (a) : (b))
#define LENGTH(text) (sizeof(#text) - 1)
#define SUM(...) sum_of(__VA_ARGS__)

#if defined(SOME_OTHER_PLATFORM)
#error "not this branch"
#elif LIMIT > 100
constexpr std::int64_t sum_of(std::int64_t a, std::int64_t b, std::int64_t c) { return a + b + c; }
#endif

struct JOIN(measure, ment) {
  std::int16_t value;
};

struct gauge : perdure::actor<gauge> {
  FIELD(std::int64_t, total);
  FIELD(std::uint32_t, over);
  FIELD(std::uint64_t, lines);
  HANDLE(measurement) {
    total += SUM(SQUARE(std::int64_t{m.value}), MAX_OF(m.value, 3), LENGTH(four));
    if (MAX_OF(m.value, -m.value) > LIMIT) ++over;
    lines += __LINE__ > 10 ? 1U : 0U;
    ctx.reply(measurement{m.value});
  }
};

#undef LIMIT
#undef SQUARE
#undef FIELD
#undef JOIN
#undef HANDLE
#undef MAX_OF
#undef LENGTH
#undef SUM
