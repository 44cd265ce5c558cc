// codegen/model/std_names.hpp - which names of std, of C and of perdure a handler may reach.
// Why: the device has its own small std (kernels/mini_std); everything else must be refused at the user's line.
// Invariant: a name is here if and only if kernels/mini_std declares it; a test holds the two together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace perdure::codegen {

/// @param name  qualified, without inline namespaces: "std::chrono::duration", "memcpy".
bool on_device(std::string_view name);

/// True for a namespace that a using-directive may name: "std::chrono_literals".
bool namespace_on_device(std::string_view name);

/// What to use instead of `name`, as the end of a message; empty if there is nothing to say.
std::string advice_for(std::string_view name);

/// All names of namespace std in the table, for the test that compares them with mini_std.
std::vector<std::string_view> device_std_names();

}  // namespace perdure::codegen
