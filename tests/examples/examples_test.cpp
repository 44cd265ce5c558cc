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
std::string run(const std::string& example, int& code, const std::string& arguments) {
  const std::string program =
      std::filesystem::read_symlink("/proc/self/exe").replace_filename(example);
  return read_all("'" + program + "' " + arguments + " 2>&1", code);
}
const std::string backend = "--backend " EXAMPLES_BACKEND;

/// Runs an example and compares all it prints; skips where the machine has no GPU.
void expect_prints(const std::string& program, const std::string& expected,
                   const std::string& further = "") {
  int code = -1;
  const std::string text = run(program, code, backend + further);
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

TEST(EXAMPLES_SUITE, LookBackFindsTheCallThatWentWrong) {
  expect_prints("look_back", "too much: pay{to: purse#701, cents: 800}\n");
}

TEST(EXAMPLES_SUITE, DotMultipliesAndAddsUpSixteenPieces) {
  double sum = 0;
  for (int piece = 1; piece <= 16; ++piece) {
    for (int i = 0; i < 4096; ++i) sum += 2.0 * (i % 7) * piece;
  }
  expect_prints("dot", "a . b = " + std::to_string(static_cast<std::int64_t>(sum)) + "\n");
}

/// The cells alive on a torus of 256 x 256 after so many generations, by a plain loop.
std::size_t alive_after(int generations) {
  constexpr std::size_t n = 256;
  std::string now(n * n, 0), next(n * n, 0);
  for (std::size_t i = 0; i < n * n; ++i)
    now[i] = static_cast<char>(i * 2'654'435'761U >> 13U & 1U);
  for (int g = 0; g < generations; ++g) {
    for (std::size_t i = 0; i < n * n; ++i) {
      int neighbours = 0;
      for (std::size_t dy : {n - 1, std::size_t{0}, std::size_t{1}}) {
        for (std::size_t dx : {n - 1, std::size_t{0}, std::size_t{1}}) {
          if (dy == 0 && dx == 0) continue;
          neighbours += now[(i / n + dy) % n * n + (i % n + dx) % n];
        }
      }
      next[i] = neighbours == 3 || (neighbours == 2 && now[i] != 0) ? 1 : 0;
    }
    std::swap(now, next);
  }
  return static_cast<std::size_t>(std::count(now.begin(), now.end(), 1));
}

TEST(EXAMPLES_SUITE, LifeGoesOnAsInAPlainLoop) {
  for (const int generations : {1, 2, 100}) {
    const std::string n = std::to_string(generations);
    expect_prints(
        "life",
        "alive after " + n + " generations: " + std::to_string(alive_after(generations)) + "\n",
        " --generations " + n);
  }
}

TEST(EXAMPLES_SUITE, PingPongEndsAtTheReceiverAfterAnOddNumberOfStrokes) {
  expect_prints("ping_pong", "pings: 5001\npongs: 5000\ntold by the receiver: yes\n");
}

/// What the pipeline has to print for so many frames of four readings.
std::string summary_of(unsigned frames) {
  double lowest = 1e300, highest = -1e300, sum = 0;
  unsigned kept = 0, dropped = 0;
  for (unsigned i = 0; i < frames * 4; ++i) {
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
  EXPECT_GT(dropped, frames);  // else the filter would not be tested
  char expected[200];
  std::snprintf(expected, sizeof expected,
                "kept %u, dropped %u\nlowest %.4f, highest %.4f, mean %.6f\n", kept, dropped,
                lowest, highest, sum / kept);
  return expected;
}

TEST(EXAMPLES_SUITE, PipelineGivesWhatALoopGives) { expect_prints("pipeline", summary_of(10'000)); }

TEST(EXAMPLES_SUITE, PipelineSendsAsManyFramesAsItIsTold) {
  ASSERT_NE(summary_of(200), summary_of(10'000));
  expect_prints("pipeline", summary_of(200), " --frames 200");
}

TEST(EXAMPLES_SUITE, AnUnknownArgumentIsRefused) {
  for (const char* program : {"counter", "bank", "ping_pong", "pipeline"}) {
    for (const char* arguments : {"--backend gpu", "--backend cpu --backend gpu", "--backend",
                                  "--turns 3", "--backend cpu --turns 3"}) {
      int code = -1;
      const auto text = run(program, code, arguments);
      EXPECT_EQ(code, 2) << program << ' ' << arguments << '\n' << text;
      EXPECT_NE(text.find("usage: "), std::string::npos) << text;
    }
  }
}

TEST(EXAMPLES_SUITE, ANumberOfFramesThatIsNoneIsRefusedAndNamed) {
  for (const char* value : {"0", "-1", "ten", "10x", "", "1000001", "99999999999"}) {
    int code = -1;
    const auto text = run("pipeline", code, backend + " --frames '" + value + "'");
    EXPECT_EQ(code, 2) << value;
    EXPECT_NE(text.find(std::string{"not understood: --frames "} + value + "\n"), std::string::npos)
        << text;
    EXPECT_NE(text.find("[--frames 1..1000000]"), std::string::npos) << text;
  }
}

}  // namespace
