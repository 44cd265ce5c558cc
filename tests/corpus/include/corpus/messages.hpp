// tests/corpus/include/corpus/messages.hpp - messages in a file of their own, on top of another header.
// SPDX-License-Identifier: Apache-2.0
#ifndef CORPUS_MESSAGES_HPP
#define CORPUS_MESSAGES_HPP

#include "geometry.hpp"

#define CORPUS_CORNERS 3


struct polygon {
  geometry::point a, b, c;
  std::uint8_t colour;
};

#endif
