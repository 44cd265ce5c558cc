// tests/apps/wavesim3d/web_server_test.cpp - whom the live view's server answers, and that it goes on after refusing guests.
// SPDX-License-Identifier: Apache-2.0
#include "web_server.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace wavesim3d {
namespace {

int connect_to(unsigned short port) {
  const int guest = socket(AF_INET, SOCK_STREAM, 0);
  if (guest < 0) return -1;
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(port);
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(guest, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0) return guest;
  close(guest);
  return -1;
}

/// What a guest gets for a GET of /, at most so many seconds later.
std::string asked(unsigned short port, const std::string& host, int seconds) {
  const int guest = connect_to(port);
  if (guest < 0) return "no connection";
  const timeval patience{seconds, 0};
  setsockopt(guest, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  const std::string request = "GET / HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
  (void)!write(guest, request.data(), request.size());
  std::string out(4096, '\0');
  const auto n = read(guest, out.data(), out.size());
  close(guest);
  out.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return out.substr(0, out.find('\r'));
}

web_server::reply hello(const web_server::request&) { return {200, "text/plain", "hello\n"}; }

TEST(WebServer, HostsThatNameItAreAnswered) {
  EXPECT_TRUE(is_here("127.0.0.1:8080", 8080));
  EXPECT_TRUE(is_here("localhost:80", 80));
  EXPECT_TRUE(is_here("127.0.0.1", 80)) << "browsers leave out the usual port";
  EXPECT_FALSE(is_here("127.0.0.1", 8080));
  EXPECT_FALSE(is_here("localhost:8081", 8080));
  EXPECT_FALSE(is_here("example.org", 80));
  web_server server{0, hello};
  const auto here = "127.0.0.1:" + std::to_string(server.port());
  EXPECT_EQ(asked(server.port(), here, 10), "HTTP/1.1 200 OK");
  EXPECT_EQ(asked(server.port(), "example.org", 10), "HTTP/1.1 403 Forbidden");
}

TEST(WebServer, AGuestThatCannotBeLetInIsNotTheLast) {
  web_server server{0, hello};
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const int next = dup(0);
  close(next);
  rlimit few = before;
  few.rlim_cur =
      static_cast<rlim_t>(next) + 9;  // each guest takes two, until the server has none for its own
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  std::vector<int> guests;
  for (int guest = connect_to(server.port()); guest >= 0; guest = connect_to(server.port()))
    guests.push_back(guest);
  EXPECT_GE(guests.size(), 5U);
  usleep(300'000);  // the server finds no room meanwhile
  for (const int guest : guests) close(guest);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(asked(server.port(), "localhost:" + std::to_string(server.port()), 10),
            "HTTP/1.1 200 OK");
}

}  // namespace
}  // namespace wavesim3d
