// apps/txmon/line_store.hpp - alert_store as files of JSON lines.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "alert_store.hpp"

namespace txmon {

std::unique_ptr<alert_store> open_lines(const std::string& path, store_mode mode);
/// Where the late transactions of a run with these alerts are.
std::string late_path(const std::string& alerts_path);
/// One late transaction as a line of JSON, with its line feed.
std::string late_line(const transaction& t, const accounts& names);

}  // namespace txmon
