// tests/support/units.cpp - see units.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/units.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "perdure/block_context.hpp"
#include "perdure/context.hpp"
#include "tests/support/unit_exports.hpp"

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
    if (get<std::uint64_t()>("perdure_unit_layout")() != unit_layout_here()) {
      give_up(fmt::format(
          "{} was built with other headers of perdure than this program; build perdure-prove anew",
          path));
    }
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
void (*lowered_invoke_wide)(unsigned, const void*, const void*, detail::block_lane&) = nullptr;

/// A table entry has no room for the handler's id, so each id has a function of its own.
template <unsigned Handler>
void invoke_lowered(void* self, const void* message, context& ctx) {
  lowered_invoke(Handler, self, message, ctx);
}
/// A joined handler has no message; the lowered text takes what has landed in its place.
template <unsigned Handler>
void invoke_wide_lowered(const void* self, const void* message, const abi::landed_messages& landed,
                         detail::block_lane& lane) {
  lowered_invoke_wide(Handler, self, message != nullptr ? message : &landed, lane);
}
struct invoke_functions {
  decltype(handler_info::invoke) small;
  decltype(handler_info::invoke_wide) wide;
};
template <std::size_t... Handler>
constexpr std::array<invoke_functions, sizeof...(Handler)> make_invokes(
    std::index_sequence<Handler...>) {
  return {invoke_functions{invoke_lowered<static_cast<unsigned>(Handler)>,
                           invoke_wide_lowered<static_cast<unsigned>(Handler)>}...};
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
  const library unit{path};
  lowered_invoke = unit.get<void(unsigned, void*, const void*, context&)>("perdure_unit_invoke");
  const auto is_wide = [&](const handler_info& h) {
    return native.actors[h.actor - 1U].wide != nullptr;
  };
  if (std::any_of(native.handlers.begin(), native.handlers.end(), is_wide)) {
    lowered_invoke_wide = unit.get<void(unsigned, const void*, const void*, detail::block_lane&)>(
        "perdure_unit_invoke_wide");
  }
  handlers.assign(native.handlers.begin(), native.handlers.end());
  if (handlers.size() > most_handlers)
    give_up(fmt::format("{} handlers; at most {}", handlers.size(), most_handlers));
  for (std::size_t i = 0; i < handlers.size(); ++i) {
    if (is_wide(handlers[i])) {
      handlers[i].invoke_wide = invokes[i].wide;
    } else {
      handlers[i].invoke = invokes[i].small;
    }
  }
  lowered = native;
  lowered.handlers = handlers;
  return lowered;
}

}  // namespace perdure::support
