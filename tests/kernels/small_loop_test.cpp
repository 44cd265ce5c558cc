// tests/kernels/small_loop_test.cpp - what comes alone and together, by hosts and workers, to a block of small actors.
// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/small_loop.hpp"

namespace {

using namespace kernel_test;
namespace abi = perdure::abi;

TEST_F(SmallLoop, HandlesWhatComesAloneFromHostsAndWorkers) {
  give(abi::command::run);
  for (u32 i = 0; i < 60; ++i) {
    say(i % (host_lanes + 1), i % 7 == 3);
    wait_for_letters();
  }
  end();
}
TEST_F(SmallLoop, CallsTheBlockForWhatComesTogether) {
  give(abi::command::run);
  std::mt19937 random{1};
  for (u32 round = 0; round < 12; ++round) {
    for (u32 n = 1 + random() % 80; n > 0; --n)
      say(random() % (host_lanes + 1), random() % 16 == 0);
    if (round % 4 == 1) give(abi::command::run);
    if (round % 3 != 0) wait_for_letters();
  }
  wait_for_letters();
  end();
}

/// Alone, behind others of their lane, and several together; between turns what is short still comes alone.
TEST_F(SmallLoop, BringsWhatLiesInTheHostsBuffers) {
  give(abi::command::run);
  std::mt19937 random{2};
  for (u32 round = 0; round < 60; ++round) {
    const u32 by = random() % host_lanes;
    for (u32 n = round % 3; n > 0; --n) say(by);
    for (u32 n = 1 + random() % (round % 5 == 0 ? 8 : 2); n > 0; --n) say_all(by);
    if (round % 4 == 0) say(host_lanes);
    if (round % 2 == 0) wait_for_letters();
  }
  wait_for_letters();
  end();
}
/// Alone, so that the warp that has a message writes its letter; some at once; and into a ring that is full of them.
TEST_F(SmallLoop, WritesLongLettersOfWhatComesAloneAndTogether) {
  writes_long = true;
  give(abi::command::run);
  std::mt19937 random{3};
  for (u32 round = 0; round < 120; ++round) {
    const bool many = round % 4 == 3;
    for (u32 n = many ? 5 + random() % 30 : 1; n > 0; --n) say(random() % (host_lanes + 1));
    if (!many || round % 8 == 3) wait_for_letters();
  }
  wait_for_letters();
  EXPECT_GT(tomes, sent / 3);
  end();
}
TEST_F(SmallLoop, TakesATurnForWhatComesByTheRingTogether) {
  give(abi::command::run);
  for (u32 round = 0; round < 20; ++round) {
    for (u32 n = 5 + 10 * (round % 4); n > 0; --n) say(host_lanes);
    wait_for_letters();
  }
  end();
}
TEST_F(SmallLoop, HandlesTogetherWhatHasWaitedForOneActor) {
  give(abi::command::run);
  for (u32 round = 0; round < 5; ++round) {
    give(abi::command::pause);
    for (u32 n = 0; n < 130; ++n) say(host_lanes);
    give(abi::command::run);
    wait_for_letters();
  }
  end();
  if (PERDURE_LANES > 32) {
    EXPECT_GT(together, 200U);
  } else {
    EXPECT_EQ(together, 0U) << "a warp has no batch that large";
  }
}
/// The first warp has a message at each of its polls, and a host lane has more than a scout hands over.
TEST_F(SmallLoop, AHostLaneWithManyIsHeardBesideARingThatIsNeverEmpty) {
  give(abi::command::run);
  echoes = true;
  push(first, on_echo, speech{}, sizeof(said));
  for (u32 round = 0; round < 10; ++round) {
    for (u32 n = 0; n < 40; ++n) say(0);
    wait_for_letters();
  }
  echoes = false;
  say(host_lanes);  // stands behind all that is in the ring
  wait_for_letters();
  end();
}
/// Nobody reads the letters until the ring to the host is full: what then comes alone sends what finds no room, and a turn is
/// due at once.
TEST_F(SmallLoop, TakesATurnForWhatHasFoundNoRoom) {
  constexpr u32 words = abi::words_for(sizeof(said));
  const u32 letters_that_fit = (1U << w.m.host_shift) / words;
  give(abi::command::run);
  for (u32 round = 0; round < 8; ++round) {
    for (u32 n = 0; n < letters_that_fit; ++n) say(n % (host_lanes + 1));
    wait_for_a_poll_behind(sent * words);
    say(round % 2 == 0 ? host_lanes : 0);
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
    wait_for_letters();
  }
  end();
}

#if PERDURE_SCOUTS
/// Its clock stands still, so that it never is time for a command: what it was brought back for comes first, whether the
/// command that lets it go on is there or the last one still is.
TEST_F(SmallLoop, WhoComesBackHandlesAMessageBeforeItFollowsACommand) {
  give(abi::command::run);
  for (u32 round = 0; round < 5; ++round) {
    say(0);
    wait_for_letters();
    give(abi::command::park);
    join();
    parked_state(w.m, 0).lanes_used = 1;  // as if the others had sent nothing before it left
    say(round % host_lanes);
    const auto let_run = [&] {
      store<order::release, scope::system>(&w.m.control[0].command,
                                           abi::make_command(++epoch, abi::command::run));
    };
    if (round % 2 == 0) let_run();
    stands_still_at = steady_now();
    launch();
    wait_for_letters();
    if (round % 2 != 0) let_run();
    EXPECT_EQ(acknowledged(), epoch - 1) << "it has followed the command first";
    stands_still_at = 0;
    while (acknowledged() != epoch) drain();
  }
  end();
}
#endif

TEST(Sight, IsAloneIfAllOfItIsThereAndNothingBehindIt) {
  const word first{abi::envelope_lo(7, 0, 0, 3), 1ULL << 63U};
  const auto alone = [](word mine, u32 ready) {
    sight seen;
    seen.mine = mine;
    seen.ready = ready;
    return seen.is_alone();
  };
  EXPECT_TRUE(alone(first, 0b111));
  EXPECT_FALSE(alone(first, 0b1111)) << "there is more";
  EXPECT_FALSE(alone(first, 0b11)) << "its end is missing";
  EXPECT_FALSE(alone(first, 0b1011));
  EXPECT_FALSE(alone({first.lo, 0}, 0b111)) << "it begins before";
  EXPECT_FALSE(alone({0, 0}, 0)) << "nothing is there";
  EXPECT_FALSE(alone({0, 1ULL << 63U}, 0));
}

}  // namespace
