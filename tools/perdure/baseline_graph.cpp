// tools/perdure/baseline_graph.cpp - records chains of kernels into graphs, times each step of
// their life, checks them.
// After NVIDIA, "Constant-time launch for straight-line CUDA graphs and other performance
// enhancements", 2024: the same shapes and the same five times. A stream is idle when a launch is
// timed; the end is the word in mapped host memory.
// SPDX-License-Identifier: Apache-2.0
#include "baseline_graph.hpp"

#include <map>

#include "gpu.hpp"
#include "kernel_texts.hpp"
#include "runtime/driver/graph.hpp"
#include "samples.hpp"

namespace bench {
namespace {

namespace cu = perdure::driver;

using timings = std::map<std::string, std::vector<double>>;

double us_since(steady::time_point from) { return seconds_since(from) * 1e6; }

double median(std::vector<double> samples) { return percentile(samples, 50); }

class chained_kernels {
 public:
  chained_kernels(const gpu& g, const chain_shape& shape)
      : gpu_{g},
        shape_{shape},
        node_{g.code.find("mix_word").value()},
        words_{cu::device_buffer::make(g.context, shape.chains * 4U).value()},
        shown_{cu::mapped_host_buffer::make(g.context, shape.chains * 4U).value()},
        expected_{shape},
        begin_{cu::event::make(g.context, true).value()},
        end_{cu::event::make(g.context, true).value()},
        fork_{cu::event::make(g.context, false).value()} {
    for (std::uint32_t c = 1; c < shape.chains; ++c) {
      streams_.push_back(cu::stream::make(g.context).value());
      joins_.push_back(cu::event::make(g.context, false).value());
    }
    std::vector<std::uint32_t> first;
    first.reserve(shape.chains);
    for (std::uint32_t c = 0; c < shape.chains; ++c) first.push_back(expected_[c]);
    cu::copy_to_device(words_.address(), first.data(), words_.bytes(), g.stream).value();
    g.stream.synchronize().value();
  }

  /// The life of one graph. One sample a name, the repeated ones their median.
  void run_graph(std::uint32_t repeats, timings& into, nlohmann::json& raw) {
    auto from = steady::now();
    const auto recorded = cu::recording::of(gpu_.stream, [&] { return give(); }).value();
    const double record = us_since(from);
    from = steady::now();
    const auto graph = recorded.instantiate().value();
    const double instantiate = us_since(from);
    expected_.advance();
    from = steady::now();
    graph.launch(gpu_.stream).value();
    const double first_call = us_since(from);
    arrive("the first launch");
    const double first_end = us_since(from);
    std::vector<double> call, end_to_end, device;
    for (std::uint32_t i = 0; i < repeats; ++i) {
      expected_.advance();
      from = steady::now();
      graph.launch(gpu_.stream).value();
      call.push_back(us_since(from));
      arrive("a repeated launch");
      end_to_end.push_back(us_since(from));
    }
    for (std::uint32_t i = 0; i < repeats; ++i) {  // apart from those above: events cost, too
      expected_.advance();
      begin_.record(gpu_.stream).value();
      graph.launch(gpu_.stream).value();
      end_.record(gpu_.stream).value();
      arrive("a launch between events");
      device.push_back(static_cast<double>(end_.milliseconds_since(begin_).value()) * 1e3);
    }
    into["graph_record_us"].push_back(record);
    into["graph_instantiate_us"].push_back(instantiate);
    into["graph_first_launch_us"].push_back(first_call);
    into["graph_first_end_to_end_us"].push_back(first_end);
    into["graph_repeat_launch_us"].push_back(median(call));
    into["graph_end_to_end_us"].push_back(median(end_to_end));
    into["graph_device_us"].push_back(median(device));
    raw.push_back({{"shape", shape_.name()},
                   {"repeat_launch_us", call},
                   {"end_to_end_us", end_to_end},
                   {"device_us", device}});
  }

  /// The same nodes launched one by one, each chain on a stream of its own.
  void run_launches(std::uint32_t repeats, timings& into) {
    std::vector<double> call, end_to_end;
    for (std::uint32_t i = 0; i < repeats; ++i) {
      expected_.advance();
      const auto from = steady::now();
      give().value();
      call.push_back(us_since(from));
      arrive("launching one by one");
      end_to_end.push_back(us_since(from));
    }
    into["launches_call_us"].push_back(median(call));
    into["launches_end_to_end_us"].push_back(median(end_to_end));
  }

 private:
  const cu::stream& stream_of(std::uint32_t chain) const {
    return chain == 0 ? gpu_.stream : streams_[chain - 1];
  }
  /// Puts all nodes on their streams, which begin and end with the first one.
  perdure::result<void> give() {
    if (shape_.chains > 1) {
      if (auto done = fork_.record(gpu_.stream); !done) return done;
    }
    for (std::uint32_t c = 1; c < shape_.chains; ++c) {
      if (auto done = stream_of(c).wait_for(fork_); !done) return done;
    }
    for (std::uint32_t number = 0; number < shape_.length; ++number) {
      for (std::uint32_t c = 0; c < shape_.chains; ++c) {
        const bool last = number + 1 == shape_.length;
        const cu::abi::device_ptr shown = last ? shown_.device() + c * 4U : 0;
        auto done = node_.launch({}, stream_of(c), words_.address() + c * 4U, number, shown);
        if (!done) return done;
      }
    }
    for (std::uint32_t c = 1; c < shape_.chains; ++c) {
      if (auto done = joins_[c - 1].record(stream_of(c)); !done) return done;
      if (auto done = gpu_.stream.wait_for(joins_[c - 1]); !done) return done;
    }
    return {};
  }
  /// Waits for the first stream, then looks at every chain's word.
  void arrive(const char* who) {
    gpu_.stream.synchronize().value();
    const auto* shown = static_cast<const volatile std::uint32_t*>(shown_.host());
    for (std::uint32_t c = 0; c < shape_.chains; ++c) expected_.expect(who, c, shown[c]);
  }

  const gpu& gpu_;
  chain_shape shape_;
  cu::kernel node_;
  cu::device_buffer words_;
  cu::mapped_host_buffer shown_;
  chain_words expected_;
  cu::event begin_, end_, fork_;
  std::vector<cu::stream> streams_;
  std::vector<cu::event> joins_;
};

}  // namespace

nlohmann::json graph_baselines(const bench_options& options,
                               const std::vector<chain_shape>& shapes) {
  if (auto why = no_gpu(options)) return {{"graph", {{"skipped", *why}}}};
  const gpu g = gpu::with("baseline_graph.cu", baseline_graph_text).value();
  nlohmann::json figures, raw = nlohmann::json::array();
  for (const chain_shape& shape : shapes) {
    chained_kernels chains{g, shape};
    timings warm, all;
    nlohmann::json unused = nlohmann::json::array();
    chains.run_launches(2, warm);
    chains.run_graph(2, warm, unused);
    for (std::uint32_t run = 0; run < options.runs; ++run) {
      chains.run_graph(options.graph.most_repeats(), all, raw);
      chains.run_launches(options.graph.most_repeats(), all);
    }
    for (const auto& [name, samples] : all) figures[shape.name() + "_" + name] = summary(samples);
  }
  figures["raw"] = std::move(raw);
  return figures;
}

}  // namespace bench
