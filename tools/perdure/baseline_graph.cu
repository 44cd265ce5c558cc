// tools/perdure/baseline_graph.cu - the node of the graphs that `perdure bench graph` measures;
// compiled by NVRTC.
// SPDX-License-Identifier: Apache-2.0

/// Mixes the chain's word with the node's number, as bench::mix does; a chain's last node shows it
/// to the host.
extern "C" __global__ void mix_word(unsigned* word, unsigned number, volatile unsigned* shown) {
  unsigned x = *word + number;
  x ^= x >> 16;
  x *= 0x7feb352dU;
  x ^= x >> 15;
  x *= 0x846ca68bU;
  x ^= x >> 16;
  *word = x;
  if (shown != nullptr) *shown = x;
}
