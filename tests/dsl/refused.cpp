// tests/dsl/refused.cpp - one wrong line a case; each must be refused by the compiler with a clear message.
// Why: what a compiler can say in the editor need not wait for the tool.
// Invariant: with no CASE_ defined the file compiles without a warning.
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "perdure/actor.hpp"
#include "perdure/result.hpp"

namespace {

struct known {
  int x;
};
struct unknown {
  int x;
};
struct other : perdure::actor<other> {};
struct taker : perdure::actor<taker> {
  void on(const known&, perdure::context&) {}
};
[[maybe_unused]] perdure::result<void> may_fail() { return {}; }

[[maybe_unused]] void wrong([[maybe_unused]] perdure::context& ctx,
                            [[maybe_unused]] perdure::ref<taker> to,
                            [[maybe_unused]] perdure::ref<perdure::host<known>> box,
                            [[maybe_unused]] perdure::any_ref any,
                            [[maybe_unused]] const char* text) {
#if defined(CASE_send_without_handler)
  ctx.send(to, unknown{1});
#elif defined(CASE_after_without_handler)
  ctx.after(std::chrono::seconds{1}, to, unknown{1});
#elif defined(CASE_send_to_other_mailbox)
  ctx.send(box, unknown{1});
#elif defined(CASE_reply_with_string)
  ctx.reply(std::string{"no"});
#elif defined(CASE_send_string)
  ctx.send(to, std::string{"no"});
#elif defined(CASE_log_thirteen_values)
  ctx.log("{}", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13);
#elif defined(CASE_log_a_struct)
  ctx.log("{}", known{1});
#elif defined(CASE_log_runtime_format)
  ctx.log(text);
#elif defined(CASE_assign_ref_of_other_type)
  perdure::ref<other> wrong_type = to;
  ctx.send(wrong_type, known{1});
#elif defined(CASE_any_ref_as_ref)
  to = any;
#elif defined(CASE_ignore_result)
  may_fail();
#else
  ctx.send(to, known{1});
  ctx.send(box, known{1});
  ctx.after(std::chrono::seconds{1}, to, known{1});
  ctx.log("x={}", 1);
#endif
}

}  // namespace
