// runtime/record/recorder.cpp - see recorder.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/record/recorder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <new>
#include <string>
#include <string_view>

namespace perdure::runtime {
namespace {

using recorded::chunk_kind;

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span{&value, 1});
}
}  // namespace

result<std::unique_ptr<recorder>> recorder::open(const std::filesystem::path& file,
                                                 const program& actors, std::uint64_t seed,
                                                 std::uint32_t system) {
  std::unique_ptr<recorder> r{new recorder};
  if (auto ok = r->file_.open(file, fmt::format(".{}.{}.part", ::getpid(), system)); !ok)
    return ok.error();
  const std::string_view name = actors.name;
  const recorded::program_head head{recorded::magic, recorded::shape_of(actors), seed, system,
                                    static_cast<std::uint32_t>(name.size())};
  r->put(chunk_kind::program, bytes_of(head), std::as_bytes(std::span{name}));
  return r;
}

/// One chunk. @threads who has the mutex, or is alone
void recorder::put(chunk_kind kind, std::span<const std::byte> head,
                   std::span<const std::byte> body) {
  const std::uint64_t bytes = recorded::padded(head.size() + body.size());
  const recorded::chunk_head all{kind, 0, bytes};
  const auto write = [&](std::span<const std::byte> some) {
    file_.out().write(reinterpret_cast<const char*>(some.data()),
                      static_cast<std::streamsize>(some.size()));
  };
  constexpr std::byte zeros[8]{};
  write(bytes_of(all));
  write(head);
  write(body);
  write(std::span{zeros}.first(bytes - head.size() - body.size()));
}
void recorder::put_sent() {
  if (!sent_.empty()) put(chunk_kind::sent, {}, sent_);
  sent_.clear();
}

void recorder::spawned(std::uint64_t first, std::size_t count, std::span<const std::byte> states) {
  const recorded::states_head head{first, count, count == 0 ? 0 : states.size() / count};
  const std::lock_guard lock{mutex_};
  put(chunk_kind::spawned, bytes_of(head), states);
}
void recorder::linked(std::span<const recorded::link_row> links) {
  const std::lock_guard lock{mutex_};
  put(chunk_kind::linked, {}, std::as_bytes(links));
}
void recorder::sent(const recorded::sent_row& how, const void* message) {
  constexpr std::size_t at_once = std::size_t{1} << 20U;
  const auto* from = static_cast<const std::byte*>(message);
  const auto row = bytes_of(how);
  const std::lock_guard lock{mutex_};
  const std::size_t before = sent_.size();
  try {
    sent_.resize(before + row.size() + recorded::padded(how.bytes));
  } catch (const std::bad_alloc&) {  // the message has been sent
    no_memory_ = true;
    return;
  }
  std::memcpy(sent_.data() + before, row.data(), row.size());
  std::memcpy(sent_.data() + before + row.size(), from, how.bytes);
  if (sent_.size() >= at_once) put_sent();
}
void recorder::taken(std::span<const abi::record_entry> entries) {
  const std::lock_guard lock{mutex_};
  if (!entries.empty()) put(chunk_kind::taken, {}, std::as_bytes(entries));
  entries_ += entries.size();
}
void recorder::states(std::uint64_t first, std::size_t count, std::span<const std::byte> states) {
  const recorded::states_head head{first, count, count == 0 ? 0 : states.size() / count};
  const std::lock_guard lock{mutex_};
  put(chunk_kind::states, bytes_of(head), states);
}

result<void> recorder::finish(std::uint64_t missing, bool cut_short) {
  const std::lock_guard lock{mutex_};
  if (no_memory_) {
    return error{errc::out_of_memory, fmt::format("{}: a host's message", file_.name().string())};
  }
  put_sent();
  put(chunk_kind::end,
      bytes_of(recorded::end_row{missing, entries_, cut_short ? std::uint64_t{1} : 0}), {});
  return file_.finish();
}

}  // namespace perdure::runtime
