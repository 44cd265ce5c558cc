// tests/apps/txmon/kill_main.cpp - kills txmon at random moments and lets it go on, until it ends by itself.
// Why: "stored once, whenever the process dies" can only be shown by processes that die. A person runs it with 50.
//      Rows come from the generator, from a packed CSV file and from a binary file made of it: each is found again its own way.
// usage: txmon_kill_test PROGRAM KILLS SEED CSV [JSON]
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include "common/output_file.hpp"
#include "scratch.hpp"
#include "tests/support/random.hpp"
#include "tools/evidence/machine.hpp"

namespace {

using namespace std::chrono_literals;

/// Starts txmon without output.
pid_t begin(const std::string& program, const std::vector<std::string>& arguments) {
  const pid_t child = fork();
  if (child != 0) return child;
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (const auto& a : arguments) words.push_back(const_cast<char*>(a.c_str()));
  words.push_back(nullptr);
  execv(program.c_str(), words.data());
  _exit(127);
}

/// All rows of all tables, without the stamps that differ between runs; or the lines of a file.
std::string contents(const std::string& path) {
  if (path.ends_with(".jsonl")) {
    std::ifstream in{path};
    const std::string text{std::istreambuf_iterator<char>{in}, {}};
    return std::regex_replace(text, std::regex{",\"hlc\":[0-9]+"}, "");
  }
  sqlite3* file = nullptr;
  std::string out;
  const auto add = [](void* to, int n, char** values, char**) {
    for (int i = 0; i < n; ++i)
      *static_cast<std::string*>(to) += std::string{values[i] ? values[i] : ""} + "|";
    return 0;
  };
  if (sqlite3_open_v2(path.c_str(), &file, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK) {
    for (
        const char* query :
        {"SELECT time_ms, number, side, rule, severity, reason, score, account, counterparty, value, \"limit\", "
         "from_ms, evidence FROM alert ORDER BY 1, 2, 3, 4",
         "SELECT * FROM late ORDER BY 1"})
      sqlite3_exec(file, query, add, &out, nullptr);
  }
  sqlite3_close(file);
  return out;
}

/// Where rows come from, and the arguments that go with it.
struct input {
  std::string name;
  std::vector<std::string> arguments;
};

/// One input and one store, killed `kills` times.
/// @return what happened: {input, store, kills, killed_after_ms, complete_before_a_kill, bytes, equal}
nlohmann::ordered_json killed_often(const std::string& program, const txmon::test::scratch& at,
                                    const input& from, const std::string& store, unsigned kills,
                                    perdure::support::random_source& random) {
  nlohmann::ordered_json told{
      {"input", from.name}, {"store", store}, {"kills", 0}, {"equal", false}};
  const std::string where = (at.path() / (from.name + "-" + store)).string();
  std::vector<std::string> common = from.arguments;
  for (const char* word :
       {"--backend", "cpu", "--threads", "2", "--lanes", "2", "--quiet", "--out", where.c_str()})
    common.emplace_back(word);
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), common.begin(), common.end());
    return more;
  };
  const std::string right_path = where + "-right/" + store;
  int status = 0;
  const auto since = std::chrono::steady_clock::now();
  waitpid(begin(program, with({"--alerts", right_path, "--checkpoints", where + "-rc"})), &status,
          0);
  const auto whole_us =
      static_cast<std::uint64_t>((std::chrono::steady_clock::now() - since) / 1us);
  if (status != 0) return fmt::print("{}: the uninterrupted run failed\n", from.name), told;

  const std::string got_path = where + "-got/" + store;
  unsigned killed = 0, ended = 0;
  std::vector<double> moments;
  while (true) {
    // The last run is left alone; the others die early, late, or in the middle of whatever takes longest.
    const pid_t child =
        begin(program, with({"--alerts", got_path, "--checkpoints", where + "-gc", "--resume"}));
    const std::chrono::microseconds after{random.below(whole_us / 2 + 1)};
    if (killed < kills) {
      std::this_thread::sleep_for(after);
      kill(child, SIGKILL);
    }
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && killed < kills) {
      ++killed;
      moments.push_back(static_cast<double>(after.count()) / 1e3);
      continue;
    }
    if (status != 0)
      return fmt::print("{}, {}: a resumed run failed after {} kills\n", from.name, store, killed),
             told;
    if (killed == kills) break;
    // It was faster than the executioner: begin again from nothing, with the kills that are left.
    ++ended;
    if (contents(got_path) != contents(right_path)) break;
    std::filesystem::remove_all(where + "-got");
    std::filesystem::remove_all(where + "-gc");
  }
  const std::string right = contents(right_path), got = contents(got_path);
  const bool equal = got == right && right.size() > 100'000;
  fmt::print("{}, {}: {} kills, {} runs came to their end before, {} bytes: {}\n", from.name, store,
             killed, ended, right.size(), equal ? "equal" : "DIFFERENT");
  return {
      {"input", from.name},
      {"store", store},
      {"arguments", std::vector<std::string>(common.begin(), common.end() - 2)},  // without --out
      {"uninterrupted_ms", static_cast<double>(whole_us) / 1e3},
      {"kills", killed},
      {"killed_after_ms", moments},
      {"complete_before_a_kill", ended},
      {"bytes", right.size()},
      {"equal", equal}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5 && argc != 6)
    return fmt::print("usage: {} PROGRAM KILLS SEED CSV [JSON]\n", argv[0]), 2;
  const auto kills = static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10));
  const auto seed = std::strtoull(argv[3], nullptr, 10);
  fmt::print("seed {}\n", seed);
  perdure::support::random_source random{seed};
  const txmon::test::scratch at;
  const std::string csv = argv[4], bin = (at.path() / "rows.bin").string();
  int status = 0;
  waitpid(begin(argv[1], {"convert", "--input", csv, "--to", bin}), &status, 0);
  if (status != 0) return fmt::print("{} cannot be converted\n", csv), 1;
  const std::vector<input> inputs = {
      {"generated",
       {"--generate", "rows=60000,accounts=900,disorder=3000,gap=100", "--lateness", "2000",
        "--epoch-rows", "3000"}},
      {"csv", {"--input", csv, "--epoch-rows", "1000"}},
      {"binary", {"--input", bin, "--epoch-rows", "1000"}}};
  nlohmann::ordered_json report{
      {"txmon_kill_test", 1},
      {"commit", evidence::commit()},
      {"date", evidence::date()},
      {"host", evidence::host()},
      {"command", fmt::format("txmon_kill_test txmon {} {} {}", kills, seed, csv)},
      {"seed", seed}};
  bool right = true;
  for (const input& from : inputs) {
    for (const char* store : {"alerts.db", "alerts.jsonl"}) {
      report["stores"].push_back(killed_often(argv[1], at, from, store, kills, random));
      right = report["stores"].back()["equal"].get<bool>() && right;
    }
  }
  if (argc == 6) {
    apps::output_file file{argv[5]};
    file.write(report.dump(1) + "\n");
    file.commit();
  }
  return right ? 0 : 1;
}
