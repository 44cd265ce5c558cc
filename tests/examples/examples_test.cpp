// tests/examples/examples_test.cpp - the examples print what a plain calculation gives.
// Why: the build sets EXAMPLES_BACKEND and EXAMPLES_SUITE: the same claims hold on CPU and GPU.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>

namespace {

/// Runs a command. @return what it printed; `code` is its exit status.
std::string read_all(const std::string& command, int& code) {
  std::string text;
  std::FILE* pipe = popen(command.c_str(), "r");
  char chunk[4096];
  for (std::size_t n; (n = std::fread(chunk, 1, sizeof chunk, pipe)) > 0;) text.append(chunk, n);
  const int status = pclose(pipe);
  code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return text;
}
/// The examples lie beside this test, also where both were copied to from another machine.
std::string run(const std::string& example, int& code, const char* backend = EXAMPLES_BACKEND) {
  const std::string program =
      std::filesystem::read_symlink("/proc/self/exe").replace_filename(example);
  return read_all("'" + program + "' --backend " + backend + " 2>&1", code);
}

/// Runs an example and compares all it prints; skips where the machine has no GPU.
void expect_prints(const std::string& program, const std::string& expected) {
  int code = -1;
  const std::string text = run(program, code);
  if (code == 1 && (text.find("no_device") != std::string::npos ||
                    text.find("no_driver") != std::string::npos)) {
    GTEST_SKIP() << text;
  }
  EXPECT_EQ(code, 0) << text;
  EXPECT_EQ(text, expected);
}

TEST(EXAMPLES_SUITE, CounterAddsOneToAHundredAThousandTimes) {
  expect_prints("counter", "one counter: 5050\nall counters: 5050000\n");
}

TEST(EXAMPLES_SUITE, BankLosesNoCentAndRefusesWhatIsNotThere) {
  expect_prints("bank", "in the bank: 10000.00\nrefused by account 3: yes\n");
}

TEST(EXAMPLES_SUITE, PingPongEndsAtTheReceiverAfterAnOddNumberOfStrokes) {
  expect_prints("ping_pong", "pings: 5001\npongs: 5000\ntold by the receiver: yes\n");
}

TEST(EXAMPLES_SUITE, PipelineGivesWhatALoopGives) {
  double lowest = 1e300, highest = -1e300, sum = 0;
  unsigned kept = 0, dropped = 0;
  for (unsigned i = 0; i < 40'000; ++i) {
    const auto raw = static_cast<std::uint16_t>(i * 2'654'435'761U >> 16U);
    const double celsius = raw / 256.0 - 50.0;
    if (celsius < -40 || celsius > 85) {
      ++dropped;
      continue;
    }
    lowest = std::min(lowest, celsius);
    highest = std::max(highest, celsius);
    sum += celsius;
    ++kept;
  }
  char expected[200];
  std::snprintf(expected, sizeof expected,
                "kept %u, dropped %u\nlowest %.4f, highest %.4f, mean %.6f\n", kept, dropped,
                lowest, highest, sum / kept);
  ASSERT_GT(dropped, 1'000U);
  expect_prints("pipeline", expected);
}

TEST(EXAMPLES_SUITE, AnUnknownArgumentIsRefused) {
  for (const char* program : {"counter", "bank", "ping_pong", "pipeline"}) {
    int code = -1;
    const auto text = run(program, code, "gpu");
    EXPECT_EQ(code, 2);
    EXPECT_NE(text.find("usage: "), std::string::npos);
  }
}

}  // namespace
