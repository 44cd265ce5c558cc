// tools/evidence/nvml.cpp - five calls of libnvidia-ml.so.1, found at run time.
// SPDX-License-Identifier: Apache-2.0
#include "nvml.hpp"

#include <dlfcn.h>

#include <memory>

namespace evidence {
namespace {

using device = void*;

/// The symbols used, or null where the library lacks one.
struct nvml {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*by_uuid)(const char*, device*) = nullptr;
  int (*release)(char*, unsigned) = nullptr;
  int (*clock)(device, int, unsigned*) = nullptr;
  int (*power)(device, unsigned*) = nullptr;
  int (*limit)(device, unsigned*) = nullptr;
  int (*temperature)(device, int, unsigned*) = nullptr;

  explicit nvml(void* library) {
    find(library, "nvmlInit_v2", init);
    find(library, "nvmlShutdown", shutdown);
    find(library, "nvmlDeviceGetHandleByUUID", by_uuid);
    find(library, "nvmlSystemGetDriverVersion", release);
    find(library, "nvmlDeviceGetClockInfo", clock);
    find(library, "nvmlDeviceGetPowerUsage", power);
    find(library, "nvmlDeviceGetEnforcedPowerLimit", limit);
    find(library, "nvmlDeviceGetTemperature", temperature);
  }
  bool complete() const {
    return init && shutdown && by_uuid && release && clock && power && limit && temperature;
  }

 private:
  template <class Function>
  static void find(void* library, const char* name, Function*& into) {
    into = reinterpret_cast<Function*>(::dlsym(library, name));
  }
};

}  // namespace

nlohmann::json device_state(const std::string& uuid) {
  const std::unique_ptr<void, int (*)(void*)> library{::dlopen("libnvidia-ml.so.1", RTLD_NOW),
                                                      &::dlclose};
  if (!library) return {{"missing", "libnvidia-ml.so.1 could not be loaded"}};
  const nvml calls{library.get()};
  if (!calls.complete()) return {{"missing", "libnvidia-ml.so.1 lacks a symbol"}};
  if (const int status = calls.init(); status != 0)
    return {{"missing", "nvmlInit_v2 gave " + std::to_string(status)}};
  nlohmann::json state;
  char release[96] = {};
  if (calls.release(release, sizeof release) == 0) state["driver_release"] = release;
  device handle = nullptr;
  if (calls.by_uuid(uuid.c_str(), &handle) == 0) {
    constexpr int sm_clock = 1, memory_clock = 2, gpu_sensor = 0;
    unsigned value = 0;
    if (calls.clock(handle, sm_clock, &value) == 0) state["sm_mhz"] = value;
    if (calls.clock(handle, memory_clock, &value) == 0) state["memory_mhz"] = value;
    if (calls.power(handle, &value) == 0) state["power_watts"] = value / 1000.0;
    if (calls.limit(handle, &value) == 0) state["power_limit_watts"] = value / 1000.0;
    if (calls.temperature(handle, gpu_sensor, &value) == 0) state["celsius"] = value;
  } else {
    state["missing"] = "no device " + uuid;
  }
  calls.shutdown();
  return state;
}

}  // namespace evidence
