// runtime/driver/api.cpp - opens the driver library, checks its age, fills the table, words the errors.
// Why: each way in which a machine can lack a usable driver has its own code and its own advice.
// Invariant: a failed attempt is not remembered, so a later load() can succeed; a table is never freed.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/driver/api.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <new>

namespace perdure::driver {
namespace {

std::string last_dl_error() {
  const char* text = ::dlerror();
  return text != nullptr ? text : "unknown reason";
}

std::string file_of(void* symbol, const std::string& otherwise) {
  Dl_info info{};
  return ::dladdr(symbol, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : otherwise;
}

}  // namespace

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

result<const api*> api::load() {
  const char* named = std::getenv("PERDURE_CUDA_DRIVER");
  return load_from(named != nullptr && *named != '\0' ? named : "libcuda.so.1");
}

result<const api*> api::load_from(const std::string& path) {
  // Leaked on purpose: owners in static storage may outlive any static map.
  static auto& mutex = *new std::mutex;
  static auto& opened = *new std::map<std::string, const api*>;
  const std::lock_guard lock{mutex};
  if (auto found = opened.find(path); found != opened.end()) return found->second;
  auto made = open(path);
  if (made) opened.emplace(path, *made);
  return made;
}

result<const api*> api::open(const std::string& path) {
  void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return error{errc::no_driver,
                 last_dl_error() +
                     "; install the NVIDIA driver, or name its library in PERDURE_CUDA_DRIVER"};
  }
  auto version_of = reinterpret_cast<abi::status (*)(int*)>(::dlsym(handle, "cuDriverGetVersion"));
  if (version_of == nullptr) {
    return error{errc::no_driver, path + " is not a CUDA driver: " + last_dl_error()};
  }
  std::unique_ptr<api> made{new api};
  made->path_ = file_of(reinterpret_cast<void*>(version_of), path);
  const abi::status asked = version_of(&made->version_);
  if (asked == abi::stub_library) {
    return error{errc::no_driver,
                 made->path_ +
                     " is the toolkit's stub for linking, not a driver; install the NVIDIA driver"};
  }
  if (asked == abi::success && made->version_ < oldest_driver) {
    return error{errc::driver_too_old,
                 made->path_ + " supports CUDA " + version_text(made->version_) + "; CUDA " +
                     version_text(oldest_driver) + " or newer is needed (driver 580 or newer)"};
  }
#define PERDURE_CUDA(name, symbol, parameters)                                                  \
  made->name = reinterpret_cast<abi::status(*) parameters>(::dlsym(handle, #symbol));           \
  if (made->name == nullptr) {                                                                  \
    return error{errc::driver_too_old, made->path_ + " (CUDA " + version_text(made->version_) + \
                                           ") does not offer " #symbol "; update the driver"};  \
  }
#include "runtime/driver/symbols.def"
#undef PERDURE_CUDA
  if (asked != abi::success) return made->failure(asked, "cuDriverGetVersion");
  if (auto started = made->check(made->cuInit(0), "cuInit", made->path_); !started)
    return started.error();
  return made.release();
}

error api::failure(abi::status status, const char* call, const std::string& what,
                   std::source_location where) const {
  const char* name = nullptr;
  const char* text = nullptr;
  if (cuGetErrorName(status, &name) != abi::success || name == nullptr) name = "unknown CUDA error";
  if (cuGetErrorString(status, &text) != abi::success || text == nullptr) text = "no description";
  std::string line{call};
  if (!what.empty()) line.append(" (").append(what).append(")");
  line.append(": ")
      .append(name)
      .append(" ")
      .append(std::to_string(status))
      .append(", ")
      .append(text);
  switch (status) {
    case abi::out_of_memory:
      return error{errc::out_of_memory, std::move(line), where};
    case abi::no_device:
    case abi::invalid_device:
      return error{errc::no_device, std::move(line), where};
    case abi::stub_library:
      return error{errc::no_driver, std::move(line), where};
    default:
      return error{errc::device_failed, std::move(line), where};
  }
}

result<void> api::check(abi::status status, const char* call, const std::string& what,
                        std::source_location where) const {
  if (status == abi::success) return {};
  return failure(status, call, what, where);
}

void api::note_teardown(abi::status status, const char* call) const noexcept {
  if (status == abi::success) return;
  try {
    const std::lock_guard lock{teardown_mutex_};
    if (!teardown_) teardown_.emplace(failure(status, call, "in a destructor"));
  } catch (const std::
               bad_alloc&) {  // nothing left to report with; the status is lost, the process is not
  }
}

std::optional<error> api::take_teardown_failure() const {
  const std::lock_guard lock{teardown_mutex_};
  auto taken = std::move(teardown_);
  teardown_.reset();
  return taken;
}

}  // namespace perdure::driver
