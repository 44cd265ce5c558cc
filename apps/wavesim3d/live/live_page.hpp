// apps/wavesim3d/live/live_page.hpp - page.html, put into the program by the build.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace wavesim3d {
extern const char* const live_page;
}
