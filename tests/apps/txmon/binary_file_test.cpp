// tests/apps/txmon/binary_file_test.cpp - what is written is read back; what is damaged is refused by name.
// SPDX-License-Identifier: Apache-2.0
#include "binary_file.hpp"

#include <cstring>
#include <random>

#include "csv_source.hpp"
#include "generator.hpp"
#include "scratch.hpp"

namespace {

using namespace txmon;
using test::scratch;

std::string written(const scratch& s, source& from) {
  const auto path = (s.path() / "x.bin").string();
  binary_writer out{path};
  for (piece p; from.claim(p); p = {}) {
    block b;
    from.parse(p, b);
    out.add(b);
  }
  out.finish(from.names());
  return path;
}

struct read_all {
  block all;
  explicit read_all(source& from) {
    for (piece p; from.claim(p); p = {}) {
      block b;
      from.parse(p, b);
      for (const label& l : b.labels) all.labels.push_back({all.rows.size() + l.row, l.kind});
      all.rows.insert(all.rows.end(), b.rows.begin(), b.rows.end());
      all.skipped += b.skipped;
      all.reasons.insert(all.reasons.end(), b.reasons.begin(), b.reasons.end());
    }
  }
};

TEST(BinaryFile, RowsLabelsAndNumberedAccountsAreReadBack) {
  const scratch s;
  const auto settings = generator_settings::parse("rows=10000,accounts=200,fraud=100");
  generator first{settings}, again{settings};
  binary_source back{written(s, first), false};
  const read_all a{again}, b{back};
  ASSERT_EQ(a.all.rows.size(), 10'000U);
  ASSERT_EQ(b.all.rows.size(), 10'000U);
  EXPECT_EQ(std::memcmp(a.all.rows.data(), b.all.rows.data(), 10'000 * sizeof(transaction)), 0);
  ASSERT_EQ(a.all.labels.size(), b.all.labels.size());
  EXPECT_GT(a.all.labels.size(), 40U);
  for (std::size_t i = 0; i < a.all.labels.size(); ++i) {
    EXPECT_EQ(a.all.labels[i].row, b.all.labels[i].row);
    EXPECT_EQ(a.all.labels[i].kind, b.all.labels[i].kind);
  }
  EXPECT_EQ(back.names().size(), again.names().size());
  EXPECT_EQ(back.names().name_of(7), "A7");
  EXPECT_EQ(back.rows(), 10'000U);
}

TEST(BinaryFile, NamesOfACsvAreKept) {
  const scratch s;
  csv_source csv{s.write("in.csv", std::string{test::header} + "1,DEBIT,2,C1,0,0,M2,0,0,1,0\n"),
                 column_map::paysim(), false};
  binary_source back{written(s, csv), false};
  const read_all r{back};
  ASSERT_EQ(r.all.rows.size(), 1U);
  EXPECT_EQ(back.names().name_of(r.all.rows[0].counterparty.get()), "M2");
  EXPECT_EQ(r.all.labels.size(), 1U);
}

/// A good file of 3 rows in memory, for damage.
std::vector<std::byte> good_bytes() {
  const scratch s;
  csv_source csv{s.write("in.csv", std::string{test::header} +
                                       "1,DEBIT,2,C1,0,0,M2,0,0,1,0\n1,DEBIT,2,C1,0,0,M2,0,0,0,0\n"
                                       "2,DEBIT,2,C3,0,0,M2,0,0,0,0\n"),
                 column_map::paysim(), false};
  written(s, csv);
  const auto text = s.read("x.bin");
  std::vector<std::byte> out(text.size());
  std::memcpy(out.data(), text.data(), text.size());
  return out;
}

std::string error_of(const std::vector<std::byte>& bytes) {
  try {
    binary_source from{bytes, "x.bin", false};
    read_all{from};
  } catch (const failure& e) {
    return e.what();
  }
  return "no error";
}

TEST(BinaryFile, EachWrongFieldIsRefusedWithItsRow) {
  const auto damaged = [](std::size_t row, auto change) {
    auto bytes = good_bytes();
    transaction t;
    std::memcpy(&t, bytes.data() + row * sizeof t, sizeof t);
    change(t);
    std::memcpy(bytes.data() + row * sizeof t, &t, sizeof t);
    return error_of(bytes);
  };
  EXPECT_EQ(damaged(1, [](transaction& t) { t.account = wide32::of(3); }),
            "x.bin: row 2 (byte 38): account: expected less than the file's accounts");
  EXPECT_EQ(damaged(0, [](transaction& t) { t.counterparty = wide32::of(9); }),
            "x.bin: row 1 (byte 0): counterparty: expected less than the file's accounts");
  EXPECT_EQ(damaged(2, [](transaction& t) { t.cents = wide64::of(~std::uint64_t{0}); }),
            "x.bin: row 3 (byte 76): cents: expected 0 to 9000000000000");
  EXPECT_NE(damaged(0, [](transaction& t) { t.currency = 0; }).find("currency"), std::string::npos);
  EXPECT_NE(damaged(0, [](transaction& t) { t.country = 250; }).find("country"), std::string::npos);
  EXPECT_NE(damaged(0, [](transaction& t) { t.type = 5; }).find("type"), std::string::npos);
  EXPECT_NE(damaged(0, [](transaction& t) { t.via = channel{6}; }).find("channel"),
            std::string::npos);
  EXPECT_NE(
      damaged(0, [](transaction& t) { t.time_ms = wide64::of(~std::uint64_t{0}); }).find("time_ms"),
      std::string::npos);
}

TEST(BinaryFile, LenientSkipsAWrongRowAndItsLabel) {
  auto bytes = good_bytes();
  bytes[34] = std::byte{99};  // inside row 1's time; its neighbours stay
  bytes[37] = std::byte{99};
  binary_source from{bytes, "x.bin", true};
  const read_all r{from};
  EXPECT_EQ(r.all.rows.size(), 2U);
  EXPECT_EQ(r.all.skipped, 1U);
  EXPECT_TRUE(r.all.labels.empty());
  ASSERT_EQ(r.all.reasons.size(), 1U);
}

TEST(BinaryFile, AFileCutShortOrOfAnotherKindIsRefused) {
  auto bytes = good_bytes();
  EXPECT_EQ(error_of({}), "x.bin: expected at least 64 bytes, found 0");
  auto cut = bytes;
  cut.pop_back();
  EXPECT_EQ(error_of(cut), "x.bin: no footer of txmon: the file is cut short or of another kind");
  EXPECT_NE(error_of({bytes.begin() + 1, bytes.end()}).find("the footer tells of 3 rows, 1 labels"),
            std::string::npos);
  EXPECT_THROW((binary_source{"/nowhere.bin", false}), failure);
  EXPECT_THROW((binary_source{"/tmp", false}), failure);
}

TEST(BinaryFile, ANameThatAnAlertCouldNotCarryIsRefused) {
  const auto whole = good_bytes();
  const std::size_t names = whole.size() - sizeof(binary_footer) - 9;  // C1, M2, C3
  for (const char wrong : {'"', '\\', ' ', '\x1b', '\xff', '\0'}) {
    auto bytes = whole;
    bytes[names + 4] = static_cast<std::byte>(wrong);
    EXPECT_EQ(error_of(bytes),
              "x.bin: name 2: expected an account name of 1 to 40 letters, digits, '-', '_' or "
              "'.', such as C1231006815");
  }
  auto bytes = whole;
  bytes[names + 8] = std::byte{'x'};
  EXPECT_EQ(error_of(bytes), "x.bin: name 3: is cut short");
}

TEST(BinaryFile, AnyDamageIsEitherReadOrRefusedByName) {
  const auto whole = good_bytes();
  unsigned refused = 0;
  for (unsigned seed = 1; seed <= 3'000; ++seed) {
    std::mt19937 random{seed};
    auto bytes = whole;
    for (auto n = 1 + random() % 4; n > 0; --n)
      bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    if (random() % 4 == 0) bytes.resize(random() % bytes.size());
    const auto error = error_of(bytes);
    refused += error == "no error" ? 0 : 1;
    ASSERT_TRUE(error == "no error" || error.starts_with("x.bin: "))
        << "seed " << seed << ": " << error;
  }
  EXPECT_GT(refused, 1'000U);
}

}  // namespace
