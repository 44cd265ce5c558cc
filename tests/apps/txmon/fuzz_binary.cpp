// tests/apps/txmon/fuzz_binary.cpp - libFuzzer on the binary reader: any bytes are read, or refused by one kind of exception.
// Why: a file cut short or forged must not lead past its end, nor give a row that the accounts cannot take.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "binary_file.hpp"
#include "codes.hpp"
#include "money.hpp"

namespace {

using namespace txmon;

void require(bool holds) {
  if (!holds) __builtin_trap();
}

void read(std::span<const std::byte> bytes, bool lenient) {
  try {
    binary_source from{bytes, "fuzz.bin", lenient};
    const auto accounts = from.names().size();
    for (std::uint32_t id = 0; !from.names().numbered() && id < accounts; ++id)
      require(is_account_name(from.names().name_of(id)));
    std::uint64_t rows = 0;
    for (piece p; from.claim(p); p = {}) {
      block b;
      from.parse(p, b);
      rows += b.rows.size() + b.skipped;
      for (const transaction& t : b.rows) {
        require(t.account.get() < accounts && t.counterparty.get() < accounts);
        require(t.amount() >= 0 && t.amount() <= max_cents);
        require(t.when() >= 0 && t.when() <= last_time_ms);
        require(t.direction() == side::debit && static_cast<unsigned>(t.what()) < kind_count);
      }
      for (const label& l : b.labels) require(l.row < b.rows.size() && l.kind <= rule_count);
    }
    require(rows == from.rows());
  } catch (const failure&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size < 4) return 0;
  std::vector<std::byte> file(size - 4);
  if (!file.empty()) std::memcpy(file.data(), bytes + 4, file.size());
  if (bytes[0] % 4 != 0) {
    // A good footer for as many rows and labels as fit, so that the fuzzer need not guess a magic number.
    binary_footer footer;
    const std::uint64_t room = file.size();
    footer.rows = std::min<std::uint64_t>(bytes[1] % 16, room / sizeof(transaction));
    footer.labels =
        std::min<std::uint64_t>(bytes[2] % 4, (room - footer.rows * sizeof(transaction)) / 9);
    footer.names_bytes = room - footer.rows * sizeof(transaction) - footer.labels * 9;
    footer.accounts = bytes[3] % 8;
    const auto* at = reinterpret_cast<const std::byte*>(&footer);
    file.insert(file.end(), at, at + sizeof footer);
  }
  read(file, bytes[0] % 2 == 0);
  return 0;
}
