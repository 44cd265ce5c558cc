// codegen/emit/emit.hpp - the four files of docs/generated.md, as text.
// Why: everything is rendered before anything is written, so that nothing half-written can remain.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "codegen/model/program.hpp"

namespace perdure::codegen {

std::string emit_header(const program& p);  ///< <stem>.actors.hpp
std::string emit_device(const program& p);  ///< <stem>.actors.cu
std::string emit_schema(const program& p);  ///< <stem>.actors.json
/// <stem>.actors.cpp, with the two texts above embedded.
std::string emit_host(const program& p, const std::string& device, const std::string& schema);
/// Everything the tool knows, for people: the schema, and the declarations that were kept.
std::string emit_model(const program& p);

}  // namespace perdure::codegen
