// runtime/record/recording.cpp - see recording.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/record/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string_view>
#include <system_error>
#include <tuple>

#include "kernels/abi/actor_slot.cuh"

namespace perdure::runtime {
namespace {

using namespace recorded;

/// The rest of a chunk's body.
class body {
 public:
  explicit body(std::span<const std::byte> all) : rest_{all} {}
  bool empty() const { return rest_.empty(); }
  /// @return whether there is as much.
  template <class T>
  bool take(T& to) {
    if (rest_.size() < sizeof(T)) return false;
    std::memcpy(&to, rest_.data(), sizeof(T));
    rest_ = rest_.subspan(sizeof(T));
    return true;
  }
  bool take(std::uint64_t bytes, std::span<const std::byte>& to) {
    if (rest_.size() < bytes) return false;
    to = rest_.first(bytes);
    rest_ = rest_.subspan(bytes);
    return true;
  }
  template <class T>
  bool take_all(std::vector<T>& to) {
    if (rest_.size() % sizeof(T) != 0) return false;
    const std::size_t before = to.size();
    to.resize(before + rest_.size() / sizeof(T));
    if (!rest_.empty()) std::memcpy(to.data() + before, rest_.data(), rest_.size());
    rest_ = {};
    return true;
  }

 private:
  std::span<const std::byte> rest_;
};

/// @param more  bytes before each state.
bool take_actors(body& b, const program& p, std::uint64_t more,
                 std::vector<recording::actors>& to) {
  recording::actors one{};
  if (!b.take(one.head)) return false;
  const std::uint32_t type = abi::ref_type(one.head.first);
  if (type == 0 || type > p.actors.size()) return false;
  if (one.head.bytes != p.actors[type - 1].size + more) return false;
  if (one.head.count > (std::uint64_t{1} << 32U) - abi::ref_index(one.head.first)) return false;
  if (!b.take(one.head.count * one.head.bytes, one.bytes)) return false;
  to.push_back(one);
  return true;
}
bool take_sent(body& b, const program& p, std::vector<recording::sent_message>& to) {
  while (!b.empty()) {
    recording::sent_message one{};
    std::span<const std::byte> message;
    if (!b.take(one.row) || one.row.handler >= p.handlers.size()) return false;
    const handler_info& handler = p.handlers[one.row.handler];
    const wide_info* wide = p.actors[handler.actor - 1U].wide;
    if (abi::ref_type(one.row.to) != handler.actor ||
        (wide != nullptr && wide->joined == one.row.handler + 1) ||
        one.row.bytes != p.messages[handler.message].size ||
        !b.take(padded(one.row.bytes), message))
      return false;
    one.at = message.data();
    to.push_back(one);
  }
  return true;
}
bool links_are_of(const program& p, const std::vector<link_row>& links) {
  const auto wide = [&](std::uint64_t bits) -> const wide_info* {
    const std::uint32_t type = abi::ref_type(bits);
    return type == 0 || type > p.actors.size() ? nullptr : p.actors[type - 1].wide;
  };
  return std::all_of(links.begin(), links.end(), [&](const link_row& l) {
    const wide_info *from = wide(l.from), *to = wide(l.to);
    return from != nullptr && to != nullptr && l.out_port < from->ports.size() &&
           l.in_port < to->ports.size() && l.message < p.messages.size();
  });
}

/// By stamp; what happens at one stamp by actor, and a wide actor's ports before its message.
bool comes_before(const abi::record_entry& a, const abi::record_entry& b) {
  const auto key = [](const abi::record_entry& e) {
    return std::tuple{e.stamp, e.actor, e.kind() != abi::record_kind::ports};
  };
  return key(a) < key(b);
}

}  // namespace

result<recording> recording::read(const std::filesystem::path& file, const program& actors) {
  const auto bad = [&](std::string_view why) {
    return error{errc::bad_recording, fmt::format("{}: {}", file.string(), why)};
  };
  recording r;
  std::error_code none;
  if (!std::filesystem::is_regular_file(file, none)) return bad("there is no such file");
  const auto size = std::filesystem::file_size(file, none);
  std::ifstream in{file, std::ios::binary};
  if (none || !in) return bad("it cannot be read");
  r.bytes_.resize(size);
  in.read(reinterpret_cast<char*>(r.bytes_.data()), static_cast<std::streamsize>(size));
  if (!in) return bad("it cannot be read");
  body all{r.bytes_};
  bool ended = false;
  for (std::uint64_t at = 0; !all.empty();) {
    const auto wrong = [&](std::string_view why) {
      return bad(fmt::format("{}, in what begins at byte {}", why, at));
    };
    chunk_head head{};
    std::span<const std::byte> inside;
    if (!all.take(head) || !all.take(head.bytes, inside)) {
      if (at == 0) return bad("this is no recording");
      return wrong("the file is cut off");
    }
    body b{inside};
    bool right = true;
    if (at == 0) {
      if (head.kind != chunk_kind::program || !b.take(r.head) || r.head.magic != magic)
        return bad("this is no recording");
      std::span<const std::byte> name;
      if (!b.take(r.head.name_bytes, name)) return bad("this is no recording");
      const std::string_view told{reinterpret_cast<const char*>(name.data()), name.size()};
      if (r.head.shape != shape_of(actors))
        return bad(fmt::format("it is of {}, with other actors, messages or handlers than {} has",
                               told, actors.name));
    } else if (ended) {
      right = false;
    } else {
      switch (head.kind) {
        case chunk_kind::spawned:
          right = take_actors(b, actors, 0, r.spawned);
          break;
        case chunk_kind::states:
          right = take_actors(b, actors, sizeof(abi::actor_header), r.states);
          break;
        case chunk_kind::linked:
          right = b.take_all(r.links) && links_are_of(actors, r.links);
          break;
        case chunk_kind::sent:
          right = take_sent(b, actors, r.sent);
          break;
        case chunk_kind::taken:
          right = b.take_all(r.taken);
          break;
        case chunk_kind::end:
          ended = right = b.take(r.end) && r.end.entries == r.taken.size();
          break;
        default:
          right = false;
      }
    }
    if (!right) return wrong("what stands there is not what a recording says");
    at += sizeof(head) + head.bytes;
  }
  if (!ended) return bad("it has no end: whoever wrote it was not done");
  std::erase_if(r.taken, [&](const abi::record_entry& e) { return e.stamp >= r.end.missing; });
  std::sort(r.taken.begin(), r.taken.end(), comes_before);
  return r;
}

}  // namespace perdure::runtime
