// tools/evidence/machine.cpp - see machine.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <ctime>
#include <fstream>
#include <thread>

#include "nvml.hpp"

namespace evidence {

std::string commit() { return PERDURE_COMMIT; }

std::string date() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

std::string processor_name() {
  std::ifstream in{"/proc/cpuinfo"};
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  }
  utsname u{};
  return ::uname(&u) == 0 ? u.machine : "unknown";
}

nlohmann::json host() {
  utsname u{};
  ::uname(&u);
  return {{"processor", processor_name()},
          {"threads", std::thread::hardware_concurrency()},
          {"system", std::string{u.sysname} + " " + u.release},
          {"compiler", __VERSION__}};
}

nlohmann::json describe(const perdure::driver::device_properties& p) {
  return {{"name", p.name},
          {"uuid", p.uuid},
          {"pci", p.pci},
          {"architecture", p.architecture()},
          {"processors", p.processors},
          {"rated_mhz", p.clock_khz / 1000},
          {"rated_memory_mhz", p.memory_clock_khz / 1000},
          {"memory_bytes", p.memory_bytes},
          {"now", device_state(p.uuid)}};
}

nlohmann::json device(int number) {
  auto cuda = perdure::driver::api::load();
  if (!cuda) return nullptr;
  auto p = perdure::driver::describe(**cuda, number);
  if (!p) return nullptr;
  auto about = describe(*p);
  about["cuda_version"] = perdure::driver::version_text((*cuda)->version());
  return about;
}

std::string residency(std::uint32_t blocks, std::uint32_t threads, const nlohmann::json& device) {
  return fmt::format("{} blocks x {} threads on {} SMs", blocks, threads,
                     device.is_object() ? device.value("processors", 0) : 0);
}

}  // namespace evidence
