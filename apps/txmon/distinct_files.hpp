// apps/txmon/distinct_files.hpp - no file is both read and written, or written twice.
// Why: whoever mistypes one name must not lose his input, his rules or a part of his results.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "command_line.hpp"

namespace txmon {

/// Before anything is opened. @param converts  the files of `convert`; else those of a run.
/// @throws failure of usage naming both places
void expect_distinct_files(const arguments& a, bool converts);

}  // namespace txmon
