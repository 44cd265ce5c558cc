// apps/txmon/monitor.hpp - the accounts as actors: feeds postings, drains alerts, reads the final states.
// Why: the one place where transactions meet the actor system; readers and reports know nothing of it.
// Invariant: one thread sends, in the order of the input, so each account sees its postings in that
//            order (contract, clause 2); that thread never waits without emptying the mailbox.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "outcome.hpp"
#include "perdure/options.hpp"
#include "perdure/stats.hpp"
#include "rules.hpp"
#include "transaction.hpp"

namespace txmon {

/// How the actors did, for the report.
struct run_figures {
  perdure::stats messages;
  perdure::layout_report layout;
};

class monitor {
 public:
  struct settings {
    perdure::options system;
    rules limits;
    std::size_t mailbox_slots =
        65'536;  ///< alerts kept on the host before the accounts feel back-pressure
  };

  /// Starts the system. @throws failure with the library's reason
  explicit monitor(const settings& s);
  ~monitor();

  /// Sends the transaction to both of its accounts, the debtor first; they are spawned as ids appear.
  /// @throws failure if nothing moved for ten seconds
  void take(const transaction& t);

  /// Waits until all is handled, then collects the rest of the alerts and the state of every account.
  /// @param accounts  how many ids were given out.
  /// @throws failure if a message was lost or the counts do not add up
  outcome finish(std::uint32_t accounts);

  /// Of the system as it is now.
  run_figures figures() const;

 private:
  struct body;
  std::unique_ptr<body> body_;
};

}  // namespace txmon
