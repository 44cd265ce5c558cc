// apps/txmon/baseline/texts.hpp - kernels.cu and what it includes, as text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace txmon::baseline {
extern const char* const kernels_text;
extern const char* const account_text;
extern const char* const alert_text;
extern const char* const places_text;
extern const char* const rules_text;
extern const char* const transaction_text;
}  // namespace txmon::baseline
