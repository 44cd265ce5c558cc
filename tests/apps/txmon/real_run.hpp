// tests/apps/txmon/real_run.hpp - a whole run over a file: actors and oracle fed with the same rows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "accounts.hpp"
#include "monitor.hpp"
#include "oracle.hpp"
#include "paysim_reader.hpp"

namespace txmon::test {

struct real_run {
  outcome got, expected;
  run_figures figures;
  std::vector<bool> fraud;

  real_run(const std::string& path, const monitor::settings& settings) {
    accounts names;
    paysim_reader reader{path, names};
    monitor actors{settings};
    oracle judge{settings.limits};
    for (transaction t{}; reader.next(t);) {
      actors.take(t);
      judge.take(t);
      fraud.push_back(t.fraud);
    }
    got = actors.finish(names.size());
    expected = judge.finish();
    figures = actors.figures();
  }
};

}  // namespace txmon::test
