// tests/codegen/driver_test.cpp - exit codes, messages, and that nothing half-written is ever left.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "run_tool.hpp"

namespace perdure::test {
namespace {

const char* const good =
    "#pragma once\n#include <perdure/actor.hpp>\nstruct tick {};\n"
    "struct counter : perdure::actor<counter> {\n  int n = 0;\n  void on(const tick&, "
    "perdure::context&) { ++n; }\n};\n";

using names = std::vector<std::string>;

TEST(Driver, GoodHeaderGivesFourFilesAndADepfileThatNamesIt) {
  const scratch here;
  write(here / "one.hpp", good);
  const auto done = run_tool(here, {(here / "one.hpp").string(), "-o", (here / "out").string(),
                                    "--depfile", (here / "out/one.d").string()});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.err, "");
  auto files = here.files("out");
  std::sort(files.begin(), files.end());
  EXPECT_EQ(files, (names{"one.actors.cpp", "one.actors.cu", "one.actors.hpp", "one.actors.json",
                          "one.d"}));
  const auto deps = read(here / "out/one.d");
  EXPECT_NE(deps.find("one.actors.cpp"), std::string::npos);
  EXPECT_NE(deps.find((fs::canonical(here / "one.hpp")).string()), std::string::npos);
  EXPECT_NE(deps.find("perdure/actor.hpp"), std::string::npos)
      << "headers of the library are dependencies too";
}

TEST(Driver, UnchangedFilesKeepTheirTime) {
  const scratch here;
  write(here / "one.hpp", good);
  const names words{(here / "one.hpp").string(), "-o", (here / "out").string()};
  ASSERT_EQ(run_tool(here, words).code, 0);
  const auto past = fs::file_time_type::clock::now() - std::chrono::hours{1};
  fs::last_write_time(here / "out/one.actors.cu", past);
  ASSERT_EQ(run_tool(here, words).code, 0);
  EXPECT_EQ(fs::last_write_time(here / "out/one.actors.cu"), past);
}

TEST(Driver, MissingHeaderIsNamed) {
  const scratch here;
  const auto done =
      run_tool(here, {(here / "nowhere.hpp").string(), "-o", (here / "out").string()});
  EXPECT_EQ(done.code, 1);
  EXPECT_NE(done.err.find("nowhere.hpp"), std::string::npos) << done.err;
  EXPECT_TRUE(here.files("out").empty());
}

TEST(Driver, AHeaderWhoseNameIsTakenIsToBeRenamed) {
  const scratch here;
  for (const std::string name : {"std", "perdure", "main", "signal"}) {
    write(here / (name + ".hpp"), good);
    const auto done =
        run_tool(here, {(here / (name + ".hpp")).string(), "-o", (here / "out").string()});
    EXPECT_EQ(done.code, 1) << name;
    EXPECT_NE(done.err.find("'" + name + "' is taken; rename the header"), std::string::npos)
        << done.err;
  }
  EXPECT_TRUE(here.files("out").empty());
}

TEST(Driver, UnknownOptionIsNamedAndIsNoSuccess) {
  const scratch here;
  write(here / "one.hpp", good);
  const auto done = run_tool(here, {(here / "one.hpp").string(), "--no-such-option"});
  EXPECT_EQ(done.code, 1);
  EXPECT_NE((done.err + done.out).find("--no-such-option"), std::string::npos) << done.err;
}

TEST(Driver, NoHeaderAtAllIsAnError) {
  const scratch here;
  EXPECT_EQ(run_tool(here, {}).code, 1);
}

TEST(Driver, WrongArchitectureIsNamedBeforeAnythingIsWritten) {
  const scratch here;
  write(here / "one.hpp", good);
  const auto done = run_tool(
      here, {(here / "one.hpp").string(), "-o", (here / "out").string(), "--check", "hopper"});
  EXPECT_EQ(done.code, 1);
  EXPECT_NE(done.err.find("'hopper'"), std::string::npos) << done.err;
  EXPECT_TRUE(here.files("out").empty());
}

TEST(Driver, CompileErrorStandsAtItsLineAndNothingIsWritten) {
  const scratch here;
  write(here / "bad.hpp",
        std::string{good} + "struct broken { no_such_type x; };\nint also = nothing;\n");
  const auto done = run_tool(here, {(here / "bad.hpp").string(), "-o", (here / "out").string()});
  EXPECT_EQ(done.code, 1);
  EXPECT_NE(done.err.find("bad.hpp:8:17: error: unknown type name 'no_such_type'"),
            std::string::npos)
      << done.err;
  EXPECT_NE(done.err.find("bad.hpp:9:12: error:"), std::string::npos)
      << "all errors of one run: " << done.err;
  EXPECT_TRUE(here.files("out").empty());
}

TEST(Driver, MissingIncludeIsAnError) {
  const scratch here;
  write(here / "bad.hpp", "#include \"not/there.hpp\"\n" + std::string{good});
  const auto done = run_tool(here, {(here / "bad.hpp").string(), "-o", (here / "out").string()});
  EXPECT_EQ(done.code, 1);
  EXPECT_NE(done.err.find("bad.hpp:1:10: fatal error: 'not/there.hpp' file not found"),
            std::string::npos)
      << done.err;
}

TEST(Driver, HeaderWithoutActorsIsAnError) {
  const scratch here;
  write(here / "none.hpp", "#pragma once\nstruct plain { int x; };\n");
  const auto done = run_tool(here, {(here / "none.hpp").string(), "-o", (here / "out").string()});
  EXPECT_EQ(done.code, 1);
  EXPECT_NE(done.err.find("has no actor"), std::string::npos) << done.err;
}

TEST(Driver, FolderThatCannotBeMadeIsNamedAndLeavesNoPart) {
  const scratch here;
  write(here / "one.hpp", good);
  write(here / "file", "in the way");
  const auto done =
      run_tool(here, {(here / "one.hpp").string(), "-o", (here / "file/out").string()});
  EXPECT_EQ(done.code, 1);
  EXPECT_NE(done.err.find("cannot write"), std::string::npos) << done.err;
  EXPECT_EQ(read(here / "file"), "in the way");
}

TEST(Driver, OneBlockedTargetKeepsAllOldFiles) {
  const scratch here;
  write(here / "one.hpp", good);
  write(here / "out/one.actors.hpp", "old");
  fs::create_directories(here / "out/one.actors.json");
  const auto done = run_tool(here, {(here / "one.hpp").string(), "-o", (here / "out").string()});
  EXPECT_EQ(done.code, 1);
  EXPECT_EQ(read(here / "out/one.actors.hpp"), "old");
  for (const auto& name : here.files("out"))
    EXPECT_EQ(name.find(".part"), std::string::npos) << name;
}

TEST(Driver, CompilerFlagsAfterTheDashesReachClang) {
  const scratch here;
  write(here / "one.hpp", "#ifndef WANTED\n#error WANTED is missing\n#endif\n" + std::string{good});
  const names words{(here / "one.hpp").string(), "-o", (here / "out").string()};
  EXPECT_EQ(run_tool(here, words).code, 1);
  auto more = words;
  more.insert(more.end(), {"--", "-DWANTED=1"});
  EXPECT_EQ(run_tool(here, more).code, 0);
}

TEST(Driver, DumpModelWritesNothing) {
  const scratch here;
  write(here / "one.hpp", good);
  const auto done =
      run_tool(here, {(here / "one.hpp").string(), "-o", (here / "out").string(), "--dump-model"});
  EXPECT_EQ(done.code, 0);
  EXPECT_NE(done.out.find("\"perdure_schema\": 1"), std::string::npos);
  EXPECT_TRUE(here.files("out").empty());
}

TEST(Driver, MoreActorTypesThanAReferenceCanNameAreRefused) {
  const scratch here;
  std::string many = "#pragma once\n#include <perdure/actor.hpp>\nstruct tick {};\n";
  for (int i = 0; i < 254; ++i) {
    const auto n = std::to_string(i);
    many += "struct a" + n + " : perdure::actor<a" + n +
            "> { int n = 0; void on(const tick&, perdure::context&) { ++n; } };\n";
  }
  write(here / "many.hpp", many);
  const auto done = run_tool(here, {(here / "many.hpp").string(), "-o", (here / "out").string()});
  EXPECT_EQ(done.code, 1);
  EXPECT_NE(done.err.find("254 actor types; a program has at most 253"), std::string::npos)
      << done.err;
  EXPECT_NE(done.err.find("many.hpp:257:"), std::string::npos) << "the last one is named";
}

TEST(Driver, CheckReportsRegistersOfTheLoopAndOfEachHandler) {
  const scratch here;
  write(here / "one.hpp", good);
  const auto done = run_tool(
      here, {(here / "one.hpp").string(), "-o", (here / "out").string(), "--check", "sm_90"});
  if (done.err.find("no_nvrtc") != std::string::npos) GTEST_SKIP() << done.err;
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_NE(done.out.find("sm_90: perdure_loop: "), std::string::npos) << done.out;
  EXPECT_NE(done.out.find("sm_90: counter::on(const tick &, perdure::context &): "),
            std::string::npos)
      << done.out;
  EXPECT_NE(read(here / "out/one.actors.json").find("\"device\""), std::string::npos);
}

TEST(Driver, CheckOfAVirtualArchitectureStopsAtPtxAndReportsNothing) {
  const scratch here;
  write(here / "one.hpp", good);
  const auto done = run_tool(here, {(here / "one.hpp").string(), "-o", (here / "out").string(),
                                    "--check", "compute_80,compute_90"});
  if (done.err.find("no_nvrtc") != std::string::npos) GTEST_SKIP() << done.err;
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.out, "");
  EXPECT_EQ(read(here / "out/one.actors.json").find("\"device\""), std::string::npos);
  const auto unknown = run_tool(
      here, {(here / "one.hpp").string(), "-o", (here / "none").string(), "--check", "compute_7"});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_NE(unknown.err.find("'compute_7'; it knows compute_"), std::string::npos) << unknown.err;
  EXPECT_TRUE(here.files("none").empty());
}

TEST(Driver, AVirtualArchitectureIsNotEmbedded) {
  const scratch here;
  write(here / "one.hpp", good);
  const auto done = run_tool(here, {(here / "one.hpp").string(), "-o", (here / "out").string(),
                                    "--precompile", "compute_90"});
  EXPECT_EQ(done.code, 1);
  EXPECT_NE(done.err.find("'compute_90' is no architecture"), std::string::npos) << done.err;
}

TEST(Driver, WhatIsNoFileIsNotReplaced) {
  const scratch here;
  write(here / "one.hpp", good);
  const auto pipe = here / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto done = run_tool(here, {(here / "one.hpp").string(), "-o", (here / "out").string(),
                                    "--depfile", pipe.string()});
  EXPECT_EQ(done.code, 1);
  EXPECT_NE(done.err.find("pipe': it is not a regular file"), std::string::npos) << done.err;
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_TRUE(here.files("out").empty());
}

TEST(Driver, WhatALinkLeadsToIsWritten) {
  const scratch here;
  write(here / "one.hpp", good);
  write(here / "kept/one.d", "old");
  fs::create_symlink("kept/one.d", here / "link.d");
  const auto done = run_tool(here, {(here / "one.hpp").string(), "-o", (here / "out").string(),
                                    "--depfile", (here / "link.d").string()});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_TRUE(fs::is_symlink(here / "link.d"));
  EXPECT_NE(read(here / "kept/one.d").find("one.hpp"), std::string::npos);
}

TEST(Driver, AHeaderIsFoundAgainWhateverItsFolderIsCalled) {
  const scratch here;
  const auto header = here / "d\xc3\xa9 \\ \xc3\xbc/one.hpp";
  write(header, good);
  const auto depfile = here / "one.d";
  const auto done = run_tool(
      here, {header.string(), "-o", (here / "out").string(), "--depfile", depfile.string()});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_NE(read(depfile).find("d\xc3\xa9\\ \\\\\\ \xc3\xbc/one.hpp"), std::string::npos)
      << "as make and Ninja read it: " << read(depfile);
  for (const char* made : {"out/one.actors.hpp", "out/one.actors.cpp"}) {
    const auto text = read(here / made);
    const auto from = text.find("#include \"") + 10;
    const auto named = text.substr(from, text.find("\"\n", from) - from);
    EXPECT_TRUE(fs::exists(named)) << made << ": " << named;
  }
  const auto quote = here / "a\"b/one.hpp";
  write(quote, good);
  const auto refused = run_tool(here, {quote.string(), "-o", (here / "none").string()});
  EXPECT_EQ(refused.code, 1);
  EXPECT_TRUE(here.files("none").empty());
  EXPECT_NE(refused.err.find("cannot be included"), std::string::npos) << refused.err;
}

TEST(Driver, AHeaderNamedAsAKeywordIsRefused) {
  const scratch here;
  for (const char* name : {"class", "int", "errno", "co_await"}) {
    const auto header = here / (std::string{name} + ".hpp");
    write(header, good);
    const auto done = run_tool(here, {header.string(), "-o", (here / "out").string()});
    EXPECT_EQ(done.code, 1) << name;
    EXPECT_NE(done.err.find("'" + std::string{name} + "' is taken"), std::string::npos) << done.err;
    EXPECT_TRUE(here.files("out").empty());
  }
}

TEST(Driver, ACompilerFlagThatIsNoneIsAnError) {
  const scratch here;
  write(here / "one.hpp", good);
  const auto done = run_tool(
      here, {(here / "one.hpp").string(), "-o", (here / "out").string(), "--", "--no-such-flag"});
  EXPECT_EQ(done.code, 1);
  EXPECT_NE(done.err.find("--no-such-flag"), std::string::npos) << done.err;
  EXPECT_TRUE(here.files("out").empty());
}

TEST(Driver, ADumpIsJsonBesideACheck) {
  const scratch here;
  write(here / "one.hpp", good);
  const auto done =
      run_tool(here, {(here / "one.hpp").string(), "--dump-model", "--check", "sm_90"});
  if (done.err.find("no_nvrtc") != std::string::npos) GTEST_SKIP() << done.err;
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_FALSE(nlohmann::json::parse(done.out, nullptr, false).is_discarded()) << done.out;
  EXPECT_NE(done.err.find("sm_90: perdure_loop: "), std::string::npos) << done.err;
}

/// What the registry says of embedded code, and the tool of why there is none. No device and no NVRTC are asked but these.
struct embedding {
  embedding(const char* driver, const char* nvrtc) {
    ::setenv("PERDURE_CUDA_DRIVER", driver, 1);
    ::setenv("PERDURE_NVRTC", nvrtc, 1);
    ::setenv("PERDURE_CACHE", (here / "cache").c_str(), 1);
    write(here / "one.hpp", good);
  }
  ~embedding() {
    for (const char* name : {"PERDURE_CUDA_DRIVER", "PERDURE_NVRTC", "PERDURE_CACHE"})
      ::unsetenv(name);
  }
  outcome of(const std::string& archs) {
    const auto done = run_tool(
        here, {(here / "one.hpp").string(), "-o", (here / "out").string(), "--precompile", archs});
    const auto registry = read(here / "out/one.actors.cpp");
    const auto rows = registry.find("const cubin_info cubins_[] = {\n");
    cubins =
        rows == std::string::npos ? "" : registry.substr(rows, registry.find("};", rows) - rows);
    return done;
  }
  bool holds(const std::string& row) const { return cubins.find(row) != std::string::npos; }

  scratch here;
  std::string cubins;
};

TEST(Driver, CodeForAnArchitectureStandsUnderTheLayoutThatItIsFor) {
  embedding with{"/no/driver", PLAIN_NVRTC_PATH};
  const auto done = with.of("sm_90,sm_100");
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_TRUE(with.holds(R"({"sm_90", "-DPERDURE_LANES=512", {cubin_0, 1}},)")) << with.cubins;
  EXPECT_TRUE(with.holds(R"({"sm_100", "-DPERDURE_LANES=512", {cubin_1, 1}},)")) << with.cubins;
}

TEST(Driver, NativeIsCodeForTheGpusOfThisMachine) {
  embedding with{FAKE_CUDA_PATH, PLAIN_NVRTC_PATH};
  auto done = with.of("native");
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.err, "");
  EXPECT_TRUE(with.holds(R"({"sm_7576", "-DPERDURE_LANES=512", {cubin_0, 1}},)")) << with.cubins;
  EXPECT_FALSE(with.holds("cubin_1")) << "there are two of one kind: " << with.cubins;
  done = with.of("sm_7576,native,sm_90");
  EXPECT_TRUE(with.holds(R"({"sm_90", "-DPERDURE_LANES=512", {cubin_1, 1}},)")) << with.cubins;
  EXPECT_FALSE(with.holds("cubin_2")) << with.cubins;
}

TEST(Driver, NativeWhereThereIsNoGpuIsNoCodeAndNoError) {
  embedding with{"/no/driver", PLAIN_NVRTC_PATH};
  const auto done = with.of("native");
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.err, "");
  EXPECT_EQ(with.cubins, "");
  EXPECT_FALSE(with.here.files("out").empty());
}

TEST(Driver, AGpuWithoutNvrtcGetsItsCodeAtTheFirstStartWhichIsSaid) {
  embedding with{FAKE_CUDA_PATH, "/no/nvrtc"};
  const auto native = with.of("native");
  EXPECT_EQ(native.code, 0) << native.err;
  EXPECT_NE(native.err.find("note: device code for a GPU of this machine is not embedded"),
            std::string::npos)
      << native.err;
  EXPECT_NE(native.err.find("/no/nvrtc"), std::string::npos) << native.err;
  EXPECT_EQ(with.cubins, "");
  const auto named = with.of("sm_90");
  EXPECT_EQ(named.code, 1) << "who names one wants it";
  EXPECT_NE(named.err.find("/no/nvrtc"), std::string::npos) << named.err;
}

TEST(Driver, WhatNvrtcRefusesIsToldAtTheUsersLineAndNothingIsWritten) {
  const scratch here;
  write(here / "one.hpp",  // vectors as OpenCL has them: Clang takes them, no other compiler does
        "#pragma once\n#include <perdure/actor.hpp>\nstruct tick {};\n"
        "struct counter : perdure::actor<counter> {\n  int n = 0;\n"
        "  void on(const tick&, perdure::context&) {\n"
        "    typedef int v4 __attribute__((ext_vector_type(4)));\n"
        "    v4 a = {1, 2, 3, n};\n    n += a.xy.x;\n  }\n};\n");
  for (const char* arch : {"sm_90", "compute_90"}) {
    const auto done = run_tool(
        here, {(here / "one.hpp").string(), "-o", (here / "out").string(), "--check", arch});
    if (done.err.find("no_nvrtc") != std::string::npos) GTEST_SKIP() << done.err;
    EXPECT_EQ(done.code, 1) << done.out;
    EXPECT_NE(done.err.find("one.hpp:9: error:"), std::string::npos) << arch << ": " << done.err;
    EXPECT_TRUE(here.files("out").empty());
  }
}

}  // namespace
}  // namespace perdure::test
