// tools/perdure/info.cpp - looks at each part that a program of actors may use, and says why one is missing.
// SPDX-License-Identifier: Apache-2.0
#include "info.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <filesystem>
#include <thread>

#include "report.hpp"
#include "runtime/driver/context.hpp"
#include "runtime/jit/disk_cache.hpp"
#include "runtime/jit/nvrtc.hpp"
#include "tools/evidence/machine.hpp"

namespace bench {
namespace {

namespace cu = perdure::driver;
using nlohmann::json;

json missing(const perdure::error& why) {
  return {{"missing", why.message()}, {"code", perdure::name_of(why.code())}};
}

json driver_facts(const perdure::result<const cu::api*>& cuda) {
  if (!cuda) return missing(cuda.error());
  return {{"cuda_version", cu::version_text((*cuda)->version())},
          {"path", (*cuda)->library_path()}};
}

json device_facts(const perdure::result<const cu::api*>& cuda) {
  json devices = json::array();
  if (!cuda) return devices;
  auto count = cu::device_count(**cuda);
  for (int i = 0; count && i < *count; ++i) {
    auto p = cu::describe(**cuda, i);
    if (!p) {
      devices.push_back(missing(p.error()));
      continue;
    }
    json about = evidence::describe(*p);
    about["ordinal"] = i;
    about["l2_bytes"] = p->l2_bytes;
    about["shared_bytes_per_block"] = p->shared_bytes_per_block;
    about["cooperative_launch"] = p->cooperative_launch;
    devices.push_back(std::move(about));
  }
  return devices;
}

json nvrtc_facts() {
  auto found = perdure::runtime::jit::nvrtc::open();
  if (!found) return missing(found.error());
  json facts = {{"version", found->version()}, {"path", found->path()}};
  if (auto list = found->architectures()) facts["architectures"] = *list;
  return facts;
}

json cache_facts() {
  const std::filesystem::path folder = perdure::runtime::jit::disk_cache::folder_for({});
  if (folder.empty()) return {{"missing", "no folder: set PERDURE_CACHE or HOME"}};
  std::uintmax_t bytes = 0;
  std::size_t files = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator{folder, error}) {
    std::error_code each;
    if (!entry.is_regular_file(each) || entry.path().extension() != ".cubin") continue;
    const std::uintmax_t size = entry.file_size(each);
    if (each) continue;  // replaced by another process meanwhile
    ++files;
    bytes += size;
  }
  json facts = {{"folder", folder.string()}, {"programs", files}, {"bytes", bytes}};
  if (error) facts["missing"] = folder.string() + ": " + error.message();
  return facts;
}

/// What the CUDA backend needs, in the order in which start() looks for it.
json cuda_backend(const json& driver, const json& devices, const json& nvrtc) {
  if (driver.contains("missing")) return {{"usable", false}, {"missing", driver.at("missing")}};
  if (devices.empty() || devices[0].contains("missing")) {
    return {{"usable", false},
            {"missing",
             devices.empty() ? json("the driver shows no device") : devices[0].at("missing")}};
  }
  if (nvrtc.contains("missing")) return {{"usable", false}, {"missing", nvrtc.at("missing")}};
  return {{"usable", true}};
}

std::string line(const char* what, const json& part, const std::string& there) {
  return fmt::format(
      "{:<9} {}\n", what,
      part.contains("missing") ? "missing: " + part.at("missing").get<std::string>() : there);
}

}  // namespace

json machine_facts() {
  const auto cuda = cu::api::load();
  json facts;
  facts["perdure_info"] = 1;
  facts["date"] = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  facts["driver"] = driver_facts(cuda);
  facts["devices"] = device_facts(cuda);
  facts["nvrtc"] = nvrtc_facts();
  facts["cache"] = cache_facts();
  facts["backends"] = {{"cpu",
                        {{"usable", true},
                         {"processor", evidence::processor_name()},
                         {"threads", std::thread::hardware_concurrency()}}},
                       {"cuda", cuda_backend(facts["driver"], facts["devices"], facts["nvrtc"])}};
  return facts;
}

std::string facts_text(const json& facts) {
  const json& cpu = facts.at("backends").at("cpu");
  std::string text =
      line("cpu", cpu,
           fmt::format("usable: {}, {} threads", cpu.at("processor").get<std::string>(),
                       cpu.at("threads").get<unsigned>()));
  text += line("cuda", facts.at("backends").at("cuda"), "usable");
  const json& driver = facts.at("driver");
  text += line("driver", driver,
               driver.contains("path")
                   ? fmt::format("CUDA {}, {}", driver.at("cuda_version").get<std::string>(),
                                 driver.at("path").get<std::string>())
                   : "");
  for (const json& d : facts.at("devices")) {
    if (d.contains("missing")) {
      text += line("device", d, "");
      continue;
    }
    text +=
        line("device", d,
             fmt::format("{}: {}, {}, {} SMs, {:.1f} GiB, rated {} MHz, {}",
                         d.at("ordinal").get<int>(), d.at("name").get<std::string>(),
                         d.at("architecture").get<std::string>(), d.at("processors").get<int>(),
                         static_cast<double>(d.at("memory_bytes").get<std::size_t>()) / (1U << 30U),
                         d.at("rated_mhz").get<int>(), d.at("uuid").get<std::string>()));
  }
  const json& nvrtc = facts.at("nvrtc");
  text +=
      line("nvrtc", nvrtc,
           nvrtc.contains("path") ? fmt::format("{}, {}", nvrtc.at("version").get<std::string>(),
                                                nvrtc.at("path").get<std::string>())
                                  : "");
  const json& cache = facts.at("cache");
  text +=
      line("cache", cache,
           cache.contains("bytes")
               ? fmt::format("{}, {} programs, {:.1f} MB", cache.at("folder").get<std::string>(),
                             cache.at("programs").get<std::size_t>(),
                             static_cast<double>(cache.at("bytes").get<std::uintmax_t>()) / 1e6)
               : "");
  return text;
}

}  // namespace bench
