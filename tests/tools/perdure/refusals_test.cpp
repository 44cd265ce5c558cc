// tests/tools/perdure/refusals_test.cpp - what the program cannot do, or cannot tell, is an error that says so.
// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include "run_program.hpp"

namespace perdure_program {
namespace {

TEST_F(PerdureProgram, CudaWithoutADriverIsAnErrorThatSaysWhatToDo) {
  const outcome o = run("bench rtt --backend cuda", "PERDURE_CUDA_DRIVER=/nowhere/libcuda.so");
  EXPECT_EQ(o.code, 1);
  EXPECT_NE(o.text.find("no_driver"), std::string::npos) << o.text;
  EXPECT_NE(o.text.find("install the NVIDIA driver"), std::string::npos) << o.text;
}

TEST_F(PerdureProgram, UnwritableReportIsAnErrorAndLeavesNothing) {
  const outcome o = run("info --json '" + folder_.string() + "/missing/report.json'");
  EXPECT_EQ(o.code, 1);
  EXPECT_NE(o.text.find("missing/report.json: cannot be opened"), std::string::npos) << o.text;
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(PerdureProgram, AReportThatHasNoPlaceIsRefusedBeforeTheRun) {
  namespace fs = std::filesystem;
  const std::string pipe = (folder_ / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& wrong : {folder_.string() + "/missing/report.json", folder_.string(),
                                   pipe, std::string{"/dev/null"}}) {
    const outcome o = run(
        "bench rtt --backend cpu --runs 1000 --seconds 600 --json '" + wrong + "'", "timeout 20");
    EXPECT_EQ(o.code, 1) << wrong << ": it began to measure: " << o.text;
    EXPECT_NE(o.text.find(wrong + ": "), std::string::npos) << o.text;
  }
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_EQ(std::distance(fs::directory_iterator{folder_}, fs::directory_iterator{}), 1)
      << "nothing else is left behind";
}

TEST_F(PerdureProgram, WhatCannotBePrintedIsAnError) {
  if (!std::filesystem::is_character_file("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  for (const char* words :
       {"info", "bench rtt --backend cpu --workers 1 --runs 1 --seconds 0.01"}) {
    for (const char* to : {">/dev/full", ">&-"}) {
      // standard error first, to the pipe that is read here
      const outcome o = run(std::string{words} + " 2>&1 " + to + "; exit $?");
      EXPECT_EQ(o.code, 1) << words << to << ": " << o.text;
      EXPECT_NE(o.text.find("perdure: "), std::string::npos) << o.text;
    }
    // and where it cannot be told either, it ends as it would
    EXPECT_EQ(run(std::string{words} + " >/dev/full 2>/dev/full; echo $?").text, "1\n") << words;
  }
}

TEST_F(PerdureProgram, AReportGoesWhereALinkPoints) {
  namespace fs = std::filesystem;
  fs::create_directories(folder_ / "kept");
  fs::create_symlink("kept/there.json", file());  // which is not there yet
  for (int i = 0; i < 2; ++i) {
    bench("rtt");
    EXPECT_TRUE(fs::is_symlink(file()));
    EXPECT_TRUE(fs::is_regular_file(folder_ / "kept" / "there.json"));
  }
}

TEST_F(PerdureProgram, AnOptionThatWouldChangeNothingIsRefused) {
  for (const char* wrong :
       {"all --actors 5", "hop --actors 5", "clock --actors 5", "start --actors 5",
        "park --actors 5", "savina --actors 5", "graph --actors 5", "route --hot --payload 8",
        "route --hot --tokens 5"}) {
    const outcome o = run(std::string{"bench "} + wrong + " --backend cpu", "timeout 20");
    const std::string words{wrong};
    const std::string option =
        words.substr(words.rfind("--"), words.rfind(' ') - words.rfind("--"));
    EXPECT_GT(o.code, 100) << wrong << ": " << o.text;
    EXPECT_NE(o.text.find(option), std::string::npos) << wrong << ": " << o.text;
  }
}

TEST_F(PerdureProgram, UnknownWordsAreRefused) {
  for (const char* wrong : {"bogus", "bench bogus", "bench bogus --runs 1"}) {
    const outcome o = run(wrong);
    EXPECT_GT(o.code, 100) << wrong;
    EXPECT_NE(o.text.find("'bogus' is none of "), std::string::npos) << wrong << ": " << o.text;
    EXPECT_EQ(o.text.find("info, bench") != std::string::npos, std::string{wrong} == "bogus")
        << o.text;
  }
  EXPECT_NE(run("bench rtt --backend tpu").code, 0);
  EXPECT_NE(run("bench rtt --runs 0").code, 0);
  EXPECT_NE(run("bench nothing").code, 0);
  for (const char* wrong : {"route --payload 9",
                            "route --tokens -1",
                            "rtt --actors 2147483648",
                            "rtt --workers 5000",
                            "rtt --seconds 0",
                            "inject --threads 65",
                            "hop --cluster 3",
                            "egress --threads x",
                            "sustain --seconds 601",
                            "all --limit 0",
                            "all --savina-scale 0",
                            "all --only nothing",
                            "rtt --runs many",
                            "rtt --json ''",
                            "savina --members 1",
                            "rtt --seconds nan",
                            "sustain --seconds nan",
                            "sustain --seconds -nan",
                            "all --sustain nan",
                            "all --limit nan",
                            "all --savina-scale nan",
                            "savina --scale nan",
                            "savina --caf-timeout nan",
                            "rtt --seconds inf",
                            "rtt --lanes-each 1025",
                            "sustain --runs 3",
                            "clock --runs 3"}) {
    const outcome o = run(std::string{"bench "} + wrong);
    const std::string words{wrong};
    const std::string option = words.substr(words.find("--"), words.rfind(' ') - words.find("--"));
    EXPECT_NE(o.code, 0) << wrong;
    EXPECT_NE(o.text.find(option), std::string::npos) << wrong << ": " << o.text;
  }
  EXPECT_NE(run("").code, 0);
  const outcome o = run("bench route --actors 15838 --backend cpu --seconds 0.01");  // 2 * 7919
  EXPECT_EQ(o.code, 2);
  EXPECT_NE(o.text.find("multiple of 7919"), std::string::npos) << o.text;
}

}  // namespace
}  // namespace perdure_program
