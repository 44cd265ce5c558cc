// apps/txmon/sqlite_store.hpp - alert_store as an SQLite database: tables alert, late and progress.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "alert_store.hpp"

namespace txmon {

std::unique_ptr<alert_store> open_database(const std::string& path, store_mode mode,
                                           alert_store::teller warn);

}  // namespace txmon
