// codegen/frontend/dimensions.hpp - arrays of arrays, brought to the one count and stride of a field.
// Why: perdure::field_info holds one dimension; contiguous ones merge, and of the rest the longest stays.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "codegen/model/program.hpp"

namespace perdure::codegen::frontend {

class dimensions {
 public:
  /// One more dimension inside the others: `count` elements, `stride` bytes apart.
  dimensions with(std::uint64_t count, std::uint64_t stride) const {
    auto more = *this;
    more.all_.emplace_back(count, stride);
    return more;
  }

  /// Adds `scalar` to `out`, once for each index of the dimensions that one count and stride cannot hold.
  /// @param path  holds one "[]" a dimension, outermost first.
  void spread(std::string path, std::uint64_t offset, field scalar, std::vector<field>& out) const {
    auto dims = all_;
    for (std::size_t i = dims.size(); i-- > 1;) {  // inner ones that fill the outer one's stride
      auto& [outer_count, outer_stride] = dims[i - 1];
      const auto [count, stride] = dims[i];
      if (outer_stride != count * stride) continue;
      outer_count *= count;
      outer_stride = stride;
      dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(i));
      path = erase_brackets(path, i);
    }
    std::size_t longest = 0;
    for (std::size_t i = 1; i < dims.size(); ++i) {
      if (dims[i].first > dims[longest].first) longest = i;
    }
    scalar.count = dims.empty() ? 1 : dims[longest].first;
    scalar.stride = dims.empty() ? scalar.size : dims[longest].second;
    unroll(path, offset, scalar, dims, 0, longest, 0, out);
  }

 private:
  using list = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

  static std::string erase_brackets(std::string path, std::size_t which) {
    std::size_t at = 0;
    for (std::size_t i = 0; i <= which; ++i, at += 2) at = path.find("[]", at);
    return path.erase(at - 2, 2);
  }
  static void unroll(const std::string& path, std::uint64_t offset, const field& scalar,
                     const list& dims, std::size_t i, std::size_t longest, std::size_t from,
                     std::vector<field>& out) {
    if (i == dims.size()) {
      out.push_back(scalar);
      out.back().name = path;
      out.back().offset = offset;
      return;
    }
    const auto at = path.find("[]", from);
    if (i == longest) return unroll(path, offset, scalar, dims, i + 1, longest, at + 2, out);
    for (std::uint64_t k = 0; k < dims[i].first; ++k) {
      const auto index = "[" + std::to_string(k) + "]";
      unroll(path.substr(0, at) + index + path.substr(at + 2), offset + k * dims[i].second, scalar,
             dims, i + 1, longest, at + index.size(), out);
    }
  }

  list all_;
};

}  // namespace perdure::codegen::frontend
