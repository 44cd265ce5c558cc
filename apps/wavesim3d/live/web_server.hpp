// apps/wavesim3d/live/web_server.hpp - a small HTTP server for one machine: loopback only, one thread of its own.
// Why: Boost.Beast does the protocol; what is here is only where it listens, whom it answers, and how it ends.
// Threads: the answer is called on the server's thread, one request at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace wavesim3d {

/// Whether a request's Host names this server: 127.0.0.1 or localhost with the port, which browsers leave out if it is 80.
bool is_here(const std::string& host, unsigned short port);

class web_server {
 public:
  struct request {
    std::string method, path, body;  ///< path: without what stands behind a '?'
  };
  struct reply {
    int status = 200;
    std::string type, body;
  };
  using answer = std::function<reply(const request&)>;

  /// Listens on 127.0.0.1. Requests whose Host is another name, and orders that are not JSON, are refused: a page from
  /// elsewhere cannot reach it through the browser. @param port  0: any free one.
  /// @throws apps::failure when the port is in use.
  web_server(unsigned short port, answer on_request);
  web_server(const web_server&) = delete;
  web_server& operator=(const web_server&) = delete;
  ~web_server();
  unsigned short port() const;

 private:
  struct parts;
  std::unique_ptr<parts> parts_;
};

}  // namespace wavesim3d
