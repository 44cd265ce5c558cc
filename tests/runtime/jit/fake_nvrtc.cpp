// tests/runtime/jit/fake_nvrtc.cpp - a library with NVRTC's symbols and an old version.
// SPDX-License-Identifier: Apache-2.0
extern "C" {
int nvrtcVersion(int* major, int* minor) {
  *major = 11;
  *minor = 8;
  return 0;
}
#define FAKE(name) \
  int name() { return 1; }
FAKE(nvrtcGetNumSupportedArchs)
FAKE(nvrtcGetSupportedArchs)
FAKE(nvrtcGetErrorString)
FAKE(nvrtcCreateProgram)
FAKE(nvrtcDestroyProgram)
FAKE(nvrtcCompileProgram)
FAKE(nvrtcGetCUBINSize)
FAKE(nvrtcGetCUBIN)
FAKE(nvrtcGetProgramLogSize)
FAKE(nvrtcGetProgramLog)
}
