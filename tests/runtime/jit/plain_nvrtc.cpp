// tests/runtime/jit/plain_nvrtc.cpp - a library with NVRTC's symbols that refuses the options of speed_options(), and --Ofast-compile.
// Its cubin says with how many options it was made.
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstddef>
#include <cstring>

namespace {
char cubin = 0;
thread_local bool refused = false;
constexpr char refusal[] = "ptxas fatal   : Unknown option '-split-compile=4'\n";
}  // namespace

extern "C" {
std::atomic<int> plain_nvrtc_compiles{0};  ///< begun so far

int nvrtcVersion(int* major, int* minor) {
  *major = 13;
  *minor = 0;
  return 0;
}
int nvrtcGetNumSupportedArchs(int* count) {
  *count = 4;
  return 0;
}
int nvrtcGetSupportedArchs(int* list) {
  list[0] = 80;
  list[1] = 90;
  list[2] = 100;
  list[3] = 7576;  // what the fake driver says of its devices
  return 0;
}
const char* nvrtcGetErrorString(int) { return "NVRTC_ERROR_INVALID_OPTION"; }
int nvrtcCreateProgram(void**, const char*, const char*, int, const char* const*,
                       const char* const*) {
  return 0;
}
int nvrtcDestroyProgram(void**) { return 0; }
int nvrtcCompileProgram(void*, int count, const char* const* options) {
  constexpr int invalid_option = 5, has_errors = 6;
  ++plain_nvrtc_compiles;
  refused = false;
  for (int i = 0; i < count; ++i) {
    if (std::strcmp(options[i], "--no-such-option") == 0) return invalid_option;
    if (std::strstr(options[i], "--Ofast-compile") != nullptr) return invalid_option;
    refused |= std::strstr(options[i], "split-compile") != nullptr;
  }
  if (refused) return has_errors;  // as of an option of the assembler that it does not know
  cubin = static_cast<char>(count);
  return 0;
}
int nvrtcGetCUBINSize(void*, std::size_t* bytes) {
  *bytes = 1;
  return 0;
}
int nvrtcGetCUBIN(void*, char* to) {
  *to = cubin;
  return 0;
}
int nvrtcGetProgramLogSize(void*, std::size_t* bytes) {
  *bytes = refused ? sizeof(refusal) : 0;
  return 0;
}
int nvrtcGetProgramLog(void*, char* to) {
  if (refused) std::memcpy(to, refusal, sizeof(refusal));
  return 0;
}
}
