// runtime/jit/compile.cpp - see compile.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/jit/compile.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

#include "runtime/jit/disk_cache.hpp"
#include "runtime/jit/hash.hpp"
#include "runtime/jit/nvrtc.hpp"

namespace perdure::runtime::jit {
namespace {

namespace fs = std::filesystem;

/// All that the cubin depends on. The name is in it because messages and line tables carry it.
hash128 key_of(std::string_view source, std::string_view name, std::span<const std::string> options,
               std::span<const header> headers, const nvrtc& compiler) {
  hash128 key;
  key.text("perdure cubin 1").text(compiler.version()).text(name).text(source);
  for (const auto& option : options) key.text(option);
  for (const auto& h : headers) key.text(h.name).text(h.text);
  return key;
}

/// "sm_90" and "sm_90a" give 90 of the prefix "sm_"; anything else 0.
int capability_of(std::string_view arch, std::string_view prefix) {
  if (!arch.starts_with(prefix)) return 0;
  arch.remove_prefix(prefix.size());
  if (!arch.empty() && (arch.back() == 'a' || arch.back() == 'f')) arch.remove_suffix(1);
  int value = 0;
  const auto end = std::from_chars(arch.data(), arch.data() + arch.size(), value);
  return end.ptr == arch.data() + arch.size() && end.ec == std::errc{} ? value : 0;
}

/// @param prefix  of real architectures, or of those without machine code.
result<void> check_architecture(const nvrtc& compiler, std::string_view arch,
                                std::string_view prefix) {
  auto known = compiler.architectures();
  if (!known) return known.error();
  if (std::find(known->begin(), known->end(), capability_of(arch, prefix)) != known->end())
    return {};
  std::string list;
  for (const int one : *known)
    list.append(list.empty() ? "" : ", ").append(prefix).append(std::to_string(one));
  return error{errc::unsupported, "NVRTC " + compiler.version() + " cannot compile for '" +
                                      std::string{arch} + "'; it knows " + list};
}

std::string first_error(std::string_view log) {
  for (std::string_view rest = log; !rest.empty();) {
    const auto end = rest.find('\n');
    const auto line = rest.substr(0, end);
    if (line.find("error") != std::string_view::npos) return std::string{line};
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return std::string{log.substr(0, log.find('\n'))};
}

/// The log without the lines that differ from run to run, so that equal inputs give equal entries.
std::string without_times(const std::string& log) {
  std::string kept;
  for (std::string_view rest = log; !rest.empty();) {
    const auto line = rest.substr(
        0, rest.find('\n') == std::string_view::npos ? rest.size() : rest.find('\n') + 1);
    if (line.find("Compile time =") == std::string_view::npos) kept.append(line);
    rest.remove_prefix(line.size());
  }
  return kept;
}

/// Keeps the log of a failed compile: in the cache folder, else where temporary files go.
/// @return the sentence for the error's context.
std::string keep_log(const fs::path& folder, const std::string& stem, const std::string& text) {
  std::error_code none;
  const fs::path places[] = {folder.empty() ? fs::path{} : folder / "failed",
                             fs::temp_directory_path(none) / "perdure-failed"};
  std::string why;
  for (const auto& place : places) {
    if (place.empty()) continue;
    const auto file = place / (stem + ".log");
    const auto kept = write_atomically(file, text);
    if (kept) return "log: " + file.string();
    why = kept.error().context();
  }
  return "the log could not be kept (" + why + "): " + text;
}

/// NVRTC hands the assembler's options on unseen, so one that this does not know fails the compile.
bool refuses_option(std::string_view log) {
  return log.find("ptxas fatal") != std::string_view::npos &&
         log.find("Unknown option") != std::string_view::npos;
}

class stopwatch {
 public:
  double ms() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin_)
        .count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace

std::string cubin::hash() const {
  return hash128{}.bytes({reinterpret_cast<const char*>(bytes.data()), bytes.size()}).hex();
}

const function_usage* cubin::function(std::string_view name) const {
  const auto at = std::find_if(functions.begin(), functions.end(),
                               [&](const auto& f) { return f.name == name; });
  return at == functions.end() ? nullptr : &*at;
}

std::vector<std::string> standard_options(std::string_view arch) {
  return {"--std=c++20",
          "-default-device",
          "--gpu-architecture=" + std::string{arch},
          "--fmad=false",
          "--ftz=false",
          "--prec-div=true",
          "--prec-sqrt=true",
          "--generate-line-info",
          "--ptxas-options=-v",
          "--jump-table-density=25"};
}

std::vector<std::string> hot_options(std::string_view source, std::uint32_t lanes) {
  constexpr std::uint32_t registers = 65536, most = 255, step = 8;  // of an SM, of a thread
  if (lanes == 0 || source.find("#define PERDURE_HOT 1\n") == std::string_view::npos) return {};
  return {"--maxrregcount=" + std::to_string(std::min(most, registers / lanes / step * step))};
}

std::vector<std::string> speed_options() { return {"--ptxas-options=--split-compile=4"}; }

result<cubin> compile(std::string_view source, std::string_view name, std::string_view arch,
                      const compile_options& options) {
  const stopwatch since;
  const auto warn = [&](const std::string& text) {
    if (options.on_warning) options.on_warning(text);
  };
  const auto compiler = nvrtc::open();
  if (!compiler) return compiler.error();
  if (const auto known = check_architecture(*compiler, arch, "sm_"); !known) return known.error();

  auto flags = standard_options(arch);
  flags.insert(flags.end(), options.extra.begin(), options.extra.end());
  const auto faster = speed_options();
  flags.insert(flags.end(), faster.begin(), faster.end());
  const auto key = key_of(source, name, flags, options.headers, *compiler);
  const disk_cache cache{disk_cache::folder_for(options.cache_dir)};
  const bool caching = options.use_cache && !cache.folder().empty();
  if (options.use_cache && !caching)
    warn("no folder for compiled programs: set options.cache_dir, PERDURE_CACHE or HOME");

  cubin made;
  made.arch = arch;
  made.nvrtc = compiler->version();
  if (caching) {
    auto found = cache.load(key);
    if (!found.damage.empty())
      warn("cache entry " + cache.file_of(key).string() + " " + found.damage +
           "; it is compiled again");
    if (found.entry) {
      made.bytes = std::move(found.entry->cubin);
      made.log = std::move(found.entry->log);
      made.functions = parse_ptxas_log(made.log);
      made.from_cache = true;
      made.compile_ms = since.ms();
      return made;
    }
  }

  auto out = compiler->compile(std::string{source}, std::string{name}, flags, options.headers);
  if (out && !out->compiled && refuses_option(out->log)) {
    flags.resize(flags.size() - faster.size());
    out = compiler->compile(std::string{source}, std::string{name}, flags, options.headers);
  }
  if (!out) return out.error();
  if (out->accepted && !out->compiled) out->log.append("\nerror: NVRTC made no machine code");
  if (!out->compiled) {
    std::string text =
        std::string{name} + " for " + std::string{arch} + ", NVRTC " + made.nvrtc + "\n";
    for (const auto& flag : flags) text.append(flag).append(" ");
    text.append("\n\n").append(out->log).append("\n");
    const auto stem = fs::path{name}.filename().string() + "." + std::string{arch} + "." +
                      key.hex().substr(0, 12);
    return error{errc::compile_failed,
                 first_error(out->log) + "; " + keep_log(cache.folder(), stem, text)};
  }
  made.bytes = std::move(out->cubin);
  made.log = without_times(out->log);
  made.functions = parse_ptxas_log(made.log);
  if (caching) {
    if (const auto stored = cache.store(key, {made.bytes, made.log}); !stored) {
      warn("the compiled program is not kept: " + stored.error().context());
    }
  }
  made.compile_ms = since.ms();
  return made;
}

result<std::string> try_compile(std::string_view source, std::string_view name,
                                std::string_view arch, const compile_options& options) {
  const auto compiler = nvrtc::open();
  if (!compiler) return compiler.error();
  if (const auto known = check_architecture(*compiler, arch, "compute_"); !known)
    return known.error();
  auto flags = standard_options(arch);
  flags.insert(flags.end(), options.extra.begin(), options.extra.end());
  flags.emplace_back("--Ofast-compile=max");  // not every NVRTC knows it
  const auto once = [&] {
    return compiler->compile(std::string{source}, std::string{name}, flags, options.headers);
  };
  auto out = once();
  if (!out && out.error().code() == errc::bad_option) {
    flags.pop_back();
    out = once();
  }
  if (!out) return out.error();
  if (!out->accepted) return error{errc::compile_failed, first_error(out->log)};
  return std::move(out->log);
}

}  // namespace perdure::runtime::jit
