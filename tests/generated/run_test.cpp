// tests/generated/run_test.cpp - perdure-generated-run over two headers, as one command.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace {

using nlohmann::ordered_json;

struct outcome {
  int code;
  std::string text;
  ordered_json report;
};

class GeneratedRun : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "perdure-test-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    json_ = folder_ / "report.json";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// Runs the program, which lies beside this test.
  outcome run(const std::string& arguments, const std::string& environment = "") {
    const std::string program =
        std::filesystem::read_symlink("/proc/self/exe").replace_filename("perdure-generated-run");
    const std::string file = (folder_ / "report.json").string();
    const std::string json = json_.empty() ? "" : " --json '" + json_.string() + "'";
    const std::string line =
        environment + " '" + program + "' --quiet " + arguments + json + " 2>&1";
    outcome o{-1, {}, {}};
    std::FILE* pipe = ::popen(line.c_str(), "r");
    char part[4096];
    for (std::size_t n; (n = std::fread(part, 1, sizeof part, pipe)) > 0;) o.text.append(part, n);
    const int status = ::pclose(pipe);
    o.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    std::ifstream in{json_};
    o.report = ordered_json::parse(in, nullptr, false);
    return o;
  }
  std::filesystem::path folder_, json_;
};

/// Runs whose schedule is the seed's: they are the same in every process.
ordered_json seeded(const ordered_json& results) {
  ordered_json kept = ordered_json::array();
  for (const auto& r : results) {
    if (r.at("on").get<std::string>().find("seeded") != std::string::npos) kept.push_back(r);
  }
  return kept;
}

TEST_F(GeneratedRun, TwoProcessesAtATimeGiveWhatEachHeaderGivesByItself) {
  const outcome free = run("--header free_1"), ordered = run("--header ordered_1");
  const outcome both = run("--only free1_ --only ordered1_ --jobs 2");
  ASSERT_EQ(both.code, 0) << both.text;
  ASSERT_EQ(free.code, 0) << free.text;
  ASSERT_EQ(ordered.code, 0) << ordered.text;
  EXPECT_FALSE(free.report.contains("headers")) << "one header runs in this process";
  EXPECT_EQ(both.report.at("headers"), 2);
  EXPECT_EQ(both.report.at("jobs"), 2);
  EXPECT_TRUE(both.report.at("failed_processes").empty());

  ordered_json apart = free.report.at("results");
  for (const auto& r : ordered.report.at("results")) apart.push_back(r);
  ASSERT_EQ(seeded(apart).size(), 20U);
  EXPECT_EQ(seeded(both.report.at("results")), seeded(apart));

  std::set<std::string> programs;
  std::uint64_t wraps = 0, spilled = 0, dead = 0;
  for (const auto& r : both.report.at("results")) {
    programs.insert(r.at("program").get<std::string>());
    wraps += r.at("wraps").get<std::uint64_t>();
    spilled += r.at("spilled").get<std::uint64_t>();
    dead += r.at("dead").get<std::uint64_t>();
  }
  const ordered_json& totals = both.report.at("totals");
  EXPECT_EQ(programs.size(), 10U);
  EXPECT_EQ(totals.at("programs"), 10);
  EXPECT_EQ(totals.at("order_free"), 5);
  EXPECT_EQ(totals.at("order_dependent"), 5);
  EXPECT_EQ(totals.at("runs"), 30);
  EXPECT_EQ(totals.at("disagree"), 0);
  EXPECT_EQ(totals.at("wraps"), wraps);
  EXPECT_EQ(totals.at("spilled"), spilled);
  EXPECT_EQ(totals.at("dead"), dead);
  EXPECT_NE(both.text.find("5 order-free and 5 order-dependent programs, 30 runs"),
            std::string::npos)
      << both.text;
}

TEST_F(GeneratedRun, WhereNoProcessCanRunTheExitCodeSaysSoAndTheReportWhy) {
  const outcome o = run("--backend cuda --only free1_ --only ordered1_ --jobs 2",
                        "PERDURE_CUDA_DRIVER=/nowhere/libcuda.so");
  EXPECT_EQ(o.code, 2) << o.text;
  EXPECT_EQ(o.report.at("totals").at("disagree"), 2) << "the first program of each header";
  for (const auto& r : o.report.at("results")) {
    EXPECT_NE(r.at("error").get<std::string>().find("no_driver"), std::string::npos);
  }
}

TEST_F(GeneratedRun, AProcessThatIsKilledFailsTheWholeCommand) {
  // no file may grow: each process ends by SIGXFSZ at its first write; the command itself writes none
  json_.clear();
  const outcome o = run("--only free1_ --only ordered1_ --jobs 2", "ulimit -c 0; ulimit -f 0;");
  EXPECT_EQ(o.code, 1) << o.text;
  EXPECT_NE(o.text.find("\"header\":\"free_1\",\"exit_code\":153"), std::string::npos) << o.text;
}

TEST_F(GeneratedRun, AProgramThatNobodyHasIsNoSuccess) {
  const outcome o = run("--only nobody --jobs 2");
  EXPECT_EQ(o.code, 1) << o.text;
  EXPECT_EQ(o.report.at("totals").at("runs"), 0);
}

}  // namespace
