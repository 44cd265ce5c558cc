// runtime/replay/trace.cpp - see trace.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/replay/trace.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

namespace perdure::runtime {
namespace {

std::string json_text(std::string_view text) { return nlohmann::json(text).dump(); }

/// Microseconds in the viewer.
constexpr double one_event = 0.001;

}  // namespace

result<std::unique_ptr<trace>> trace::open(const std::filesystem::path& file, std::uint64_t begin) {
  std::unique_ptr<trace> t{new trace};
  if (auto ok = t->file_.open(file, ".part"); !ok) return ok.error();
  t->begin_ = begin;
  t->file_.out() << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  t->put(R"({"ph":"M","pid":1,"tid":0,"name":"process_name","args":{"name":"actors"}})");
  t->put(R"({"ph":"M","pid":1,"tid":0,"name":"thread_name","args":{"name":"hosts"}})");
  return t;
}
void trace::put(const std::string& event) {
  file_.out() << (std::exchange(any_, true) ? ",\n" : "\n") << event;
}
double trace::microseconds(std::uint64_t stamp) const {
  return static_cast<double>(static_cast<std::int64_t>(stamp - begin_)) * one_event;
}
std::uint32_t trace::row_of(std::uint64_t actor) {
  if (actor == 0) return 0;
  return rows_.try_emplace(actor, static_cast<std::uint32_t>(rows_.size() + 1)).first->second;
}

void trace::call(std::uint64_t actor, const std::string& actor_name, std::string_view handler,
                 std::uint64_t first, std::uint64_t last) {
  const bool fresh = !rows_.contains(actor);
  const std::uint32_t row = row_of(actor);
  if (fresh) {
    put(fmt::format(R"({{"ph":"M","pid":1,"tid":{},"name":"thread_name","args":{{"name":{}}}}})",
                    row, json_text(actor_name)));
  }
  put(fmt::format(
      R"({{"ph":"X","pid":1,"tid":{},"name":{},"ts":{:.3f},"dur":{:.3f},"args":{{"us":{:.3f}}}}})",
      row, json_text(handler), microseconds(first),
      static_cast<double>(last - first + 1) * one_event,
      static_cast<double>(first - begin_) / 65536));
}

void trace::arrow(std::uint64_t from, std::uint64_t sent, std::uint64_t to, std::uint64_t taken) {
  const std::uint64_t number = arrows_++;
  if (from == 0) {  // whose calls are not known: a slice of its own
    put(fmt::format(R"({{"ph":"X","pid":1,"tid":0,"name":"send","ts":{:.3f},"dur":{:.3f}}})",
                    microseconds(sent), one_event));
  }
  put(fmt::format(R"({{"ph":"s","id":{},"pid":1,"tid":{},"name":"message","cat":"m","ts":{:.3f}}})",
                  number, row_of(from), microseconds(sent)));
  put(fmt::format(
      R"({{"ph":"f","bp":"e","id":{},"pid":1,"tid":{},"name":"message","cat":"m","ts":{:.3f}}})",
      number, row_of(to), microseconds(taken)));
}

result<void> trace::finish() {
  file_.out() << "\n]}\n";
  return file_.finish();
}

}  // namespace perdure::runtime
