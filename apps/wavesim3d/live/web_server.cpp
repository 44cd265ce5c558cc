// apps/wavesim3d/live/web_server.cpp - see web_server.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "web_server.hpp"

#include <fmt/format.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <thread>

#include "common/failure.hpp"

namespace wavesim3d {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using tcp = asio::ip::tcp;

constexpr std::size_t longest_order = 1U << 16U;
constexpr std::chrono::seconds patience{30};
constexpr std::chrono::milliseconds breath{100};  // after a guest that could not be let in

}  // namespace

bool is_here(const std::string& host, unsigned short port) {
  for (const char* name : {"127.0.0.1", "localhost"}) {
    if (host == fmt::format("{}:{}", name, port) || (port == 80 && host == name)) return true;
  }
  return false;
}

struct web_server::parts {
  asio::io_context io{1};
  tcp::acceptor acceptor{io};
  answer on_request;
  std::thread thread;

  reply answered(const http::request<http::string_body>& in) const {
    if (!is_here(std::string{in[http::field::host]}, acceptor.local_endpoint().port()))
      return {403, "text/plain", "this server answers to 127.0.0.1 only\n"};
    const bool json = in[http::field::content_type].starts_with("application/json");
    if (in.method() == http::verb::post && !json)
      return {415, "text/plain", "an order is application/json\n"};
    std::string path{in.target()};
    path.resize(std::min(path.size(), path.find('?')));
    return on_request({std::string{in.method_string()}, path, in.body()});
  }

  asio::awaitable<void> serve(tcp::socket socket) {
    beast::tcp_stream stream{std::move(socket)};
    beast::flat_buffer buffer;
    try {
      for (bool more = true; more;) {
        stream.expires_after(patience);
        http::request_parser<http::string_body> parser;
        parser.body_limit(longest_order);
        co_await http::async_read(stream, buffer, parser, asio::use_awaitable);
        reply made = answered(parser.get());
        http::response<http::string_body> out{static_cast<http::status>(made.status),
                                              parser.get().version()};
        out.set(http::field::content_type, made.type);
        out.set(http::field::cache_control, "no-store");
        out.keep_alive(more = parser.get().keep_alive());
        out.body() = std::move(made.body);
        out.prepare_payload();
        co_await http::async_write(stream, out, asio::use_awaitable);
      }
    } catch (const boost::system::system_error&) {
      // the browser has gone, or said nothing for long
      stream.close();
    }
  }
  asio::awaitable<void> accept() {
    for (;;) {
      boost::system::error_code code;
      tcp::socket socket =
          co_await acceptor.async_accept(asio::redirect_error(asio::use_awaitable, code));
      if (!code) {
        asio::co_spawn(io, serve(std::move(socket)), asio::detached);
        continue;
      }
      // the guest has gone already, or there are no more file descriptors: others may come later
      asio::steady_timer pause{io, breath};
      co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, code));
    }
  }
};

web_server::web_server(unsigned short port, answer on_request) : parts_{std::make_unique<parts>()} {
  parts& p = *parts_;
  p.on_request = std::move(on_request);
  const tcp::endpoint at{asio::ip::address_v4::loopback(), port};
  boost::system::error_code code;
  p.acceptor.open(at.protocol());
  p.acceptor.set_option(tcp::acceptor::reuse_address{true});
  if (p.acceptor.bind(at, code) || p.acceptor.listen(tcp::acceptor::max_listen_connections, code)) {
    throw apps::failure{fmt::format(
        "port {} of 127.0.0.1: {}; choose another with --serve, 0 for any", port, code.message())};
  }
  asio::co_spawn(p.io, p.accept(), asio::detached);
  p.thread = std::thread{[&p] { p.io.run(); }};
}

web_server::~web_server() {
  parts_->io.stop();
  parts_->thread.join();
}

unsigned short web_server::port() const { return parts_->acceptor.local_endpoint().port(); }

}  // namespace wavesim3d
