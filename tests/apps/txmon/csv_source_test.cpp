// tests/apps/txmon/csv_source_test.cpp - mapped columns become transactions; anything else is named.
// SPDX-License-Identifier: Apache-2.0
#include "csv_source.hpp"

#include <random>
#include <vector>

#include "failure.hpp"
#include "scratch.hpp"

namespace {

using namespace txmon;
using test::header;
using test::scratch;

struct read_all {
  csv_source from;
  block all;
  explicit read_all(const std::string& path, const column_map& columns = column_map::paysim(),
                    bool lenient = false)
      : from{path, columns, lenient} {
    for (piece p; from.claim(p); p = {}) {
      block b;
      from.parse(p, b);
      for (const label& l : b.labels) all.labels.push_back({all.rows.size() + l.row, l.kind});
      all.rows.insert(all.rows.end(), b.rows.begin(), b.rows.end());
      all.skipped += b.skipped;
      all.reasons.insert(all.reasons.end(), b.reasons.begin(), b.reasons.end());
    }
  }
  std::string debtor(std::size_t i) { return from.names().name_of(all.rows[i].account.get()); }
  std::string creditor(std::size_t i) {
    return from.names().name_of(all.rows[i].counterparty.get());
  }
};

/// The error for a file of the header and `rows`, without the directory.
std::string error_of(std::string_view rows, std::string_view head = header) {
  const scratch s;
  const auto path = s.write("in.csv", std::string{head} + std::string{rows});
  try {
    read_all{path};
  } catch (const failure& e) {
    return std::string{e.what()}.substr(s.path().string().size() + 1);
  }
  return "no error";
}

constexpr const char* good = "1,PAYMENT,9839.64,C1,170136,160296.36,M2,0,0,0,0\n";

TEST(CsvSource, FieldsBecomeATransaction) {
  const scratch s;
  read_all in{
      s.write("in.csv", std::string{header} + good + "3,CASH_OUT,1.00E+07,C3,1,0,C1,5,0,1,0\n")};
  const auto& rows = in.all.rows;
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].when(), 3'600'000);
  EXPECT_EQ(rows[0].amount(), 983'964);
  EXPECT_EQ(rows[0].what(), kind::payment);
  EXPECT_EQ(rows[0].country, 0);
  EXPECT_EQ(currency_name(rows[0].currency), "XXX");
  EXPECT_EQ(in.debtor(0), "C1");
  EXPECT_EQ(in.creditor(0), "M2");
  EXPECT_EQ(rows[1].when(), 3 * 3'600'000);
  EXPECT_EQ(rows[1].amount(), 1'000'000'000);
  EXPECT_EQ(rows[1].what(), kind::cash_out);
  EXPECT_EQ(in.creditor(1), "C1");
  ASSERT_EQ(in.all.labels.size(), 1U);
  EXPECT_EQ(in.all.labels[0].row, 1U);
  EXPECT_EQ(in.from.names().size(), 3U);
}

TEST(CsvSource, CashInMovesMoneyToTheOriginator) {
  const scratch s;
  read_all in{s.write("in.csv", std::string{header} + "1,CASH_IN,5,C1,0,5,C2,0,0,0,0\n")};
  EXPECT_EQ(in.creditor(0), "C1");
  EXPECT_EQ(in.debtor(0), "C2");
}

TEST(CsvSource, ColumnsMayComeInAnyOrderAmongOthers) {
  const scratch s;
  read_all in{s.write(
      "in.csv", "note,isFraud,nameDest,nameOrig,amount,type,step\r\nany,1,M2,C1,7.50,DEBIT,4")};
  ASSERT_EQ(in.all.rows.size(), 1U);
  EXPECT_EQ(in.all.rows[0].amount(), 750);
  EXPECT_EQ(in.all.rows[0].when(), 4 * 3'600'000);
  EXPECT_EQ(in.all.labels.size(), 1U);
}

TEST(CsvSource, AMapNamesOtherColumnsCurrencyCountryAndChannel) {
  const scratch s;
  const auto columns = column_map::parse(
      R"({"time": "at", "account": "from", "counterparty": "to", "amount": "sum", "currency": "cur",
          "country": "where", "channel": "how", "channels": {"POS": "card", "WEB": "online"}})",
      "map");
  read_all in{
      s.write("in.csv",
              "at,from,to,sum,cur,where,how\n17,a-1,b_2,3.20,USD,DE,POS\n18,a-1,b_2,1,EUR,,WEB\n"),
      columns};
  ASSERT_EQ(in.all.rows.size(), 2U);
  EXPECT_EQ(in.all.rows[0].when(), 17);
  EXPECT_EQ(currency_name(in.all.rows[0].currency), "USD");
  EXPECT_EQ(country_name(in.all.rows[0].country), "DE");
  EXPECT_EQ(in.all.rows[0].via, channel::card);
  EXPECT_EQ(in.all.rows[1].country, 0);
  EXPECT_EQ(in.debtor(1), "a-1");
}

TEST(CsvSource, AMapWithAnUnknownKeyAMissingColumnOrAnUnknownMeaningIsRefused) {
  const auto error = [](const char* text) {
    try {
      column_map::parse(text, "map");
    } catch (const failure& e) {
      return std::string{e.what()};
    }
    return std::string{"no error"};
  };
  EXPECT_EQ(error(R"({"time": "a", "account": "b", "counterparty": "c"})"),
            "map: key 'amount': expected the name of a column, found null");
  const std::string four = R"({"time": "a", "account": "b", "counterparty": "c", "amount": "d", )";
  EXPECT_NE(
      error((four + R"("colour": "e"})").c_str()).find("map: unknown key 'colour'; known are time"),
      std::string::npos);
  EXPECT_EQ(error((four + R"("types": {"X": "gift"}})").c_str()),
            "map: key 'types': 'X' cannot mean \"gift\"");
  EXPECT_EQ(
      error((four + R"("default_currency": "EURO"})").c_str()),
      "map: key 'default_currency': expected a code of ISO 4217 such as \"EUR\", found \"EURO\"");
  EXPECT_EQ(error((four + R"("label": "b"})").c_str()),
            "map: key 'label': column 'b' is what 'account' names");
  EXPECT_EQ(error((four + R"("amount": "e"})").c_str()), "map: key 'amount' stands twice");
  EXPECT_NE(error((four + R"("types": )" + std::string(200'000, '[')).c_str()).find("at most 16"),
            std::string::npos);
}

TEST(CsvSource, ThePaysimMapInTheTreeIsTheOneBuiltIn) {
  const auto file = column_map::read(TXMON_COLUMNS), built_in = column_map::paysim();
  EXPECT_EQ(file.time, built_in.time);
  EXPECT_EQ(file.time_unit_ms, built_in.time_unit_ms);
  EXPECT_EQ(file.label, built_in.label);
  ASSERT_EQ(file.types.size(), 5U);
  for (const auto& [text, meaning] : file.types) {
    EXPECT_EQ(meaning.what, built_in.types.at(text).what);
    EXPECT_EQ(meaning.reversed, text == "CASH_IN");
  }
}

TEST(CsvSource, LenientSkipsCountsAndTellsWhy) {
  const scratch s;
  read_all in{s.write("in.csv", std::string{header} + good +
                                    "1,PAYMENT,-5,C8,0,0,M9,0,0,0,0\nrubbish\n" + good),
              column_map::paysim(), true};
  EXPECT_EQ(in.all.rows.size(), 2U);
  EXPECT_EQ(in.all.skipped, 2U);
  ASSERT_EQ(in.all.reasons.size(), 2U);
  EXPECT_NE(in.all.reasons[0].find("in.csv:3:11: column 'amount'"), std::string::npos);
  EXPECT_EQ(in.from.names().size(), 2U);  // a line that is refused leaves no account behind
}

TEST(CsvSource, ALineTooLongIsRefusedOrSkippedLikeAnyOther) {
  const std::string longer(txmon::line_source::longest_line + 4'000, ',');
  EXPECT_EQ(error_of(good + longer + "\n" + good),
            "in.csv:3: expected a line of at most 65536 bytes");
  EXPECT_EQ(error_of("", longer + "\n"), "in.csv:1: expected a line of at most 65536 bytes");
  const scratch s;
  read_all in{s.write("in.csv", std::string{header} + good + longer + "\n" + good),
              column_map::paysim(), true};
  EXPECT_EQ(in.all.rows.size(), 2U);
  ASSERT_EQ(in.all.skipped, 1U);
  EXPECT_NE(in.all.reasons[0].find("in.csv:3: expected a line of at most"), std::string::npos);
}

TEST(CsvSource, SeekGoesOnAfterALine) {
  const scratch s;
  std::string text{header};
  for (int i = 0; i < 10'000; ++i) text += std::to_string(i) + ",PAYMENT,1,C1,0,0,M2,0,0,0,0\n";
  csv_source first{s.write("in.csv", text), column_map::paysim(), false};
  piece p, q;
  ASSERT_TRUE(first.claim(p));
  csv_source second{(s.path() / "in.csv").string(), column_map::paysim(), false};
  second.seek(p.end);
  ASSERT_TRUE(second.claim(q));
  block b;
  second.parse(q, b);
  EXPECT_EQ(b.rows[0].when(), 4096 * 3'600'000LL);
  EXPECT_THROW(second.seek({0, 20'000}), failure);
}

TEST(CsvSource, AHeaderAloneIsAnEmptyStream) {
  const scratch s;
  EXPECT_TRUE(read_all{s.write("in.csv", header)}.all.rows.empty());
}

TEST(CsvSource, AnEmptyFileIsRefused) {
  EXPECT_EQ(error_of("", ""),
            "in.csv:1: the input is empty; expected a header line with column 'step'");
}

TEST(CsvSource, AMissingOrDoubledColumnIsNamed) {
  EXPECT_EQ(error_of("", "step,type\n"),
            "in.csv:1: expected one column 'nameOrig', found none; the header is 'step,type'");
  EXPECT_EQ(error_of("", "step,type,step\n"),
            "in.csv:1: expected one column 'step', found 2; the header is 'step,type,step'");
}

TEST(CsvSource, ALineWithTooFewOrTooManyFieldsIsRefused) {
  EXPECT_EQ(error_of("1,PAYMENT,5\n"),
            "in.csv:2: expected 11 fields as in the header, found 3: '1,PAYMENT,5'");
  EXPECT_EQ(error_of(std::string{good} + "\n" + good),
            "in.csv:3: expected 11 fields as in the header, found 1: ''");
  const std::string commas(200, ',');
  EXPECT_NE(error_of(commas + "\n").find("found 201"), std::string::npos);
}

TEST(CsvSource, EachWrongFieldIsRefusedAtItsPlace) {
  struct wrong {
    const char* row;
    const char* error;
  };
  const wrong cases[] = {
      {"x,PAYMENT,5,C1,0,0,M2,0,0,0,0\n",
       "in.csv:2:1: column 'step': expected a whole number of 3600000 ms each, from 0 to 78187493, found 'x'"},
      {"-1,PAYMENT,5,C1,0,0,M2,0,0,0,0\n",
       "in.csv:2:1: column 'step': expected a whole number of 3600000 ms each, from 0 to 78187493, found "
       "'-1'"},
      {"1,PAY,5,C1,0,0,M2,0,0,0,0\n",
       "in.csv:2:3: column 'type': expected one of CASH_IN, CASH_OUT, DEBIT, PAYMENT, TRANSFER, found "
       "'PAY'"},
      {"1,PAYMENT,-5,C1,0,0,M2,0,0,0,0\n",
       "in.csv:2:11: column 'amount': expected a decimal number from 0 to 90000000000 in whole "
       "cents, such as 181 or 9839.64, found '-5'"},
      {"1,PAYMENT,5,,0,0,M2,0,0,0,0\n",
       "in.csv:2:13: column 'nameOrig': expected an account name of 1 to 40 letters, digits, '-', '_' or '.', "
       "such as C1231006815, found ''"},
      {"1,PAYMENT,5,C1,0,0,\"M2\",0,0,0,0\n",
       "in.csv:2:20: column 'nameDest': expected an account name of 1 to 40 letters, digits, '-', '_' or '.', "
       "such as C1231006815, found '\"M2\"'"},
      {"1,PAYMENT,5,C1,0,0,M2,0,0,yes,0\n",
       "in.csv:2:27: column 'isFraud': expected 0 or 1, found 'yes'"},
  };
  for (const auto& c : cases) EXPECT_EQ(error_of(c.row), c.error);
}

TEST(CsvSource, ControlBytesInAFieldDoNotReachTheMessage) {
  EXPECT_NE(error_of("1,\x1b[31mRED\x01,5,C1,0,0,M2,0,0,0,0\n").find("found '?[31mRED?'"),
            std::string::npos);
}

TEST(CsvSource, AFileCutInTheMiddleOfALineIsRefused) {
  EXPECT_EQ(error_of(std::string{good} + "1,PAYMENT,9839"),
            "in.csv:3: expected 11 fields as in the header, found 3: '1,PAYMENT,9839'");
}

TEST(CsvSource, AnyDamageIsEitherReadOrRefusedWithFileAndLine) {
  const std::string whole =
      std::string{header} + good + good + "3,CASH_OUT,1.00E+07,C3,1,0,C1,5,0,1,0\r\n";
  unsigned refused = 0;
  for (unsigned seed = 1; seed <= 2'000; ++seed) {
    std::mt19937 random{seed};
    std::string text = whole;
    for (auto cuts = 1 + random() % 3; cuts > 0 && !text.empty(); --cuts) {
      const auto at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text[at] = static_cast<char>(random());
          break;
        case 1:
          text.erase(at, 1 + random() % 20);
          break;
        case 2:
          text.insert(at, 1 + random() % 3, ",\n\r.E-\"0"[random() % 8]);
          break;
        default:
          text.resize(at + 1);
          break;
      }
    }
    const auto error = error_of(text, "");
    if (error == "no error") continue;
    ++refused;
    ASSERT_EQ(error.rfind("in.csv:", 0), 0U) << "seed " << seed << ": " << error;
    for (const char c : error)
      ASSERT_TRUE(c >= ' ' && c <= '~') << "seed " << seed << ": " << error;
  }
  EXPECT_GT(refused, 1'000U);
}

}  // namespace
