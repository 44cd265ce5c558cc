// tests/kernels/mini_std/device_test.cpp - the exact cases on a device give what the host's
//   library gives.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "runtime/driver/kernel.hpp"
#include "runtime/driver/memory.hpp"
#include "tests/kernels/mini_std/cases/all.cuh"
#include "tests/kernels/mini_std/device_unit.hpp"

namespace {

constexpr unsigned capacity = 1U << 14U;
constexpr const char* source = R"(#include "all.cuh"
extern "C" __global__ void run_cases(record* records, unsigned capacity, unsigned* counts) {
  sink out{records + static_cast<size_t>(blockIdx.x) * capacity, capacity};
  run_group(static_cast<int>(blockIdx.x), out);
  counts[blockIdx.x] = out.count;
}
)";

TEST(MiniStdOnADevice, GivesWhatTheHostsLibraryGivesBitForBit) {
  namespace driver = perdure::driver;
  const auto cuda = driver::api::load();
  if (!cuda) GTEST_SKIP() << cuda.error().message();
  const auto in = driver::context::retain(**cuda, 0);
  if (!in) GTEST_SKIP() << in.error().message();
  const auto made = mini_std::compile(source, in->properties().architecture().c_str());
  if (!made && made.error().code() == perdure::errc::no_nvrtc)
    GTEST_SKIP() << made.error().message();
  ASSERT_TRUE(made) << made.error().message();

  const auto library =
      driver::code_library::load(*in, std::as_bytes(std::span{made->bytes}), "mini_std cases");
  ASSERT_TRUE(library) << library.error().message();
  const auto kernel = library->find("run_cases").value();
  const auto on = driver::stream::make(*in).value();
  const auto records =
      driver::device_buffer::make(*in, sizeof(record) * capacity * exact_groups).value();
  const auto counts = driver::device_buffer::make(*in, sizeof(unsigned) * exact_groups).value();
  driver::launch_shape shape;
  shape.grid[0] = exact_groups;
  kernel.launch(shape, on, records.address(), capacity, counts.address()).value();
  std::vector<record> got(static_cast<std::size_t>(capacity) * exact_groups), expected(capacity);
  unsigned got_counts[exact_groups] = {};
  driver::copy_to_host(got.data(), records.address(), records.bytes(), on).value();
  driver::copy_to_host(got_counts, counts.address(), counts.bytes(), on).value();
  on.synchronize().value();

  for (int group = 0; group < exact_groups; ++group) {
    sink out{expected.data(), capacity};
    run_group(group, out);
    ASSERT_LE(out.count, capacity);
    ASSERT_EQ(out.count, got_counts[group]) << "group " << group;
    const record* device = got.data() + static_cast<std::size_t>(group) * capacity;
    int differences = 0;
    for (unsigned i = 0; i < out.count && differences < 20; ++i) {
      const bool same = expected[i].line == device[i].line && expected[i].bits == device[i].bits;
      differences += same ? 0 : 1;
      EXPECT_TRUE(same) << "group " << group << ", record " << i << ", line " << device[i].line
                        << ": " << std::hex << device[i].bits << " instead of " << expected[i].bits;
    }
  }
}

}  // namespace
