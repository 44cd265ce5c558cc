// apps/txmon/baseline/batch.cpp - see batch.hpp; the device's part.
// SPDX-License-Identifier: Apache-2.0
#include "batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include "runtime/driver/kernel.hpp"
#include "runtime/driver/memory.hpp"
#include "runtime/jit/compile.hpp"
#include "texts.hpp"

namespace txmon::baseline {
namespace {

namespace cu = perdure::driver;
namespace jit = perdure::runtime::jit;

constexpr unsigned tile = 8 * 16 * 32, digit_bits = 8, digits = 1U << digit_bits;

jit::cubin compiled(const std::string& architecture) {
  std::vector<jit::header> headers{jit::embedded_headers().begin(), jit::embedded_headers().end()};
  const auto rules = rule_headers();
  headers.insert(headers.end(), rules.begin(), rules.end());
  jit::compile_options how;
  how.headers = headers;
  return jit::compile(kernels_text, "kernels.cu", architecture, how).value();
}

unsigned blocks_of(std::size_t threads, unsigned a_block) {
  return static_cast<unsigned>((threads + a_block - 1) / a_block);
}

}  // namespace

struct cuda_batch::body {
  body(std::span<const transaction> rows, std::uint32_t accounts_, const terms& by)
      : context{cu::context::retain(*cu::api::load().value(), 0).value()},
        stream{cu::stream::make(context).value()},
        code{load()},
        accounts{accounts_},
        postings{static_cast<unsigned>(rows.size() * 2)},
        tiles{blocks_of(rows.size() * 2, tile)},
        room{static_cast<unsigned>(rows.size() * 2)},
        from_host{cu::mapped_host_buffer::make(context, rows.size_bytes()).value()},
        to_host{cu::mapped_host_buffer::make(context, std::size_t{room} * sizeof(alert)).value()},
        rows_there{make(rows.size_bytes())},
        key{make(postings * 4UL), make(postings * 4UL)},
        posting{make(postings * 4UL), make(postings * 4UL)},
        in_tile{make(std::size_t{tiles} * digits * 4)},
        total{make(digits * 4)},
        run{make(accounts * 8UL)},
        states{make(accounts * sizeof(account))},
        alerts{make(std::size_t{room} * sizeof(alert))},
        count{make(4)},
        terms_there{make(sizeof(terms))} {
    std::memcpy(from_host.host(), rows.data(), rows.size_bytes());
    cu::copy_to_device(terms_there.address(), &by, sizeof by, stream).value();
    stream.synchronize().value();
  }

  cu::code_library load() const {
    const auto made = compiled(context.properties().architecture());
    return cu::code_library::load(context, std::as_bytes(std::span{made.bytes}), "kernels.cu")
        .value();
  }
  cu::device_buffer make(std::size_t bytes) const {
    return cu::device_buffer::make(context, std::max<std::size_t>(bytes, 16)).value();
  }
  template <class... Args>
  void launch(const char* name, unsigned blocks, unsigned threads, Args... args) const {
    code.find(name)
        .value()
        .launch({.grid = {blocks, 1, 1}, .block = {threads, 1, 1}}, stream, args...)
        .value();
  }

  /// @return which of the two sets of keys and postings is sorted
  unsigned sort() const {
    unsigned now = 0;
    const auto bits = static_cast<unsigned>(std::bit_width(accounts - 1));
    for (unsigned shift = 0; shift < bits; shift += digit_bits, now ^= 1U) {
      launch("count_tiles", tiles, 256, key[now].address(), postings, shift, in_tile.address());
      launch("scan_tiles", digits, 256, in_tile.address(), tiles, total.address());
      launch("scatter", tiles, 256, key[now].address(), posting[now].address(), postings, shift,
             in_tile.address(), total.address(), key[now ^ 1U].address(),
             posting[now ^ 1U].address());
    }
    return now;
  }

  cu::context context;
  cu::stream stream;
  cu::code_library code;
  const std::uint32_t accounts;
  const unsigned postings, tiles, room;
  cu::mapped_host_buffer from_host, to_host;
  cu::device_buffer rows_there, key[2], posting[2], in_tile, total, run, states, alerts, count,
      terms_there;
};

cuda_batch::cuda_batch(std::span<const transaction> rows, std::uint32_t accounts, const terms& by)
    : body_{std::make_unique<body>(rows, accounts, by)} {}
cuda_batch::~cuda_batch() = default;

batch_result cuda_batch::run() {
  const body& b = *body_;
  b.launch("make_accounts", blocks_of(b.accounts, 256), 256, b.states.address(), b.accounts,
           b.terms_there.address());
  cu::fill_bytes(b.run.address(), 0, b.run.bytes(), b.stream).value();
  cu::fill_bytes(b.count.address(), 0, 4, b.stream).value();
  auto copied = cu::event::make(b.context, true).value();
  auto judged = cu::event::make(b.context, true).value();
  b.stream.synchronize().value();

  batch_result out;
  const auto from = std::chrono::steady_clock::now();
  cu::copy_to_device(b.rows_there.address(), b.from_host.host(), b.from_host.bytes(), b.stream)
      .value();
  copied.record(b.stream).value();
  b.launch("make_postings", blocks_of(b.postings, 256), 256, b.rows_there.address(), b.postings,
           b.key[0].address(), b.posting[0].address());
  const unsigned sorted = b.sort();
  b.launch("find_runs", blocks_of(b.postings, 256), 256, b.key[sorted].address(), b.postings,
           b.run.address());
  b.launch("judge", blocks_of(b.accounts, 128), 128, b.states.address(), b.accounts,
           b.rows_there.address(), b.posting[sorted].address(), b.run.address(), b.alerts.address(),
           b.room, b.count.address());
  judged.record(b.stream).value();
  unsigned found = 0;
  cu::copy_to_host(&found, b.count.address(), 4, b.stream).value();
  b.stream.synchronize().value();
  if (found > b.room)
    throw std::runtime_error{fmt::format("batch by hand: {} alerts, room for {}", found, b.room)};
  cu::copy_to_host(b.to_host.host(), b.alerts.address(), found * sizeof(alert), b.stream).value();
  b.stream.synchronize().value();
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();

  out.device_seconds = judged.milliseconds_since(copied).value() / 1e3;
  out.alerts.resize(found);
  if (found > 0) std::memcpy(out.alerts.data(), b.to_host.host(), found * sizeof(alert));
  out.states.resize(b.accounts);
  cu::copy_to_host(out.states.data(), b.states.address(), b.states.bytes(), b.stream).value();
  b.stream.synchronize().value();
  const auto has = b.code.find("judge").value().attributes().value();
  out.registers = has.registers;
  out.local_bytes = has.local_bytes;
  return out;
}

std::string compile_for(const std::string& architecture) { return compiled(architecture).log; }

}  // namespace txmon::baseline
