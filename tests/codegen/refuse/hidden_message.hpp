// tests/codegen/refuse/hidden_message.hpp - generated code must be able to name messages and actors.
#pragma once

#include <perdure/actor.hpp>

struct tick {};
class box : public perdure::actor<box> {
  struct secret {
    int x;
  };

 public:
  // EXPECT-ERROR: message 'box::secret' must be public
  void on(const secret&, perdure::context&) {}
  void on(const tick&, perdure::context& ctx) {
    struct local {
      int x;
    };
    // EXPECT-ERROR: must be public and have a name outside functions
    ctx.reply(local{1});
  }
};
