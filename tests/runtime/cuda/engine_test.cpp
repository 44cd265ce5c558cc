// tests/runtime/cuda/engine_test.cpp - what an engine says of its code.
// SPDX-License-Identifier: Apache-2.0
#include "tests/runtime/cuda/fake_device.hpp"

namespace {

using CudaEngine = with_fake_device;

TEST_F(CudaEngine, ReportsTheHashOfTheCubinThatItLoaded) {
  const auto engine = make().value();
  perdure::layout_report report;
  engine->describe(report);
  EXPECT_EQ(report.cubin_hash, "343e1662793c64bf6f0d3597ba446f18") << "FNV-1a of \"foobar\"";
}

}  // namespace
