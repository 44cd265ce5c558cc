// runtime/cpu/cpu_memory.cpp - see cpu_memory.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/cpu/cpu_memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <thread>

namespace perdure::runtime {
namespace {

std::string processor_name() {
  std::ifstream in{"/proc/cpuinfo"};
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

std::size_t physical_bytes() {
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

std::uint32_t cpu_processors() { return std::clamp(std::thread::hardware_concurrency(), 1U, 64U); }

cpu_memory::~cpu_memory() {
  for (const mapping& m : mapped_) munmap(m.at, m.bytes);
}

engine_defaults cpu_memory::defaults() const {
  engine_defaults d{};
  d.workers = cpu_processors();
  d.lanes = 64;
  d.inbox_slots = 1U << 14U;
  d.spill_slots = 1U << 16U;
  d.outbox_slots = 1U << 14U;
  d.host_slots = 1U << 13U;
  d.timer_slots = 1U << 12U;
  d.buffer_slots = 1U << 10U;
  d.host_buffer_bytes = 1U << 20U;
  d.chip_units = 1U << 11U;
  d.claim_slots = 256;
  d.brings_states = true;
  d.chip_bytes = 0;
  d.cluster = 1;
  d.arena_bytes = physical_bytes() / 4;
  d.control_shift = 14;
  return d;
}

result<std::byte*> cpu_memory::worker_bytes(std::size_t bytes) {
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) {
    return error{errc::out_of_memory, fmt::format("{} bytes: {}", bytes, std::strerror(errno))};
  }
  mapped_.push_back({at, bytes});
  return static_cast<std::byte*>(at);
}

result<std::byte*> cpu_memory::arena_bytes(std::size_t bytes) {
  auto at = worker_bytes(bytes);
  // States of many actors are met in no order: with small pages nearly each one costs a walk of the page tables, too.
  // Only a hint: where it is refused all goes on, slower.
  if (at) madvise(*at, bytes, MADV_HUGEPAGE);
  return at;
}

result<shared_bytes> cpu_memory::host_bytes(std::size_t bytes) {
  auto at = worker_bytes(bytes);
  if (!at) return at.error();
  return shared_bytes{*at, *at};
}

result<void> cpu_memory::copy_in(std::byte* to, std::size_t to_pitch, const std::byte* from,
                                 std::size_t from_pitch, std::size_t width, std::size_t rows) {
  for (std::size_t r = 0; r < rows; ++r)
    std::memcpy(to + r * to_pitch, from + r * from_pitch, width);
  return {};
}

result<void> cpu_memory::copy_out(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes == sizeof(loop::u64)) {  // a word that a worker may be writing now
    const auto word = loop::load<loop::order::relaxed, loop::scope::system>(
        reinterpret_cast<const loop::u64*>(from));
    std::memcpy(to, &word, sizeof(word));
    return {};
  }
  std::memcpy(to, from, bytes);
  return {};
}

loop::on_chip* cpu_memory::make_chip(const loop::memory& m) {
  auto at = worker_bytes(m.chip_bytes);
  if (!at) return nullptr;
  return reinterpret_cast<loop::on_chip*>(*at);
}

void cpu_memory::forget_chips(const std::vector<loop::on_chip*>& chips, const loop::memory& m) {
  constexpr int nothing_sensible = 0xdb;
  for (loop::on_chip* chip : chips)
    std::memset(static_cast<void*>(chip), nothing_sensible, m.chip_bytes);
}

void cpu_memory::describe(layout_report& report) const {
  report.backend = "cpu";
  report.device = processor_name();
}

}  // namespace perdure::runtime
