// apps/txmon/failure.hpp - the apps' common failures and files under this program's name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/failure.hpp"
#include "common/output_file.hpp"

namespace txmon {
using apps::exit_code;
using apps::failure;
using apps::output_file;
using apps::remove_parts_of_the_dead;
using apps::sync_folder_of;
}  // namespace txmon
