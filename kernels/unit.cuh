// kernels/unit.cuh - stands at the top of every generated unit: the library that the slices are compiled against.
// Why: NVRTC gets this from memory with our small standard library; a host compiler gets the real one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__CUDACC_RTC__)
#define PERDURE_DEVICE_LANE 1
#include <perdure_std>  // all of kernels/mini_std

#include "kernels/dispatch/device_sources.cuh"
#if PERDURE_WIDE
#include "kernels/wide/device_block_lane.cuh"
#endif
#else
#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <new>
#include <numbers>
#include <numeric>
#include <optional>
#include <ratio>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "kernels/gen.cuh"
#endif

#include "perdure/actor.hpp"
