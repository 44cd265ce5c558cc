// tests/support/units.cpp - see units.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/units.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "perdure/context.hpp"

namespace perdure::support {
namespace {

constexpr std::size_t most_handlers = 2048;  // the limit of docs/generated.md

[[noreturn]] void give_up(const std::string& why) {
  fmt::print(stderr, "perdure-prove: {}\n", why);
  std::exit(2);
}

bool ask_runtime(std::uint64_t bits, std::uint64_t type_key) {
  return detail::is_actor_of != nullptr && detail::is_actor_of(bits, type_key);
}

class library {
 public:
  explicit library(const std::string& path)
      : path_{path}, handle_{dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)} {
    if (handle_ == nullptr) give_up(dlerror());
    get<void(bool (*)(std::uint64_t, std::uint64_t))>("perdure_unit_attach")(ask_runtime);
  }
  template <class Function>
  Function* get(const char* name) const {
    void* found = dlsym(handle_, name);
    if (found == nullptr) give_up(fmt::format("{} does not define {}", path_, name));
    return reinterpret_cast<Function*>(found);
  }

 private:
  std::string path_;
  void* handle_;
};

void (*lowered_invoke)(unsigned, void*, const void*, context&) = nullptr;

/// A table entry has no room for the handler's id, so each id has a function of its own.
template <unsigned Handler>
void invoke_lowered(void* self, const void* message, context& ctx) {
  lowered_invoke(Handler, self, message, ctx);
}
using invoke_function = void (*)(void*, const void*, context&);
template <std::size_t... Handler>
constexpr std::array<invoke_function, sizeof...(Handler)> make_invokes(
    std::index_sequence<Handler...>) {
  return {invoke_lowered<static_cast<unsigned>(Handler)>...};
}
constexpr auto invokes = make_invokes(std::make_index_sequence<most_handlers>{});

}  // namespace

const program& load_native(const std::string& path) {
  return *library{path}.get<const program*()>("perdure_unit_program")();
}

const program& load_lowered(const program& native, const std::string& path) {
  static std::vector<handler_info> handlers;
  static program lowered;
  if (lowered_invoke != nullptr) give_up("a second lowered unit in one process");
  lowered_invoke =
      library{path}.get<void(unsigned, void*, const void*, context&)>("perdure_unit_invoke");
  handlers.assign(native.handlers.begin(), native.handlers.end());
  if (handlers.size() > most_handlers)
    give_up(fmt::format("{} handlers; at most {}", handlers.size(), most_handlers));
  for (std::size_t i = 0; i < handlers.size(); ++i) handlers[i].invoke = invokes[i];
  lowered = native;
  lowered.handlers = handlers;
  return lowered;
}

}  // namespace perdure::support
