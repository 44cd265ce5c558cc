// tests/tools/perdure/program_test.cpp - runs the program: reports have their keys, answers were
// checked, errors exit. Timing decides nothing here: runs are as short as they can be.
// SPDX-License-Identifier: Apache-2.0
#include "run_program.hpp"

namespace perdure_program {
namespace {

TEST_F(PerdureProgram, ThatAutoTakesTheCpuIsSaidOnce) {
  const auto o = run("bench rtt --runs 2 --seconds 0.02 --workers 1 --no-baselines",
                     "PERDURE_CUDA_DRIVER=/nowhere/libcuda.so");
  ASSERT_EQ(o.code, 0) << o.text;
  const std::string said = "perdure: running on the CPU: ";
  const auto at = o.text.find(said);
  ASSERT_NE(at, std::string::npos) << o.text;
  EXPECT_EQ(o.text.find(said, at + 1), std::string::npos) << o.text;
}

TEST_F(PerdureProgram, RttReportsPercentilesOfCheckedReplies) {
  const json r = bench("rtt", "--actors 3");
  for (const char* key : {"p50_us", "p90_us", "p99_us"}) {
    EXPECT_GT(r.at("results").at(key).at("median").get<double>(), 0) << key;
    EXPECT_EQ(r.at("results").at(key).at("samples").size(), 2U) << key;
  }
  std::uint64_t asked = 100;  // warm-up
  for (const json& one : r.at("runs")) {
    asked += one.at("asks").get<std::uint64_t>();
    EXPECT_FALSE(one.at("first_us").empty());
  }
  EXPECT_EQ(r.at("open_loop").size(), 2U);
  for (const json& one : r.at("open_loop")) {
    EXPECT_FALSE(one.at("first_us").empty());
    EXPECT_LE(one.at("first_us").size(), one.at("asks").get<std::size_t>());
    EXPECT_GT(one.at("p99_us").get<double>(), 0);
  }
  for (const json& one : r.at("most_asks")) EXPECT_GT(one.at("asks_per_s").get<double>(), 0);
  EXPECT_EQ(r.at("answers").at("asks"), asked);
  EXPECT_EQ(r.at("answers").at("wrong"), 0);
  EXPECT_TRUE(r.at("baselines").at("launch").contains("skipped"));
  EXPECT_GT(r.at("host_pauses").at("seconds").get<double>(), 0);
  EXPECT_GE(r.at("host_pauses").at("pauses_per_s").get<double>(), 0);
  for (const char* key : {"max_asks_per_s", "half_rate_p50_us", "half_rate_p99_us"})
    EXPECT_GT(r.at("results").at(key).at("median").get<double>(), 0) << key;
  EXPECT_GT(r.at("answers").at("open_loop").at("asks").get<std::uint64_t>(), 64U);
}

TEST_F(PerdureProgram, ClockListensToLettersOfSeveralWorkers) {
  const json r = bench("clock");
  EXPECT_EQ(r.at("answers").at("actors").get<std::uint64_t>(), 2U) << "one of each worker";
  EXPECT_GT(r.at("answers").at("letters").get<std::uint64_t>(), 0U);
  EXPECT_TRUE(r.at("results").contains("bound_us"));
  EXPECT_EQ(r.at("config").at("runs"), 1) << "in windows";
}

TEST_F(PerdureProgram, ParkChecksTheFirstReplyOfWorkersThatHadLeft) {
  const json r = bench("park");
  for (const char* program : {"small", "wide"}) {
    const json& answers = r.at("answers").at(program);
    EXPECT_GT(answers.at("asks").get<std::uint64_t>(), 2U);
    EXPECT_GE(2 * answers.at("parks").get<std::uint64_t>(),
              answers.at("asks").get<std::uint64_t>());
    for (const char* key : {"p50_us", "p99_us", "next_p50_us"})
      EXPECT_EQ(r.at("results").at(std::string{program} + "_" + key).at("samples").size(), 2U);
  }
}

TEST_F(PerdureProgram, PlacementChecksThatMessagesGoLessFarAndArrive) {
  const json r = bench("placement", "--actors 64");
  for (const char* key : {"counted_messages_per_s", "rebalanced_messages_per_s"})
    EXPECT_EQ(r.at("results").at(key).at("samples").size(), 2U) << key;
  EXPECT_EQ(r.at("baselines").at("fixed_messages_per_s").at("samples").size(), 2U);
  EXPECT_EQ(r.at("comparisons").size(), 2U) << "each beside what is fixed";
  const json& share = r.at("answers").at("share_of_own_worker");
  EXPECT_LT(share.at("counted_before").get<double>(), 0.7);
  EXPECT_GT(share.at("counted_after").get<double>(), 0.9);
  EXPECT_GT(r.at("answers").at("moved").get<std::uint64_t>(), 0U);
}

TEST_F(PerdureProgram, RecordGoesThroughEachRunAgain) {
  const json r = bench("record", "--actors 64");
  for (const char* key : {"recorded_messages_per_s", "replayed_calls_per_s", "file_bytes_a_call"})
    EXPECT_EQ(r.at("results").at(key).at("samples").size(), 2U) << key;
  EXPECT_GE(r.at("results").at("file_bytes_a_call").at("min").get<double>(), 32) << "a note each";
  EXPECT_EQ(r.at("baselines").at("not_recorded_messages_per_s").at("samples").size(), 2U);
  EXPECT_EQ(r.at("comparisons").size(), 1U);
  std::uint64_t calls = 0;
  for (const json& one : r.at("runs"))
    calls += one.at("messages").get<std::uint64_t>() + 64;  // greetings
  EXPECT_EQ(r.at("answers").at("calls_gone_through_again"), calls);
  EXPECT_EQ(r.at("answers").at("states_compared"), 2 * 128);
}

TEST_F(PerdureProgram, InjectAccountsForEveryMessageOfEveryThread) {
  const json r = bench("inject", "--actors 100 --threads 3");
  std::uint64_t sent = 2ULL * 3 * 33;  // warm-up: one lap of each way to send
  for (const json& one : r.at("runs")) {
    sent += static_cast<std::uint64_t>(one.at("messages").get<double>());
    EXPECT_EQ(one.at("threads"), 3);
  }
  EXPECT_EQ(r.at("answers").at("handled"), sent);
  EXPECT_EQ(r.at("config").at("payload_bytes"), 38);
  for (const char* key : {"threads_3_many_messages_per_s", "threads_3_single_messages_per_s"})
    EXPECT_EQ(r.at("results").at(key).at("samples").size(), 2U) << key;
}

TEST_F(PerdureProgram, EgressChecksEveryLetterOfEveryMailbox) {
  const json r = bench("egress", "--actors 20 --threads 2");
  std::uint64_t least = 0;
  for (const json& one : r.at("runs"))
    least += static_cast<std::uint64_t>(one.at("messages").get<double>());
  EXPECT_GT(least, 0U);
  EXPECT_GE(r.at("answers").at("received").get<std::uint64_t>(), least);
  EXPECT_EQ(r.at("results").at("threads_2_messages_per_s").at("samples").size(), 2U);
}

TEST_F(PerdureProgram, LettersAndAnswersOfKilobytesArrive) {
  const json r = bench("letters", "--actors 8 --threads 2");
  for (const char* key : {"letters_1024_bytes_messages_per_s", "letters_4096_bytes_messages_per_s",
                          "answer_1024_bytes_p50_us", "answer_4096_bytes_p99_us"})
    EXPECT_EQ(r.at("results").at(key).at("samples").size(), 2U) << key;
  EXPECT_EQ(r.at("baselines").at("letters_240_bytes_messages_per_s").at("samples").size(), 2U);
  std::uint64_t least = 0;
  for (const json& one : r.at("runs"))
    least += static_cast<std::uint64_t>(one.at("messages").get<double>());
  EXPECT_GT(least, 0U);
  EXPECT_GE(r.at("answers").at("received").get<std::uint64_t>(), least);
  EXPECT_GT(r.at("answers").at("answered").get<std::uint64_t>(), 0U);
}

TEST_F(PerdureProgram, RouteBalancesEveryPair) {
  const json r = bench("route", "--actors 200 --tokens 50 --lanes-each 16");
  EXPECT_EQ(r.at("layout").at("lanes"), 16);
  EXPECT_EQ(r.at("config").at("lanes_each"), 16);
  EXPECT_GT(r.at("answers").at("handled").get<std::uint64_t>(), 50U * 20U);
  EXPECT_EQ(r.at("answers").at("errors"), 0);
  EXPECT_EQ(r.at("answers").at("unbalanced_pairs"), 0);
  EXPECT_EQ(r.at("answers").at("dead_letters"), 0);
  EXPECT_GT(r.at("results").at("messages_per_s").at("median").get<double>(), 0);
}

TEST_F(PerdureProgram, RouteOfSmallMessagesEqualsTheHostsReplay) {
  const json r = bench("route", "--payload 8 --actors 100 --tokens 50");
  EXPECT_EQ(r.at("config").at("payload_bytes"), 8);
  EXPECT_GT(r.at("answers").at("handled").get<std::uint64_t>(), 50U * 20U);
  for (const char* key : {"errors", "actors_unlike_replay", "dead_letters"})
    EXPECT_EQ(r.at("answers").at(key), 0) << key;
}

TEST_F(PerdureProgram, RouteToOneHotActorLosesNothing) {
  const json r = bench("route", "--hot --actors 20");
  std::uint64_t least = 0;
  for (const json& one : r.at("runs"))
    least += static_cast<std::uint64_t>(one.at("messages").get<double>());
  EXPECT_GE(r.at("answers").at("handled").get<std::uint64_t>(), least);
  EXPECT_EQ(r.at("answers").at("dead_letters"), 0);
  EXPECT_GT(r.at("results").at("hot_messages_per_s").at("median").get<double>(), 0);
}

TEST_F(PerdureProgram, HopCountsEveryTurnOfEveryRally) {
  const json r = bench("hop");
  EXPECT_GE(r.at("answers").at("inbox_hops").get<std::uint64_t>(), 2U * 3U * 100U);
  EXPECT_GE(r.at("answers").at("link_hops").get<std::uint64_t>(), 2U * 2U * 100U);
  EXPECT_EQ(r.at("matrices").at("inbox_hop").at("values").size(), 2U);
  for (const char* key : {"inbox_same_worker_p50_us", "inbox_any_p50_us", "inbox_any_p99_us",
                          "link_same_worker_p50_us", "link_any_p50_us"}) {
    EXPECT_EQ(r.at("results").at(key).at("samples").size(), 2U) << key;
  }
  EXPECT_TRUE(r.at("tear").contains("skipped"));
}

TEST_F(PerdureProgram, MicroChecksEveryLoadOfEverySize) {
  const json r = bench("micro", "--actors 50");
  for (const char* key :
       {"round_trip_38_bytes_p50_us", "round_trip_240_bytes_p50_us", "burst_1000_us", "now_ns",
        "payload_38_bytes_messages_per_s", "payload_4096_bytes_messages_per_s",
        "payload_4096_bytes_in_place_messages_per_s", "spawn_1000_ns_an_actor", "start_again_ms",
        "stop_ms"}) {
    EXPECT_EQ(r.at("results").at(key).at("samples").size(), 2U) << key;
  }
  EXPECT_GT(r.at("answers").at("loads").get<std::uint64_t>(), 0U);
  EXPECT_GT(r.at("answers").at("made_in_place").at("loads").get<std::uint64_t>(), 0U);
  EXPECT_TRUE(r.at("barriers").contains("skipped"));
}

TEST_F(PerdureProgram, SustainShowsEveryWindowAndLosesNothing) {
  const json r = bench("sustain", "--threads 1");
  for (const char* mode : {"device_only", "host_fed"}) {
    const json& books = r.at("answers").at(mode);
    EXPECT_GT(books.at("sent").get<std::uint64_t>(), 0U) << mode;
    EXPECT_EQ(books.at("sent"), books.at("handled")) << mode;
    const json& windows = r.at("windows").at(mode);
    EXPECT_GE(windows.at("messages_per_s").size(), 1U) << mode;
    EXPECT_EQ(windows.at("messages_per_s").size(), windows.at("host_bytes").size()) << mode;
    EXPECT_TRUE(r.at("percentiles").at(mode).contains("p99")) << mode;
    EXPECT_TRUE(r.at("growth").at(mode).contains("host_bytes")) << mode;
    EXPECT_GE(
        r.at("results").at(std::string{mode} + "_window_off_percent").at("median").get<double>(),
        0);
  }
}

TEST_F(PerdureProgram, StartTimesColdAndWarmInProcessesOfTheirOwn) {
  const json r = bench("start");
  EXPECT_EQ(r.at("runs").size(), 4U);
  EXPECT_EQ(r.at("results").at("cold_ms").at("samples").size(), 2U);
  EXPECT_EQ(r.at("results").at("warm_ms").at("samples").size(), 2U);
}

TEST_F(PerdureProgram, AllRunsEachAndAFailureStopsNothing) {
  const std::string out = (folder_ / "all").string();
  // a report that cannot be replaced makes one of them fail
  std::filesystem::create_directories(out + "/route_hot.json/not_a_file");
  const outcome o =
      run("bench all --backend cpu --workers 2 --runs 1 --seconds 0.01 --sustain 0.5 "
          "--savina-scale 0.003 --out '" +
          out + "'");
  EXPECT_EQ(o.code, 1) << o.text;
  std::ifstream in{out + "/all.json"};
  const json r = json::parse(in);
  EXPECT_EQ(r.at("failed"), 1) << o.text;
  EXPECT_EQ(r.at("config").at("savina_scale"), 0.003);
  std::ifstream savina{out + "/savina.json"};
  EXPECT_EQ(json::parse(savina).at("config").at("scale"), 0.003);
  EXPECT_NE(o.text.find("0.003 times its size"), std::string::npos) << o.text;
  EXPECT_GT(r.at("benchmarks").size(), 5U);
  for (const json& one : r.at("benchmarks")) {
    const std::string name = one.at("name");
    EXPECT_EQ(one.at("failed"), name == "route_hot") << name << one.at("end_of_output");
    if (name == "route_hot") continue;
    EXPECT_TRUE(std::filesystem::is_regular_file(out + "/" + name + ".json")) << name;
    EXPECT_NE(o.text.find(name + " ... ok"), std::string::npos) << o.text;
  }
  EXPECT_NE(o.text.find("route_hot ... FAILED (exit 1)"), std::string::npos) << o.text;
}

TEST_F(PerdureProgram, InfoSaysWhyEachMissingPartIsMissing) {
  const outcome o = run(
      "info --json '" + file() + "'",
      "PERDURE_CUDA_DRIVER=/nowhere/libcuda.so PERDURE_NVRTC=/nowhere/nvrtc.so PERDURE_CACHE='" +
          folder_.string() + "'");
  ASSERT_EQ(o.code, 0) << o.text;
  std::ifstream in{file()};
  const json r = json::parse(in);
  EXPECT_EQ(r.at("backends").at("cpu").at("usable"), true);
  EXPECT_EQ(r.at("backends").at("cuda").at("usable"), false);
  EXPECT_EQ(r.at("driver").at("code"), "no_driver");
  EXPECT_NE(r.at("driver").at("missing").get<std::string>().find("/nowhere/libcuda.so"),
            std::string::npos);
  EXPECT_EQ(r.at("nvrtc").at("code"), "no_nvrtc");
  EXPECT_NE(r.at("nvrtc").at("missing").get<std::string>().find("/nowhere/nvrtc.so"),
            std::string::npos);
  EXPECT_EQ(r.at("cache").at("folder"), folder_.string());
  EXPECT_EQ(r.at("cache").at("programs"), 0);
}

}  // namespace
}  // namespace perdure_program
