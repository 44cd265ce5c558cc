// tools/perdure/baseline_sync.cpp - runs baseline_sync.cu: the barriers' part of `perdure bench
// micro`.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "gpu.hpp"
#include "kernel_texts.hpp"
#include "micro_parts.hpp"
#include "samples.hpp"

namespace bench {
namespace {

namespace cu = perdure::driver;

/// As in baseline_sync.cu.
struct sync_outcome {
  std::uint32_t errors, checked, stalled, spare;
};
constexpr std::uint32_t steps = 6400;

class barriers {
 public:
  explicit barriers(std::uint32_t runs)
      : g_{gpu::with("baseline_sync.cu", baseline_sync_text,
                     perdure::runtime::jit::embedded_headers())
               .value()},
        runs_{runs},
        blocks_{static_cast<std::uint32_t>(g_.context.properties().processors)},
        words_{cu::device_buffer::make(g_.context, std::size_t{128} * (2 * blocks_ + 1)).value()},
        out_{cu::device_buffer::make(g_.context, sizeof(sync_outcome)).value()} {}

  std::uint32_t blocks() const { return blocks_; }
  bool has_clusters() const { return g_.context.properties().major >= 9; }

  /// Microseconds a step, each run checked.
  nlohmann::json measure(const char* name, std::uint32_t blocks, std::uint32_t cluster) {
    const cu::kernel kernel = g_.code.find(name).value();
    const cu::launch_shape shape{
        .grid = {blocks, 1, 1}, .block = {256, 1, 1}, .cooperative = true, .cluster = cluster};
    std::vector<double> us;
    for (std::uint32_t run = 0; run <= runs_; ++run) {  // the first one warms up
      const double took = once(name, kernel, shape);
      if (run != 0) us.push_back(took);
    }
    return summary(us);
  }

 private:
  double once(const char* name, const cu::kernel& kernel, const cu::launch_shape& shape) {
    auto begin = cu::event::make(g_.context, true).value();
    auto end = cu::event::make(g_.context, true).value();
    for (const auto* buffer : {&words_, &out_})
      cu::fill_bytes(buffer->address(), 0, buffer->bytes(), g_.stream).value();
    begin.record(g_.stream).value();
    kernel.launch(shape, g_.stream, words_.address(), steps, out_.address()).value();
    end.record(g_.stream).value();
    sync_outcome got{};
    cu::copy_to_host(&got, out_.address(), sizeof got, g_.stream).value();
    g_.stream.synchronize().value();
    if (got.errors != 0 || got.stalled != 0 || got.checked != shape.grid[0] * (steps / 64)) {
      throw wrong_answer{fmt::format("{}: {} of {} notes checked, {} wrong{}", name, got.checked,
                                     shape.grid[0] * (steps / 64), got.errors,
                                     got.stalled != 0 ? ", stalled" : "")};
    }
    return static_cast<double>(end.milliseconds_since(begin).value()) * 1e3 / steps;
  }

  gpu g_;
  std::uint32_t runs_, blocks_;
  cu::device_buffer words_, out_;
};

}  // namespace

void add_barriers(nlohmann::json& report, const bench_options& options) {
  if (auto why = no_gpu(options)) {
    report["barriers"] = {{"skipped", *why}};
    return;
  }
  barriers all{options.runs};
  nlohmann::json& results = report["results"];
  const std::uint32_t blocks = all.blocks();
  results[fmt::format("sync_grid_of_{}_us", blocks)] = all.measure("sync_grid", blocks, 1);
  results["sync_grid_of_4_us"] = all.measure("sync_grid", 4, 1);
  results["sync_neighbours_us"] = all.measure("sync_neighbours", blocks, 1);
  for (const std::uint32_t cluster : {2U, 4U, 8U}) {
    if (!all.has_clusters()) break;
    results[fmt::format("sync_cluster_of_{}_us", cluster)] =
        all.measure("sync_cluster", cluster, cluster);
  }
  report["barriers"] = {{"steps", steps}, {"threads_a_block", 256}};
}

}  // namespace bench
