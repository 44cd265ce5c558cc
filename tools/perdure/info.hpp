// tools/perdure/info.hpp - what `perdure info` tells: each part is there, or missing for a plain reason.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace bench {

/// {perdure_info, date, backends{cpu, cuda}, driver, devices[], nvrtc, cache}; a part that is missing holds {missing}.
nlohmann::json machine_facts();

/// The same for people, a line a fact.
std::string facts_text(const nlohmann::json& facts);

}  // namespace bench
