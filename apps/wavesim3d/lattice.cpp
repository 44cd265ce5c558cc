// apps/wavesim3d/lattice.cpp - see lattice.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "lattice.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstring>
#include <functional>
#include <type_traits>

#include "common/failure.hpp"
#include "plane.hpp"
#include "tile_kind.hpp"
#include "tile_links.hpp"
#include "tile_states.hpp"
#include "too_large.hpp"
#include "turns.hpp"
#include "waveform.hpp"

namespace wavesim3d {
namespace {

using namespace std::chrono_literals;
constexpr std::size_t letters = 1U << 14U;  // pieces of traces that the host keeps

template <class T>
T checked(perdure::result<T> r) {
  if (!r) {
    throw apps::failure{r.error().message(), r.error().code() == perdure::errc::bad_option
                                                 ? apps::exit_code::usage
                                                 : apps::exit_code::failed};
  }
  if constexpr (!std::is_void_v<T>) return std::move(*r);
}

template <class Tile>
class tiles_of : public lattice, tile_kind<Tile> {
 public:
  using tile_kind<Tile>::small, tile_kind<Tile>::orders;
  using tile_kind<Tile>::one_field, tile_kind<Tile>::link_slots, tile_kind<Tile>::program;
  using tile_kind<Tile>::suited, tile_kind<Tile>::tile_bytes;

  /// @param in_turns  the tiles are swapped
  tiles_of(const scene& s, const perdure::options& opts, std::span<const std::byte> states,
           bool in_turns)
      : what_{s},
        grid_{s.cells, cut::size_of<Tile>},
        in_turns_{in_turns},
        sits_{seats(grid_, in_turns)},
        sys_{checked(perdure::system::start(program(), suited(opts)))},
        mailbox_{checked(sys_.make_mailbox<trace>(letters))} {
    if constexpr (orders) viewer_ = checked(sys_.make_mailbox<picture_row>(letters));
    spawn(states);
    link();
  }

  void advance(int steps, std::vector<std::vector<float>>& traces, std::int64_t begin) override {
    is_whole();
    // no more at a time than the mailbox holds of what the receivers say
    const auto receivers = std::max<std::size_t>(what_.receivers.size(), 1);
    const int most = static_cast<int>(
        std::min<std::size_t>(trace::length * (letters / receivers - 1), 1'000'000'000));
    while (steps > 0) {
      const int now = std::min(steps, std::max(most, 1));
      const std::uint64_t before = sys_.statistics().fired;
      set_off(now);
      checked(sys_.quiesce(24h));
      const std::uint64_t wanted = grid_.count() * static_cast<std::uint64_t>(now);
      const std::uint64_t taken = sys_.statistics().fired - before;
      if (taken != wanted) {
        throw apps::failure{fmt::format("{} tiles were to take {} steps each: {} of {} were taken",
                                        grid_.count(), now, taken, wanted)};
      }
      take_letters(traces, begin);
      steps -= now;
    }
  }

  std::vector<float> field(bool past) override {
    std::vector<float> out(static_cast<std::size_t>(what_.cell_count()));
    const auto all = past && one_field ? exchanged() : view();
    for (std::size_t t = 0; t < all.size(); ++t) {
      const Tile& one = all[sits_[t]];
      const auto& p = past && !one_field ? one.pressure[one.now() ^ 1U] : one.present();
      grid_.template each_cell<Tile>(
          t, [&](const cut::cell& c, std::size_t place) { out[grid_.flat(c)] = p[place]; });
    }
    return out;
  }
  std::vector<std::byte> states() override {
    std::vector<std::byte> out(grid_.count() * state_bytes());
    const auto put = [&](const std::vector<Tile>& all, std::size_t first, const auto& part) {
      for (std::size_t t = 0; t < all.size(); ++t) {
        const auto& what = part(all[sits_[t]]);
        std::memcpy(out.data() + t * state_bytes() + first, &what, sizeof what);
      }
    };
    put(view(), 0, std::identity{});
    if constexpr (one_field)
      put(exchanged(), sizeof(Tile), [](const Tile& one) -> const auto& { return one.pressure; });
    return out;
  }
  std::size_t state_bytes() const override {
    return sizeof(Tile) + (one_field ? sizeof(typename Tile::field) : 0);
  }
  std::string layout_name() const override {
    return std::string{small            ? "small "
                       : one_field      ? "cube "
                       : Tile::streamed ? "streamed "
                                        : ""} +
           (orders ? "medium" : "plain");
  }
  const cut& grid() const override { return grid_; }

  std::vector<float> look(int axis, int index) override {
    if constexpr (!orders) {
      refuse();
    } else {
      const auto normal = static_cast<std::size_t>(axis);
      const std::size_t first = axes_across(axis)[0], second = axes_across(axis)[1];
      const auto width = static_cast<std::size_t>(what_.cells[first]);
      const auto height = static_cast<std::size_t>(what_.cells[second]);
      std::vector<float> out(width * height);
      std::vector<perdure::mailbox<picture_row>::letter_type> some(1024);
      const auto take = [&] {
        while (const std::size_t n = checked(viewer_->receive(some, 0ns))) {
          for (std::size_t l = 0; l < n; ++l) {
            const picture_row& r = some[l].body;
            const cut::cell from = grid_.first(static_cast<std::size_t>(r.tile));
            const auto y = static_cast<std::size_t>(from[second]) + static_cast<std::size_t>(r.row);
            if (y >= height) continue;
            for (std::size_t i = 0; i < picture_row::length; ++i) {
              const auto x = static_cast<std::size_t>(from[first] + r.first) + i;
              if (x < width) out[y * width + x] = r.pressure[i];
            }
          }
        }
      };
      constexpr std::size_t rows = std::max(Tile::ny, Tile::nz);
      constexpr std::size_t answers = Tile::nx / picture_row::length * rows;
      std::size_t asked = 0;  // no more than the mailbox holds
      for (std::size_t t = 0; t < grid_.count(); ++t) {
        const int at = index - grid_.first(t)[normal];
        if (at < 0 || at >= grid_.size[normal]) continue;
        checked(sys_.send(tile_at(t), wavesim3d::look{axis, at, static_cast<std::int32_t>(t)}));
        if (++asked % (letters / answers) != 0) continue;
        checked(sys_.quiesce(1h));
        take();
      }
      checked(sys_.quiesce(1h));
      take();
      return out;
    }
  }
  void inject(const source_spec& one) override {
    if constexpr (!orders) {
      refuse();
    } else {
      if (one.over) throw apps::failure{"a source that is injected has one cell"};
      source made = waveform_of(one, what_.time_step_s());
      made.cell = cut::within<Tile>(one.at);
      order(grid_.tile_of(one.at), wavesim3d::inject{made}, "sources");
    }
  }
  void move_receiver(std::size_t which, const std::array<int, 3>& from,
                     const std::array<int, 3>& to) override {
    if constexpr (!orders) {
      refuse();
    } else {
      const auto id = static_cast<std::int32_t>(which);
      const std::size_t old = grid_.tile_of(from), next = grid_.tile_of(to);
      if (old != next) order(next, listen{{id, cut::within<Tile>(to)}}, "receivers");
      checked(sys_.send(tile_at(old), unlisten{id}));
      checked(sys_.quiesce(1h));
      if (old == next) order(next, listen{{id, cut::within<Tile>(to)}}, "receivers");
    }
  }
  void damp(double rate_per_s) override {
    if constexpr (!orders) {
      refuse();
    } else {
      tell_all(wavesim3d::damp{static_cast<float>(rate_per_s * what_.time_step_s() / 2)});
    }
  }
  perdure::layout_report layout() const override { return sys_.layout(); }
  perdure::stats statistics() const override { return sys_.statistics(); }

 private:
  std::vector<Tile> view() {
    is_whole();
    return seen();
  }
  std::vector<Tile> seen() {
    std::vector<Tile> all(grid_.count());
    checked(sys_.view(tiles_, std::span{all}));
    return all;
  }
  /// The states with p(n-1) where p(n) is.
  std::vector<Tile> exchanged() {
    std::vector<Tile> all;
    if constexpr (one_field) {
      is_whole();
      exchanged_ = true;  // who went on before they have changed back would go back in time
      tell_all(exchange{});
      all = seen();
      tell_all(exchange{});
      exchanged_ = false;
    }
    return all;
  }
  void is_whole() const {
    if (exchanged_) throw apps::failure{"the tiles' fields are exchanged: an earlier call failed"};
  }
  template <class M>
  void tell_all(const M& m) {
    for (auto t : tiles_) checked(sys_.send(t, m));
    checked(sys_.quiesce(1h));
  }

  perdure::ref<Tile> tile_at(std::size_t t) const { return tiles_[sits_[t]]; }

  /// Tells all tiles to take so many steps.
  void set_off(int steps) {
    for (std::size_t t = 0; t < grid_.count(); ++t) {
      const int turns = !in_turns_ ? 0 : is_odd(grid_, t) ? 2 : 1;
      checked(sys_.send(tile_at(t), wavesim3d::advance{steps, turns}));
    }
  }
  [[noreturn]] static void refuse() {
    throw apps::failure{
        "these tiles take no orders; a simulation that is made as a laboratory has tiles that do",
        apps::exit_code::usage};
  }
  template <class M>
  void order(std::size_t t, const M& m, const char* what) {
    if (checked(sys_.template ask<taken>(tile_at(t), m, 60s)).yes) return;
    throw apps::failure{fmt::format("a tile of {} x {} x {} cells takes at most {} {}", Tile::nx,
                                    Tile::ny, Tile::nz, Tile::most, what),
                        apps::exit_code::usage};
  }

  [[noreturn]] void too_large() const {
    refuse_too_large(what_, grid_, tile_bytes(), sys_.layout().arena_bytes);
  }
  template <class Result>
  auto fitted(Result r) const {
    if (!r && r.error().code() == perdure::errc::too_many_actors) too_large();
    return checked(std::move(r));
  }

  void spawn(std::span<const std::byte> states) {
    if (grid_.count() * sizeof(Tile) > sys_.layout().arena_bytes) too_large();
    if (!states.empty() && states.size() != grid_.count() * state_bytes()) {
      throw apps::failure{
          fmt::format("the states to go on from have {} bytes, {} tiles of this version have {}",
                      states.size(), grid_.count(), grid_.count() * state_bytes()),
          apps::exit_code::usage};
    }
    const tile_states begin{what_, grid_.size};
    std::vector<std::vector<ground>> grounds(orders ? grid_.count() : 0);
    std::vector<std::size_t> who(sits_.size());
    for (std::size_t t = 0; t < who.size(); ++t) who[sits_[t]] = t;
    tiles_ = fitted(sys_.template spawn<Tile>(grid_.count(), [&](std::size_t i) {
      const std::size_t t = who[i];
      Tile made{};
      if constexpr (orders) made = begin.template medium<Tile>(t, grounds[t]);
      if (!states.empty()) {
        std::memcpy(&made, states.data() + t * state_bytes(), sizeof(Tile));
        made.loaded = one_field;  // it gets p(n-1) by messages
      } else if constexpr (!orders) {
        made = begin.template plain<Tile>(t);
      }
      made.listener = mailbox_.ref();
      if constexpr (orders) made.viewer = viewer_->ref();
      return made;
    }));
    if constexpr (orders) tell(grounds);
    if constexpr (one_field) tell_past(states);
  }

  /// Tells tiles what their cells are. Each gets as many messages: tiles look around after so many, and a tile that did so at
  /// other steps than its neighbours would make them wait.
  void tell(std::vector<std::vector<ground>>& grounds) {
    std::size_t most = 0;
    for (const auto& one : grounds) most = std::max(most, one.size());
    for (std::size_t t = 0; t < grounds.size(); ++t) {
      grounds[t].resize(most);  // those more say nothing: they are of no level
      tell_one(t, grounds[t]);
      grounds[t] = {};
    }
    checked(sys_.quiesce(1h));
  }
  /// Tells tiles that keep one field p(n-1) of the states to go on from.
  void tell_past(std::span<const std::byte> states) {
    std::vector<past_row> rows;
    for (std::size_t t = 0; !states.empty() && t < grid_.count(); ++t) {
      const std::byte* field = states.data() + t * state_bytes() + sizeof(Tile);
      rows.clear();
      for (int y = 0; y < Tile::ny; ++y) {
        for (int z = 0; z < Tile::nz; ++z) {
          past_row one{y, z, {}};
          const auto first = Tile::at(0, static_cast<std::size_t>(y), static_cast<std::size_t>(z));
          std::memcpy(&one.pressure, field + first * sizeof(float), sizeof one.pressure);
          rows.push_back(one);
        }
      }
      tell_one(t, rows);
    }
    checked(sys_.quiesce(1h));
  }
  template <class M>
  void tell_one(std::size_t t, const std::vector<M>& all) {
    const std::vector<perdure::ref<Tile>> to(all.size(), tile_at(t));
    for (std::size_t sent = 0; sent < all.size();) {
      const std::size_t some = checked(
          sys_.send_many(std::span{to}.subspan(sent), std::span<const M>{all}.subspan(sent)));
      if (some == 0) throw apps::failure{"the tiles take no messages: their inboxes stay full"};
      sent += some;
    }
  }
  void link() {
    fitted(sys_.link(
        links_between<Tile>(grid_, [this](std::size_t t) { return tile_at(t); }, link_slots)));
  }

  void take_letters(std::vector<std::vector<float>>& traces, std::int64_t begin) {
    std::vector<perdure::mailbox<trace>::letter_type> some(256);
    while (const std::size_t n = checked(mailbox_.receive(some, 0ns))) {
      for (std::size_t l = 0; l < n; ++l) {
        const trace& t = some[l].body;
        auto& to = traces[static_cast<std::size_t>(t.receiver)];
        // tiles count modulo 2^32, and no trace is as long
        const std::size_t first = t.first_step - 1 - static_cast<std::uint32_t>(begin);
        to.resize(std::max(to.size(), first + t.count));
        for (std::size_t i = 0; i < t.count; ++i) to[first + i] = t.pressure[i];
      }
    }
  }

  scene what_;
  cut grid_;
  bool in_turns_;
  std::vector<std::size_t> sits_;  ///< [tile] its place among the actors
  perdure::system sys_;
  perdure::mailbox<trace> mailbox_;
  std::optional<perdure::mailbox<picture_row>> viewer_;
  perdure::range<Tile> tiles_;
  bool exchanged_ = false;  ///< or some are
};

}  // namespace

std::unique_ptr<lattice> make_lattice(const scene& s, const perdure::options& asked,
                                      bool laboratory, std::span<const std::byte> states,
                                      const std::string& layout, residence where) {
  const perdure::options opts = where_it_runs(asked);
  const auto of = [&](residence kind) -> std::unique_ptr<lattice> {
    const bool orders = laboratory || !s.plain();
    const bool in_turns = kind == residence::swapped || kind == residence::swapped_cube;
    const auto made = [&]<class Plain, class Orders>(std::type_identity<Plain>,
                                                     std::type_identity<Orders>) {
      return orders ? std::unique_ptr<lattice>{new tiles_of<Orders>(s, opts, states, in_turns)}
                    : std::unique_ptr<lattice>{new tiles_of<Plain>(s, opts, states, in_turns)};
    };
    switch (kind) {
      case residence::small:
        return made(std::type_identity<small_tile>{}, std::type_identity<small_medium_tile>{});
      case residence::cube:
      case residence::swapped_cube:
        return made(std::type_identity<cube_tile>{}, std::type_identity<cube_medium_tile>{});
      case residence::streamed:
        return made(std::type_identity<streamed_tile>{},
                    std::type_identity<streamed_medium_tile>{});
      case residence::swapped:
        return made(std::type_identity<swapped_tile>{}, std::type_identity<swapped_medium_tile>{});
      default:
        return made(std::type_identity<tile>{}, std::type_identity<medium_tile>{});
    }
  };
  const residence kind = residence_of(s, opts, laboratory, layout, where);
  const bool larger =
      kind == residence::cube || kind == residence::swapped_cube || kind == residence::streamed;
  if (!larger || where == kind || !layout.empty()) return of(kind);
  try {
    return of(kind);
  } catch (const apps::failure& e) {  // more in one tile than it has room for, such as receivers
    if (e.code() != apps::exit_code::usage) throw;
    return of(residence::swapped);
  }
}

}  // namespace wavesim3d
