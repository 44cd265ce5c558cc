// runtime/jit/nvrtc.cpp - see nvrtc.hpp. The prototypes are written out, so no CUDA header is
//   needed.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/jit/nvrtc.hpp"

#include <dlfcn.h>

#include <memory>
#include <utility>

#include "runtime/jit/nvrtc_search.hpp"

namespace perdure::runtime::jit {

namespace {
using program = struct program_tag*;
enum status : int {  // nvrtcResult
  success = 0,
  no_memory = 1,
  invalid_option = 5,
  source_has_errors = 6,
  builtins_failed = 7
};
}  // namespace

struct nvrtc::functions {
  status (*version)(int* major, int* minor);
  status (*count_archs)(int* count);
  status (*archs)(int* list);
  const char* (*describe)(status);
  status (*create)(program*, const char* source, const char* name, int count,
                   const char* const* texts, const char* const* names);
  status (*destroy)(program*);
  status (*compile)(program, int count, const char* const* options);
  status (*cubin_size)(program, std::size_t*);
  status (*cubin)(program, char*);
  status (*log_size)(program, std::size_t*);
  status (*log)(program, char*);
};

/// Loads one candidate; a friend, so that an nvrtc without its functions cannot be made elsewhere.
struct nvrtc_loader {
  template <class Function>
  static bool find(void* library, const char* symbol, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, symbol));
    return function != nullptr;
  }

  /// @return nothing if it would not do; `why` then says why.
  static bool load(const std::string& candidate, nvrtc& out, std::string& why) {
    void* library =
        dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);  // never closed: code may be in it
    if (library == nullptr) {
      const char* message = dlerror();
      why = message != nullptr ? message : "cannot be loaded";
      return false;
    }
    auto f = std::make_shared<nvrtc::functions>();
    if (!find(library, "nvrtcVersion", f->version) ||
        !find(library, "nvrtcGetNumSupportedArchs", f->count_archs) ||
        !find(library, "nvrtcGetSupportedArchs", f->archs) ||
        !find(library, "nvrtcGetErrorString", f->describe) ||
        !find(library, "nvrtcCreateProgram", f->create) ||
        !find(library, "nvrtcDestroyProgram", f->destroy) ||
        !find(library, "nvrtcCompileProgram", f->compile) ||
        !find(library, "nvrtcGetCUBINSize", f->cubin_size) ||
        !find(library, "nvrtcGetCUBIN", f->cubin) ||
        !find(library, "nvrtcGetProgramLogSize", f->log_size) ||
        !find(library, "nvrtcGetProgramLog", f->log)) {
      why = candidate + ": not an NVRTC library, or too old a one";
      dlclose(library);
      return false;
    }
    if (f->version(&out.major_, &out.minor_) != success || out.major_ < 13) {
      why = candidate + ": is NVRTC " + out.version() + ", 13.0 or newer is needed";
      dlclose(library);
      return false;
    }
    Dl_info info{};
    const bool named =
        dladdr(reinterpret_cast<void*>(f->version), &info) != 0 && info.dli_fname != nullptr;
    out.path_ = named ? info.dli_fname : candidate;
    load_builtins_beside(out.path_);
    out.call_ = std::move(f);
    return true;
  }

  /// libnvrtc loads its builtins by bare name; when it was itself found by path, the loader would
  ///   not find them.
  static void load_builtins_beside(const std::string& path) {
    const auto slash = path.rfind('/');
    if (slash == std::string::npos) return;
    for (const char* name : {"libnvrtc-builtins.so.13", "libnvrtc-builtins.so"}) {
      if (dlopen((path.substr(0, slash + 1) + name).c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr)
        return;
    }
  }
};

result<nvrtc> nvrtc::open() {
  nvrtc found;
  std::string tried;
  for (const auto& candidate : nvrtc_candidates()) {
    std::string why;
    if (nvrtc_loader::load(candidate, found, why)) return found;
    tried.append(tried.empty() ? "" : "; ").append(why);
  }
  return error{errc::no_nvrtc, "tried: " + tried};
}

result<std::vector<int>> nvrtc::architectures() const {
  int count = 0;
  if (call_->count_archs(&count) != success || count < 0)
    return error{errc::no_nvrtc, path_ + ": names no architectures"};
  std::vector<int> list(static_cast<std::size_t>(count));
  if (call_->archs(list.data()) != success)
    return error{errc::no_nvrtc, path_ + ": names no architectures"};
  return list;
}

result<nvrtc_output> nvrtc::compile(const std::string& source, const std::string& name,
                                    std::span<const std::string> options,
                                    std::span<const header> headers) const {
  std::vector<const char*> names, texts, flags;
  for (const auto& h : headers) {
    names.push_back(h.name);
    texts.push_back(h.text);
  }
  for (const auto& o : options) flags.push_back(o.c_str());

  program unit = nullptr;
  status state = call_->create(&unit, source.c_str(), name.c_str(), static_cast<int>(names.size()),
                               texts.data(), names.data());
  if (state != success)
    return error{errc::compile_failed,
                 "nvrtcCreateProgram: " + std::string{call_->describe(state)}};
  struct guard {
    const functions* call;
    program* unit;
    ~guard() { call->destroy(unit); }
  } const release{call_.get(), &unit};

  state = call_->compile(unit, static_cast<int>(flags.size()), flags.data());
  nvrtc_output out;
  std::size_t bytes = 0;
  if (call_->log_size(unit, &bytes) == success && bytes > 1) {
    out.log.resize(bytes);
    if (call_->log(unit, out.log.data()) != success) out.log.clear();
    while (!out.log.empty() && out.log.back() == '\0') out.log.pop_back();
  }
  const auto explain = [&] {
    return "NVRTC " + version() + ": " + call_->describe(state) +
           (out.log.empty() ? "" : ": " + out.log);
  };
  if (state == no_memory) return error{errc::out_of_memory, explain()};
  if (state == invalid_option) return error{errc::bad_option, explain()};
  if (state == builtins_failed)
    return error{errc::no_nvrtc, explain() + "; libnvrtc-builtins must lie beside " + path_};
  if (state != success) {
    if (state != source_has_errors) out.log.append(out.log.empty() ? "" : "\n").append(explain());
    return out;
  }
  out.accepted = true;
  if (call_->cubin_size(unit, &bytes) != success || bytes == 0) return out;
  out.cubin.resize(bytes);
  out.compiled = call_->cubin(unit, reinterpret_cast<char*>(out.cubin.data())) == success;
  return out;
}

}  // namespace perdure::runtime::jit
