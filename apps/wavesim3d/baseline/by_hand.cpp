// apps/wavesim3d/baseline/by_hand.cpp - see by_hand.hpp; the device's part.
// SPDX-License-Identifier: Apache-2.0
#include "by_hand.hpp"

#include <fmt/format.h>

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "kernel_text.hpp"
#include "runtime/driver/graph.hpp"
#include "runtime/driver/kernel.hpp"
#include "runtime/driver/memory.hpp"
#include "runtime/jit/compile.hpp"

namespace wavesim3d::baseline {

namespace cu = perdure::driver;
namespace jit = perdure::runtime::jit;

namespace {

constexpr step_shape two_steps_shape{64, 16, 1, 1, 64};
/// What was worth trying: whole cells or four at a time, with and without a column of them a thread.
constexpr step_shape tried[] = {{32, 4, 2, 1, 1},  {32, 8, 1, 1, 4},  {64, 4, 1, 1, 8},
                                {32, 8, 1, 1, 16}, {16, 16, 1, 4, 1}, {16, 8, 2, 4, 2},
                                {16, 16, 1, 4, 4}, {32, 8, 1, 4, 4},  {32, 4, 2, 4, 8}};

}  // namespace

struct device_kernels::parts {
  parts(const fields& start, bool contraction)
      : begin_with{start},
        contract{contraction},
        context{cu::context::retain(*cu::api::load().value(), 0).value()},
        stream{cu::stream::make(context).value()} {
    for (int i = 0; i < 2; ++i) more_buffer();
  }
  void more_buffer() {
    buffers.push_back(
        cu::device_buffer::make(context, begin_with.now.size() * sizeof(float)).value());
  }

  const cu::kernel& find(const char* name, const step_shape& s, const tile_shape& t) {
    const std::string sizes = fmt::format(
        "#define N {}\n#define TX {}\n#define TY {}\n#define TZ {}\n#define BX {}\n#define BY {}\n"
        "#define BZ {}\n#define VX {}\n#define CZ {}\n",
        begin_with.n, t.x, t.y, t.z, s.x, s.y, s.z, s.cells_x, s.cells_z);
    const auto known = kernels.find(name + sizes);
    if (known != kernels.end()) return known->second;
    jit::compile_options how;
    how.extra = {contract ? "-fmad=true" : "-fmad=false"};
    auto made =
        jit::compile(sizes + kernel_text, "kernels.cu", context.properties().architecture(), how)
            .value();
    codes.push_back(
        cu::code_library::load(context, std::as_bytes(std::span{made.bytes}), "kernels.cu")
            .value());
    return kernels.emplace(name + sizes, codes.back().find(name).value()).first->second;
  }

  /// Times what `work` puts into the stream.
  timed time(const cu::kernel& kernel, const std::function<void()>& work) {
    auto from = cu::event::make(context, true).value();
    auto to = cu::event::make(context, true).value();
    from.record(stream).value();
    work();
    to.record(stream).value();
    stream.synchronize().value();
    const auto has = kernel.attributes().value();
    return {static_cast<double>(to.milliseconds_since(from).value()) / 1e3, has.registers,
            has.local_bytes};
  }

  /// Launches `launch(i)` for i < count, through graphs of at most `nodes`, which must bring all back to where it was.
  timed replay(const cu::kernel& kernel, int count, int nodes,
               const std::function<perdure::result<void>(int)>& launch) {
    auto record = [&](int some) {
      return cu::graph::record(stream,
                               [&]() -> perdure::result<void> {
                                 for (int i = 0; i < some; ++i) {
                                   if (auto ok = launch(i); !ok) return ok;
                                 }
                                 return {};
                               })
          .value();
    };
    auto whole = record(std::min(nodes, count));
    auto rest = record(std::max(1, count % nodes));
    return time(kernel, [&] {
      for (int i = 0; i < count / nodes; ++i) whole.launch(stream).value();
      if (count % nodes != 0) rest.launch(stream).value();
    });
  }

  cu::launch_shape grid_of(const step_shape& s) const {
    const auto blocks = [&](int by) { return static_cast<unsigned>((begin_with.n + by - 1) / by); };
    return {.grid = {blocks(s.x * s.cells_x), blocks(s.y), blocks(s.z * s.cells_z)},
            .block = {static_cast<unsigned>(s.x), static_cast<unsigned>(s.y),
                      static_cast<unsigned>(s.z)}};
  }
  cu::abi::device_ptr at(std::size_t which) const { return buffers[which].address(); }

  fields begin_with;
  bool contract;
  cu::context context;
  cu::stream stream;
  std::vector<cu::code_library> codes;
  std::map<std::string, cu::kernel> kernels;
  std::vector<cu::device_buffer> buffers;
  std::size_t past = 0, now = 1;
};

device_kernels::device_kernels(const fields& start, bool contract)
    : parts_{std::make_unique<parts>(start, contract)} {
  reset();
}
device_kernels::~device_kernels() = default;

void device_kernels::reset() {
  parts& p = *parts_;
  p.past = 0;
  p.now = 1;
  cu::copy_to_device(p.at(0), p.begin_with.past.data(), p.buffers[0].bytes(), p.stream).value();
  cu::copy_to_device(p.at(1), p.begin_with.now.data(), p.buffers[1].bytes(), p.stream).value();
  p.stream.synchronize().value();
}

fields device_kernels::fetch() const {
  const parts& p = *parts_;
  fields out = p.begin_with;
  cu::copy_to_host(out.now.data(), p.at(p.now), p.buffers[p.now].bytes(), p.stream).value();
  cu::copy_to_host(out.past.data(), p.at(p.past), p.buffers[p.past].bytes(), p.stream).value();
  p.stream.synchronize().value();
  return out;
}

timed device_kernels::graph(int steps, const step_shape& shape) {
  parts& p = *parts_;
  const auto& kernel = p.find("wave_step", shape, {});
  const std::size_t field[2] = {p.past, p.now};
  const auto grid = p.grid_of(shape);
  const timed took = p.replay(kernel, steps, 1'000, [&](int i) {
    return kernel.launch(grid, p.stream, p.at(field[i % 2]), p.at(field[(i + 1) % 2]),
                         p.begin_with.courant2);
  });
  if (steps % 2 != 0) std::swap(p.past, p.now);
  return took;
}

timed device_kernels::launched(int steps, const step_shape& shape) {
  parts& p = *parts_;
  const auto& kernel = p.find("wave_step", shape, {});
  const std::size_t field[2] = {p.past, p.now};
  const auto grid = p.grid_of(shape);
  const timed took = p.time(kernel, [&] {
    for (int i = 0; i < steps; ++i) {
      kernel
          .launch(grid, p.stream, p.at(field[i % 2]), p.at(field[(i + 1) % 2]),
                  p.begin_with.courant2)
          .value();
    }
  });
  if (steps % 2 != 0) std::swap(p.past, p.now);
  return took;
}

timed device_kernels::two_steps(int steps) {
  parts& p = *parts_;
  const step_shape& s = two_steps_shape;
  const auto& kernel = p.find("two_steps", s, {});
  while (p.buffers.size() < 4) p.more_buffer();
  std::size_t pair[2][2] = {{p.past, p.now}, {}};
  std::size_t free = 0;
  for (std::size_t b = 0; b < 4; ++b) {
    if (b != p.past && b != p.now) pair[1][free++] = b;
  }
  // columns at the rims of blocks are those of two
  const auto blocks = [&](int by) { return static_cast<unsigned>((p.begin_with.n + by - 1) / by); };
  const cu::launch_shape grid{.grid = {blocks(s.x - 2), blocks(s.y - 2), blocks(s.cells_z)},
                              .block = {static_cast<unsigned>(s.x), static_cast<unsigned>(s.y), 1}};
  const timed took = p.replay(kernel, steps / 2, 1'000, [&](int i) {
    const auto& from = pair[i % 2];
    const auto& to = pair[(i + 1) % 2];
    return kernel.launch(grid, p.stream, p.at(from[0]), p.at(from[1]), p.at(to[0]), p.at(to[1]),
                         p.begin_with.courant2);
  });
  p.past = pair[steps / 2 % 2][0];
  p.now = pair[steps / 2 % 2][1];
  return took;
}

timed device_kernels::resident(int steps, const tile_shape& t, bool one_field) {
  parts& p = *parts_;
  const auto& kernel = p.find(one_field ? "resident_one" : "resident", {}, t);
  const int n = p.begin_with.n;
  const auto blocks = static_cast<unsigned>(n / t.x * (n / t.y) * (n / t.z));
  const std::size_t per = 2U * static_cast<std::size_t>(t.y * t.z + t.x * t.z + t.x * t.y);
  auto halo = cu::device_buffer::make(p.context, blocks * 2 * per * 8).value();
  cu::fill_bytes(halo.address(), 0, halo.bytes(), p.stream).value();
  const auto shared = static_cast<unsigned>((one_field ? 1 : 2) * t.z * (t.y + 2) * (t.x + 2) * 4);
  kernel.allow_dynamic_shared(shared).value();
  const cu::launch_shape grid{.grid = {blocks, 1, 1},
                              .block = {static_cast<unsigned>(t.x * t.y), 1, 1},
                              .dynamic_shared_bytes = shared,
                              .cooperative = true};
  return p.time(kernel, [&] {
    kernel
        .launch(grid, p.stream, p.at(p.past), p.at(p.now), halo.address(), steps,
                p.begin_with.courant2)
        .value();
  });
}

step_shape device_kernels::fastest(int steps) {
  step_shape best;
  double least = std::numeric_limits<double>::infinity();
  for (const step_shape& s : tried) {
    if (parts_->begin_with.n % s.cells_x != 0) continue;
    graph(steps, s);
    const double took = std::min(graph(steps, s).seconds, graph(steps, s).seconds);
    if (took >= least) continue;
    least = took;
    best = s;
  }
  return best;
}

}  // namespace wavesim3d::baseline
