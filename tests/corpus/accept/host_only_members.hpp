// tests/corpus/accept/host_only_members.hpp - host-only members beside the handlers are dropped from the device unit.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <perdure/actor.hpp>

struct visit {
  std::uint32_t page;
  std::string text() const { return "page " + std::to_string(page); }  // host only
};

struct site : perdure::actor<site> {
  std::uint64_t visits = 0;
  std::uint64_t pages = 0;

  void on(const visit& m, perdure::context&) {
    ++visits;
    pages += plain(m.page);
  }

  // What follows is for the host's reports and tests.
  std::string describe() const {
    std::ostringstream out;
    out << "visits=" << visits << " pages=" << pages;
    return out.str();
  }
  static site parse(const std::string& line) {
    if (line.empty()) throw std::invalid_argument{"empty line"};
    site s;
    s.visits = std::stoull(line);
    return s;
  }
  std::vector<std::uint64_t> numbers() const { return {visits, pages}; }

 private:
  static std::uint64_t plain(std::uint32_t page) { return page % 1000U; }
};
