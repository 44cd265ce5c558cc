// apps/wavesim3d/checkpoint.cpp - see checkpoint.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "checkpoint.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "common/failure.hpp"
#include "common/output_file.hpp"

namespace wavesim3d {
namespace {

using json = nlohmann::ordered_json;
constexpr std::string_view title = "wavesim3d checkpoint 1\n";

json described(const shape& s) {
  return {{"shape", static_cast<int>(s.what)},
          {"from", s.from},
          {"to", s.to},
          {"center", s.center},
          {"radius", s.radius},
          {"axis", s.axis}};
}
/// All that the field depends on, by the scene's keys.
json described(const scene& s) {
  json out = {{"cells", s.cells},     {"spacing_m", s.spacing_m},
              {"courant", s.courant}, {"damping_per_s", s.damping_per_s},
              {"faces", s.faces},     {"sponge_cells", s.sponge_cells},
              {"mode", s.mode},       {"energy_every", s.energy_every}};
  for (const char* list : {"materials", "bodies", "sources", "receivers"})
    out[list] = json::array();
  for (const material_spec& m : s.materials)
    out["materials"].push_back({m.name, m.kind, m.speed_m_s, m.damping_per_s});
  for (const body_spec& b : s.bodies) out["bodies"].push_back({b.material, described(b.where)});
  for (const source_spec& f : s.sources) {
    out["sources"].push_back({f.kind, f.at, f.over ? described(*f.over) : json{}, f.amplitude_pa,
                              f.frequency_hz, f.delay_s, f.phase_deg});
  }
  for (const receiver_spec& r : s.receivers) out["receivers"].push_back({r.name, r.at});
  return out;
}

/// Writes and sums up.
class summed_file {
 public:
  explicit summed_file(const std::filesystem::path& to) : file_{to} {}
  void put(const void* from, std::size_t bytes) {
    const auto* begin = static_cast<const char*>(from);
    sum_ = crc32_z(sum_, reinterpret_cast<const Bytef*>(begin), bytes);
    file_.write({begin, bytes});
  }
  template <class T>
  void put_all(std::span<const T> values) {
    put(values.data(), values.size_bytes());
  }
  void commit() {
    const auto sum = static_cast<std::uint32_t>(sum_);
    file_.write({reinterpret_cast<const char*>(&sum), sizeof sum});
    file_.commit();
  }

 private:
  apps::output_file file_;
  uLong sum_ = 0;
};

/// A file in memory that is read from front to back.
class reader {
 public:
  explicit reader(const std::filesystem::path& from) : path_{from.string()} {
    std::error_code code;
    const auto size = std::filesystem::file_size(from, code);
    std::ifstream in{from, std::ios::binary};
    if (code || !in) refuse(fmt::format("cannot be opened: {}", std::strerror(errno)));
    bytes_.resize(size);
    in.read(bytes_.data(), static_cast<std::streamsize>(size));
    if (static_cast<std::uintmax_t>(in.gcount()) != size) refuse("cannot be read");
  }
  [[noreturn]] void refuse(const std::string& why) const {
    throw apps::failure{path_ + ": " + why, apps::exit_code::usage};
  }
  std::string_view take(std::size_t bytes) {
    if (bytes > bytes_.size() - at_)
      refuse(fmt::format("ends after {} bytes, within its header", bytes_.size()));
    at_ += bytes;
    return std::string_view{bytes_}.substr(at_ - bytes, bytes);
  }
  template <class T>
  void take_all(std::span<T> into) {
    std::memcpy(into.data(), take(into.size_bytes()).data(), into.size_bytes());
  }
  std::size_t at() const { return at_; }
  std::size_t size() const { return bytes_.size(); }
  std::uint32_t sum_up_to_here() const {
    return static_cast<std::uint32_t>(
        crc32_z(0, reinterpret_cast<const Bytef*>(bytes_.data()), at_));
  }

 private:
  std::string path_, bytes_;
  std::size_t at_ = 0;
};

void same_scene(const reader& in, const json& there, const json& here) {
  for (const auto& [key, value] : here.items()) {
    if (there.contains(key) && there[key] == value) continue;
    in.refuse(fmt::format("was written for another scene: {} is {} there and {} here", key,
                          there.contains(key) ? there[key].dump() : "missing", value.dump()));
  }
}

}  // namespace

void write_checkpoint(const std::filesystem::path& to, const scene& s, const checkpoint& c) {
  json lengths = json::array();
  for (const auto& t : c.traces) lengths.push_back(t.size());
  const std::string header = json{
      {"scene", described(s)},
      {"step", c.step},
      {"layout", c.layout},
      {"state_bytes", c.state_bytes},
      {"states_bytes", c.states.size()},
      {"traces", lengths},
      {"energies",
       c.energies.size()}}.dump();
  const std::uint64_t length = header.size();
  summed_file file{to};
  file.put(title.data(), title.size());
  file.put(&length, sizeof length);
  file.put(header.data(), header.size());
  file.put_all(std::span{c.states});
  for (const auto& t : c.traces) file.put_all(std::span{t});
  for (const energy& e : c.energies) {
    const double values[] = {static_cast<double>(e.step), e.kinetic, e.potential};
    file.put_all(std::span<const double>{values});
  }
  file.commit();
}

bool looks_like_checkpoint(const std::filesystem::path& file) {
  constexpr std::string_view any_version = "wavesim3d checkpoint ";
  static_assert(title.starts_with(any_version));
  std::string begin(any_version.size(), '\0');
  std::ifstream in{file, std::ios::binary};
  in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin == any_version;
}

checkpoint read_checkpoint(const std::filesystem::path& from, const scene& s) {
  reader in{from};
  if (in.size() < title.size() || in.take(title.size()) != title)
    in.refuse("is no checkpoint of this version of wavesim3d");
  std::uint64_t length = 0;
  in.take_all(std::span{&length, 1});
  json header;
  checkpoint out;
  std::size_t energies = 0, whole = 0;
  std::vector<std::size_t> lengths;
  try {
    header = json::parse(in.take(length));
    out.step = header.at("step");
    out.layout = header.at("layout");
    out.state_bytes = header.at("state_bytes");
    whole = header.at("states_bytes");
    lengths = header.at("traces").get<std::vector<std::size_t>>();
    energies = header.at("energies");
  } catch (const json::exception& e) {
    in.refuse(fmt::format("its header is damaged: {}", e.what()));
  }
  same_scene(in, header["scene"], described(s));
  const std::size_t states = whole;
  for (const std::size_t n : lengths) whole += n * sizeof(float);
  whole += energies * 3 * sizeof(double);
  // before anything is set aside for it
  if (in.size() != in.at() + whole + sizeof(std::uint32_t)) {
    in.refuse(fmt::format("ends after {} bytes of {}; it was cut off or written to", in.size(),
                          in.at() + whole + sizeof(std::uint32_t)));
  }
  out.states.resize(states);
  in.take_all(std::span{out.states});
  for (const std::size_t n : lengths) in.take_all(std::span{out.traces.emplace_back(n)});
  for (std::size_t i = 0; i < energies; ++i) {
    double values[3];
    in.take_all(std::span<double>{values});
    out.energies.push_back({static_cast<int>(values[0]), values[1], values[2]});
  }
  const std::uint32_t sum = in.sum_up_to_here();
  std::uint32_t written = 0;
  in.take_all(std::span{&written, 1});
  if (sum != written) in.refuse("is damaged: its checksum is wrong");
  return out;
}

}  // namespace wavesim3d
