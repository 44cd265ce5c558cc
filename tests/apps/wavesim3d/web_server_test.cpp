// tests/apps/wavesim3d/web_server_test.cpp - whom the live view's server answers, and that it goes on after refusing guests.
// SPDX-License-Identifier: Apache-2.0
#include "web_server.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <istream>
#include <string>
#include <thread>
#include <vector>

namespace wavesim3d {
namespace {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;

/// Whether a guest has come to the server.
bool connected(tcp::socket& guest, unsigned short port) {
  boost::system::error_code code;
  guest.open(tcp::v4(), code);
  if (!code) guest.connect({asio::ip::address_v4::loopback(), port}, code);
  return !code;
}

/// The first line of the answer to a GET of /.
std::string asked(asio::io_context& io, unsigned short port, const std::string& host) {
  tcp::socket guest{io};
  if (!connected(guest, port)) return "no connection";
  boost::system::error_code code;
  asio::write(guest,
              asio::buffer("GET / HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n"),
              code);
  asio::streambuf answer;
  asio::read_until(guest, answer, "\r\n", code);
  std::istream in{&answer};
  std::string line;
  std::getline(in, line, '\r');
  return line;
}

web_server::reply hello(const web_server::request&) { return {200, "text/plain", "hello\n"}; }

TEST(WebServer, HostsThatNameItAreAnswered) {
  EXPECT_TRUE(is_here("127.0.0.1:8080", 8080));
  EXPECT_TRUE(is_here("localhost:80", 80));
  EXPECT_TRUE(is_here("127.0.0.1", 80)) << "browsers leave out the usual port";
  EXPECT_FALSE(is_here("127.0.0.1", 8080));
  EXPECT_FALSE(is_here("localhost:8081", 8080));
  EXPECT_FALSE(is_here("example.org", 80));
  asio::io_context io;
  web_server server{0, hello};
  const auto here = "127.0.0.1:" + std::to_string(server.port());
  EXPECT_EQ(asked(io, server.port(), here), "HTTP/1.1 200 OK");
  EXPECT_EQ(asked(io, server.port(), "example.org"), "HTTP/1.1 403 Forbidden");
}

TEST(WebServer, AGuestThatCannotBeLetInIsNotTheLast) {
  asio::io_context io;
  web_server server{0, hello};
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const int next = dup(0);
  close(next);
  rlimit few = before;
  // each guest takes two, until the server has none for its own
  few.rlim_cur = static_cast<rlim_t>(next) + 21;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  std::vector<tcp::socket> guests;
  for (tcp::socket guest{io}; connected(guest, server.port()); guest = tcp::socket{io})
    guests.push_back(std::move(guest));
  EXPECT_GE(guests.size(), 5U);
  std::this_thread::sleep_for(std::chrono::milliseconds{300});  // the server finds no room
  guests.clear();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(asked(io, server.port(), "localhost:" + std::to_string(server.port())),
            "HTTP/1.1 200 OK");
}

}  // namespace
}  // namespace wavesim3d
