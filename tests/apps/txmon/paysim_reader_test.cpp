// tests/apps/txmon/paysim_reader_test.cpp - PaySim's columns become transactions; anything else is named.
// SPDX-License-Identifier: Apache-2.0
#include "paysim_reader.hpp"

#include <random>
#include <vector>

#include "failure.hpp"
#include "scratch.hpp"

namespace {

using namespace txmon;
using test::header;
using test::scratch;

struct read_all {
  accounts names;
  std::vector<transaction> rows;
  explicit read_all(const std::string& path) {
    paysim_reader reader{path, names};
    for (transaction t{}; reader.next(t);) rows.push_back(t);
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

TEST(PaysimReader, FieldsBecomeATransaction) {
  const scratch s;
  const read_all in{
      s.write("in.csv", std::string{header} + good + "3,CASH_OUT,1.00E+07,C3,1,0,C1,5,0,1,0\n")};
  ASSERT_EQ(in.rows.size(), 2U);
  EXPECT_EQ(in.rows[0].sequence, 1U);
  EXPECT_EQ(in.rows[0].time_ms, 3'600'000);
  EXPECT_EQ(in.rows[0].cents, 983'964);
  EXPECT_EQ(in.names.name_of(in.rows[0].debtor), "C1");
  EXPECT_EQ(in.names.name_of(in.rows[0].creditor), "M2");
  EXPECT_FALSE(in.rows[0].fraud);
  EXPECT_EQ(in.rows[1].sequence, 2U);
  EXPECT_EQ(in.rows[1].time_ms, 3 * 3'600'000);
  EXPECT_EQ(in.rows[1].cents, 1'000'000'000);
  EXPECT_EQ(in.rows[1].creditor, in.rows[0].debtor);
  EXPECT_TRUE(in.rows[1].fraud);
  EXPECT_EQ(in.names.size(), 3U);
}

TEST(PaysimReader, CashInMovesMoneyToTheOriginator) {
  const scratch s;
  const read_all in{s.write("in.csv", std::string{header} + "1,CASH_IN,5,C1,0,5,C2,0,0,0,0\n")};
  EXPECT_EQ(in.names.name_of(in.rows[0].creditor), "C1");
  EXPECT_EQ(in.names.name_of(in.rows[0].debtor), "C2");
}

TEST(PaysimReader, ColumnsMayComeInAnyOrderAmongOthers) {
  const scratch s;
  const read_all in{s.write(
      "in.csv",
      "note,isFlaggedFraud,isFraud,newbalanceDest,oldbalanceDest,nameDest,newbalanceOrig,"
      "oldbalanceOrg,nameOrig,amount,type,step\r\nany text,0,1,0,0,M2,0,0,C1,7.50,DEBIT,4")};
  ASSERT_EQ(in.rows.size(), 1U);
  EXPECT_EQ(in.rows[0].cents, 750);
  EXPECT_EQ(in.rows[0].time_ms, 4 * 3'600'000);
  EXPECT_TRUE(in.rows[0].fraud);
}

TEST(PaysimReader, AHeaderAloneIsAnEmptyStream) {
  const scratch s;
  EXPECT_TRUE(read_all{s.write("in.csv", header)}.rows.empty());
}

TEST(PaysimReader, AnEmptyFileIsRefused) {
  EXPECT_EQ(error_of("", ""),
            "in.csv:1: the input is empty; expected a header line with column 'step'");
}

TEST(PaysimReader, AMissingOrDoubledColumnIsNamed) {
  EXPECT_EQ(error_of("", "step,type\n"),
            "in.csv:1: expected one column 'amount', found none; the header is 'step,type'");
  EXPECT_EQ(error_of("", "step,type,step\n"),
            "in.csv:1: expected one column 'step', found 2; the header is 'step,type,step'");
}

TEST(PaysimReader, ALineWithTooFewOrTooManyFieldsIsRefused) {
  EXPECT_EQ(error_of("1,PAYMENT,5\n"),
            "in.csv:2: expected 11 fields as in the header, found 3: '1,PAYMENT,5'");
  EXPECT_EQ(error_of(std::string{good} + "\n" + good),
            "in.csv:3: expected 11 fields as in the header, found 1: ''");
  const std::string commas(200, ',');
  EXPECT_NE(error_of(commas + "\n").find("found 201"), std::string::npos);
}

TEST(PaysimReader, EachWrongFieldIsRefusedAtItsPlace) {
  struct wrong {
    const char* row;
    const char* error;
  };
  const wrong cases[] = {
      {"x,PAYMENT,5,C1,0,0,M2,0,0,0,0\n",
       "in.csv:2:1: column 'step': expected a whole number of hours from 0 to 10000000, found 'x'"},
      {"-1,PAYMENT,5,C1,0,0,M2,0,0,0,0\n",
       "in.csv:2:1: column 'step': expected a whole number of hours from 0 to 10000000, found "
       "'-1'"},
      {"1,PAY,5,C1,0,0,M2,0,0,0,0\n",
       "in.csv:2:3: column 'type': expected CASH_IN, CASH_OUT, DEBIT, PAYMENT or TRANSFER, found "
       "'PAY'"},
      {"1,PAYMENT,-5,C1,0,0,M2,0,0,0,0\n",
       "in.csv:2:11: column 'amount': expected a decimal number from 0 to 90000000000 in whole "
       "cents, such as 181 or 9839.64, found '-5'"},
      {"1,PAYMENT,5,,0,0,M2,0,0,0,0\n",
       "in.csv:2:13: column 'nameOrig': expected an account name of 1 to 40 letters and digits, "
       "such as C1231006815, found ''"},
      {"1,PAYMENT,5,C1,zero,0,M2,0,0,0,0\n",
       "in.csv:2:16: column 'oldbalanceOrg': expected a decimal number from 0 to 90000000000 in "
       "whole cents, such as 181 or 9839.64, found 'zero'"},
      {"1,PAYMENT,5,C1,0,0,\"M2\",0,0,0,0\n",
       "in.csv:2:20: column 'nameDest': expected an account name of 1 to 40 letters and digits, "
       "such as C1231006815, found '\"M2\"'"},
      {"1,PAYMENT,5,C1,0,0,M2,0,0.001,0,0\n",
       "in.csv:2:25: column 'newbalanceDest': expected a decimal number from 0 to 90000000000 in "
       "whole cents, such as 181 or 9839.64, found '0.001'"},
      {"1,PAYMENT,5,C1,0,0,M2,0,0,yes,0\n",
       "in.csv:2:27: column 'isFraud': expected 0 or 1, found 'yes'"},
      {"1,PAYMENT,5,C1,0,0,M2,0,0,0,2\n",
       "in.csv:2:29: column 'isFlaggedFraud': expected 0 or 1, found '2'"},
  };
  for (const auto& c : cases) EXPECT_EQ(error_of(c.row), c.error);
}

TEST(PaysimReader, TimeThatGoesBackIsRefused) {
  EXPECT_EQ(
      error_of("2,PAYMENT,5,C1,0,0,M2,0,0,0,0\n1,PAYMENT,5,C3,0,0,M4,0,0,0,0\n"),
      "in.csv:3:1: column 'step': expected at least 2, the step of the line before, found '1'");
}

TEST(PaysimReader, ControlBytesInAFieldDoNotReachTheMessage) {
  EXPECT_NE(error_of("1,\x1b[31mRED\x01,5,C1,0,0,M2,0,0,0,0\n").find("found '?[31mRED?'"),
            std::string::npos);
}

TEST(PaysimReader, AFileCutInTheMiddleOfALineIsRefused) {
  EXPECT_EQ(error_of(std::string{good} + "1,PAYMENT,9839"),
            "in.csv:3: expected 11 fields as in the header, found 3: '1,PAYMENT,9839'");
}

TEST(PaysimReader, AnyDamageIsEitherReadOrRefusedWithFileAndLine) {
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
