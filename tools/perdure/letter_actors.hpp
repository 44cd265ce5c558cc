// tools/perdure/letter_actors.hpp - actors that write letters of 240 bytes to 4 KB to host mailboxes, and answer with them.
// Why: what lies over 240 bytes goes to the host another way than what lies under it.
// Invariant: a message of an actor to itself is the only one under way to it; what is under way to the host is held back by
//            the mailboxes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <perdure/actor.hpp>

namespace bench {

/// The sender's place and its number, then what follows from both: words that a reader compares side by side.
template <unsigned Words>
struct sheet_of {
  std::uint32_t place, number;
  std::array<std::uint64_t, Words - 1> cargo;
};
using sheet_240 = sheet_of<30>;
using sheet_1024 = sheet_of<128>;
using sheet_4096 = sheet_of<512>;
static_assert(sizeof(sheet_240) == 240 && sizeof(sheet_4096) == 4096);

constexpr std::uint64_t seed_of(std::uint32_t place, std::uint32_t number) {
  return (std::uint64_t{place} << 32U | number) * 0x9e37'79b9'7f4a'7c15U;
}
template <class Sheet>
constexpr void fill_sheet(Sheet& s, std::uint32_t place, std::uint32_t number) {
  s.place = place;
  s.number = number;
  const std::uint64_t seed = seed_of(place, number);
  for (unsigned i = 0; i < s.cargo.size(); ++i) s.cargo[i] = seed ^ (i * 0xd1b5'4a32'd192'ed03U);
}
template <class Sheet>
constexpr bool is_as_filled(const Sheet& s) {
  const std::uint64_t seed = seed_of(s.place, s.number);
  std::uint64_t wrong = 0;
  for (unsigned i = 0; i < s.cargo.size(); ++i)
    wrong |= s.cargo[i] ^ seed ^ (i * 0xd1b5'4a32'd192'ed03U);
  return wrong == 0;
}

/// Write a letter of so many bytes, and as many turns more.
struct write_on {
  std::uint32_t bytes, left;
};
/// Answered with a sheet of so many bytes.
struct show {
  std::uint32_t bytes, number;
};

struct scribe : perdure::actor<scribe> {
  std::uint64_t to = 0;  ///< bits of a mailbox
  std::uint32_t place = 0;
  std::uint32_t number = 0;

  void on(const write_on& w, perdure::context& ctx) {
    if (w.bytes == sizeof(sheet_240)) put<sheet_240>(ctx);
    if (w.bytes == sizeof(sheet_1024)) put<sheet_1024>(ctx);
    if (w.bytes == sizeof(sheet_4096)) put<sheet_4096>(ctx);
    if (w.left > 1) ctx.send(ctx.self(*this), write_on{w.bytes, w.left - 1});
  }
  void on(const show& s, perdure::context& ctx) {
    if (s.bytes == sizeof(sheet_240)) answer<sheet_240>(s.number, ctx);
    if (s.bytes == sizeof(sheet_1024)) answer<sheet_1024>(s.number, ctx);
    if (s.bytes == sizeof(sheet_4096)) answer<sheet_4096>(s.number, ctx);
  }

 private:
  template <class Sheet>
  void put(perdure::context& ctx) {
    const perdure::ref<perdure::host<Sheet>> box{to};
    ctx.send_in_place<Sheet>(box, [&](Sheet& s) { fill_sheet(s, place, number); });
    ++number;
  }
  template <class Sheet>
  void answer(std::uint32_t of, perdure::context& ctx) {
    ctx.reply_in_place<Sheet>([&](Sheet& s) { fill_sheet(s, place, of); });
  }
};

}  // namespace bench
