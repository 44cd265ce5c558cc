// apps/wavesim3d/baseline/by_hand.cpp - see by_hand.hpp; the device's part.
// SPDX-License-Identifier: Apache-2.0
#include "by_hand.hpp"

#include <fmt/format.h>

#include <span>
#include <stdexcept>

#include "kernel_text.hpp"
#include "runtime/driver/graph.hpp"
#include "runtime/driver/kernel.hpp"
#include "runtime/driver/memory.hpp"
#include "runtime/jit/compile.hpp"

namespace wavesim3d::baseline {
namespace {

namespace cu = perdure::driver;
namespace jit = perdure::runtime::jit;

/// A context with the kernels on it and both fields in its memory.
class device {
 public:
  device(const fields& f, bool contract, tile_shape tile)
      : context_{cu::context::retain(*cu::api::load().value(), 0).value()},
        stream_{cu::stream::make(context_).value()},
        code_{compile(f.n, contract, tile)},
        past_{cu::device_buffer::make(context_, f.now.size() * sizeof(float)).value()},
        now_{cu::device_buffer::make(context_, f.now.size() * sizeof(float)).value()},
        next_{cu::device_buffer::make(context_, f.now.size() * sizeof(float)).value()} {
    cu::copy_to_device(past_.address(), f.past.data(), past_.bytes(), stream_).value();
    cu::copy_to_device(now_.address(), f.now.data(), now_.bytes(), stream_).value();
    stream_.synchronize().value();
  }

  timed graph(int n, float c2, int steps) {
    const auto kernel = code_.find("wave_step").value();
    const auto blocks = [n](int by) { return static_cast<unsigned>((n + by - 1) / by); };
    const cu::launch_shape shape{.grid = {blocks(32), blocks(4), blocks(2)}, .block = {32, 4, 2}};
    // six nodes bring the three buffers back to where they were
    constexpr int nodes = 996;
    cu::abi::device_ptr field[3] = {past_.address(), now_.address(), next_.address()};
    auto record = [&](int count) {
      return cu::graph::record(stream_,
                               [&]() -> perdure::result<void> {
                                 for (int i = 0; i < count; ++i) {
                                   auto ok =
                                       kernel.launch(shape, stream_, field[i % 3],
                                                     field[(i + 1) % 3], field[(i + 2) % 3], c2);
                                   if (!ok) return ok;
                                 }
                                 return {};
                               })
          .value();
    };
    auto whole = record(nodes);
    auto rest = record(std::max(1, steps % nodes));
    auto begin = cu::event::make(context_, true).value();
    auto end = cu::event::make(context_, true).value();
    begin.record(stream_).value();
    for (int i = 0; i < steps / nodes; ++i) whole.launch(stream_).value();
    if (steps % nodes != 0) rest.launch(stream_).value();
    end.record(stream_).value();
    stream_.synchronize().value();
    past_at_ = field[steps % 3];
    now_at_ = field[(steps + 1) % 3];
    return told(kernel, begin, end);
  }

  timed resident(int n, float c2, int steps, tile_shape tile) {
    const auto kernel = code_.find("resident").value();
    const auto blocks = static_cast<unsigned>(n / tile.x * (n / tile.y) * (n / tile.z));
    const std::size_t per =
        2U * static_cast<std::size_t>(tile.y * tile.z + tile.x * tile.z + tile.x * tile.y);
    auto halo = cu::device_buffer::make(context_, blocks * 2 * per * 8).value();
    cu::fill_bytes(halo.address(), 0, halo.bytes(), stream_).value();
    const auto shared = static_cast<unsigned>(2 * tile.z * (tile.y + 2) * (tile.x + 2) * 4);
    kernel.allow_dynamic_shared(shared).value();
    const cu::launch_shape shape{.grid = {blocks, 1, 1},
                                 .block = {static_cast<unsigned>(tile.x * tile.y), 1, 1},
                                 .dynamic_shared_bytes = shared,
                                 .cooperative = true};
    auto begin = cu::event::make(context_, true).value();
    auto end = cu::event::make(context_, true).value();
    begin.record(stream_).value();
    kernel.launch(shape, stream_, past_.address(), now_.address(), halo.address(), steps, c2)
        .value();
    end.record(stream_).value();
    stream_.synchronize().value();
    past_at_ = past_.address();
    now_at_ = now_.address();
    return told(kernel, begin, end);
  }

  void fetch(fields& f) const {
    cu::copy_to_host(f.now.data(), now_at_, now_.bytes(), stream_).value();
    cu::copy_to_host(f.past.data(), past_at_, past_.bytes(), stream_).value();
    stream_.synchronize().value();
  }

 private:
  cu::code_library compile(int n, bool contract, tile_shape tile) const {
    const std::string text =
        fmt::format("#define N {}\n#define TX {}\n#define TY {}\n#define TZ {}\n", n, tile.x,
                    tile.y, tile.z) +
        kernel_text;
    jit::compile_options how;
    how.extra = {contract ? "-fmad=true" : "-fmad=false"};
    auto made = jit::compile(text, "kernels.cu", context_.properties().architecture(), how).value();
    return cu::code_library::load(context_, std::as_bytes(std::span{made.bytes}), "kernels.cu")
        .value();
  }
  static timed told(const cu::kernel& kernel, const cu::event& begin, const cu::event& end) {
    const auto has = kernel.attributes().value();
    return {static_cast<double>(end.milliseconds_since(begin).value()) / 1e3, has.registers,
            has.local_bytes};
  }

  cu::context context_;
  cu::stream stream_;
  cu::code_library code_;
  cu::device_buffer past_, now_, next_;
  cu::abi::device_ptr past_at_ = 0, now_at_ = 0;
};

}  // namespace

timed graph(fields& f, int steps, bool contract) {
  device d{f, contract, {32, 32, 16}};
  const timed t = d.graph(f.n, f.courant2, steps);
  d.fetch(f);
  return t;
}

timed resident(fields& f, int steps, bool contract, tile_shape tile) {
  device d{f, contract, tile};
  const timed t = d.resident(f.n, f.courant2, steps, tile);
  d.fetch(f);
  return t;
}

}  // namespace wavesim3d::baseline
