// tests/kernels/mini_std/cases/numbers.cuh - bits, exact mathematics, durations and time points.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <numbers>

#include "sink.cuh"

namespace numbers {
template <class T>
void bits(sink& out) {
  dice d{sizeof(T)};
  for (int i = 0; i < 40; ++i) {
    T x = i == 0   ? T(0)
          : i == 1 ? T(~T(0))
          : i == 2 ? T(1)
                   : static_cast<T>((static_cast<std::uint64_t>(d.next()) << 31 | d.next()) >>
                                    d.below(60));
    PUT(std::popcount(x) + std::countl_zero(x) * 100 + std::countr_zero(x) * 10000);
    PUT(std::countl_one(x) + std::countr_one(x) * 100 + std::has_single_bit(x) * 10000);
    PUT(std::rotl(x, i - 7));
    PUT(std::rotr(x, i * 3 - 50));
    PUT(static_cast<std::uint64_t>(std::bit_width(x)));
    PUT(std::bit_floor(x));
    if (x <= T(T(1) << (sizeof(T) * 8 - 1))) PUT(std::bit_ceil(x));
  }
  static_assert(std::popcount(T(7)) == 3 && std::countl_zero(T(1)) == int(sizeof(T)) * 8 - 1 &&
                std::countr_zero(T(8)) == 3);
}

template <class T>
void exact(sink& out) {
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const T samples[] = {T(0),
                       T(-0.0),
                       T(1),
                       T(-1),
                       T(0.5),
                       T(-2.5),
                       T(3.5),
                       T(1e-3),
                       T(123.456),
                       T(-987654.25),
                       T(3.9e9),
                       std::numeric_limits<T>::min(),
                       std::numeric_limits<T>::denorm_min(),
                       std::numeric_limits<T>::max(),
                       inf,
                       -inf,
                       nan};
  for (const T x : samples) {
    PUT(std::sqrt(x));
    PUT(std::abs(x));
    PUT(std::fabs(x));
    PUT(std::floor(x));
    PUT(std::ceil(x));
    PUT(std::trunc(x));
    PUT(std::round(x));
    PUT(std::rint(x));
    PUT(std::nearbyint(x));
    PUT(std::isnan(x) + std::isinf(x) * 2 + std::isfinite(x) * 4 + std::signbit(x) * 8 +
        std::isnormal(x) * 16);
    if (std::abs(x) < T(1e9))
      PUT(std::lround(x) * 3 + std::llround(x) * 5 + std::lrint(x) * 7 + std::llrint(x));
    if (std::isfinite(x)) {
      int e = 0;
      PUT(std::frexp(x, &e));
      PUT(e);
      T whole = 0;
      PUT(std::modf(x, &whole));
      PUT(whole);
      PUT(std::ldexp(x, 3) + std::scalbn(x, -2));
      if (x != T(0)) PUT(std::ilogb(x));
      if (x != T(0)) PUT(std::logb(x));
    }
    for (const T y : samples) {
      PUT(std::copysign(x, y));
      PUT(std::fdim(x, y));
      if (!(x == T(0) && y == T(0))) {
        PUT(std::fmin(x, y));
        PUT(std::fmax(x, y));
      }
      PUT(std::fmod(x, y));
      PUT(std::remainder(x, y));
      PUT(std::nextafter(x, y));
      PUT(std::fma(x, y, T(1.25)));
      PUT(std::lerp(x, y, T(0.25)));
    }
  }
  PUT(std::hypot(T(2), T(3), T(6)));
  static_assert(std::is_same_v<decltype(std::sqrt(T(2))), T> &&
                std::is_same_v<decltype(std::sqrt(2)), double>);
  static_assert(std::is_same_v<decltype(std::pow(T(2), T(2))), T> &&
                std::is_same_v<decltype(std::fmax(1, 2.0F)), double>);
}

inline void durations(sink& out) {
  using namespace std::chrono_literals;
  using namespace std::chrono;
  PUT((5ms).count() + (3us).count() * 10 + (2s).count() * 100 + (1h).count() * 1000 +
      (7min).count() * 10000 + (9ns).count());
  PUT(nanoseconds(1h + 30min + 2s).count());
  PUT(duration_cast<milliseconds>(1234567us).count());
  PUT(duration_cast<seconds>(-1500ms).count());
  PUT(duration_cast<hours>(100min).count());
  PUT(duration_cast<duration<int, std::ratio<7, 3>>>(1000s).count());
  PUT(duration<double>(1500ms).count());
  PUT(duration_cast<milliseconds>(duration<float>(2.75F)).count());
  PUT(floor<seconds>(-1500ms).count() + ceil<seconds>(-1500ms).count() * 100 +
      round<seconds>(2500ms).count() * 10000);
  PUT(round<seconds>(3500ms).count() + abs(-3s).count() * 10);
  PUT((1s == 1000ms) + (1s < 999ms) * 2 + (1min > 59s) * 4 + ((1s <=> 2s) < 0) * 8);
  PUT((7s / 2).count() + (7s / 2s) * 10 + (7s % 2s).count() * 100 + (7s % 4).count() * 1000 +
      (3 * 7s).count() * 10000);
  PUT((10ms * 2.5).count());
  auto t = 5s;
  t += 2min;
  t -= 1s;
  t *= 3;
  t /= 2;
  t %= 100s;
  PUT(t.count() + (t++).count() + (++t).count() + (-t).count() * 3);
  PUT(nanoseconds::max().count() ^ nanoseconds::min().count() ^ seconds::zero().count());
  PUT(days(2) / hours(1));
  time_point<steady_clock> a(5s), b = a + 250ms;
  PUT((b - a).count());
  PUT((a < b) + (a == b) * 2 + ((b <=> a) > 0) * 4);
  PUT(time_point_cast<seconds>(b).time_since_epoch().count());
  b -= 1s;
  PUT(b.time_since_epoch().count());
  constexpr auto constant = 2min + 3s;
  static_assert(constant.count() == 123);
}

template <class T>
void constants(sink& out) {
  using namespace std::numbers;
  for (const T x :
       {e_v<T>, log2e_v<T>, log10e_v<T>, pi_v<T>, inv_pi_v<T>, inv_sqrtpi_v<T>, ln2_v<T>, ln10_v<T>,
        sqrt2_v<T>, sqrt3_v<T>, inv_sqrt3_v<T>, egamma_v<T>, phi_v<T>}) {
    PUT(x);
  }
  PUT(pi + e + phi);
}

inline void run(sink& out) {
  bits<std::uint8_t>(out);
  bits<std::uint16_t>(out);
  bits<std::uint32_t>(out);
  bits<std::uint64_t>(out);
  bits<unsigned long long>(out);
  PUT(std::bit_cast<std::uint32_t>(1.5F));
  PUT(std::bit_cast<double>(0x4009'21fb'5444'2d18ULL));
  PUT(std::endian::native == std::endian::little);
  exact<float>(out);
  exact<double>(out);
  PUT(std::abs(-5) + std::abs(-6L) + std::abs(-7LL) + std::labs(-8) + std::llabs(-9));
  PUT(std::div(-17, 5).quot * 100 + std::div(-17, 5).rem + std::ldiv_t{1, 2}.rem);
  PUT(std::sqrt(16) + std::floor(3) + std::fma(2, 3, 4));
  PUT(std::isnan(3) + std::isfinite(3) * 2 + std::signbit(-3) * 4);
  constants<float>(out);
  constants<double>(out);
  durations(out);
}

/// Not bit-equal between host and device: only host against host.
inline void inexact(sink& out) {
  for (const double x : {0.1, 0.7, 1.0, 2.5, 30.0}) {
    const auto f = static_cast<float>(x);
    PUT(std::sin(x) + std::cos(x) + std::tan(x) + std::atan(x) + std::sinh(x) + std::tanh(x) +
        std::asinh(x));
    PUT(std::exp(x) + std::exp2(x) + std::expm1(x) + std::log(x) + std::log2(x) + std::log10(x) +
        std::log1p(x));
    PUT(std::cbrt(x) + std::erf(x) + std::erfc(x) + std::tgamma(x) + std::lgamma(x) + std::cosh(x) +
        std::acosh(1 + x));
    PUT(std::pow(x, 1.7) + std::atan2(x, 2.0) + std::hypot(x, 3.0) + std::asin(x / 40) +
        std::acos(x / 40) + std::atanh(x / 40));
    PUT(std::sin(f) + std::exp(f) + std::log(f) + std::pow(f, 2.5F) + std::hypot(f, 2.0F) +
        std::atan2(f, 3.0F));
    PUT(std::pow(f, 2) + std::pow(2, x) + std::exp(3));
  }
}
}  // namespace numbers
