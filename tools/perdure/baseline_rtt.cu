// tools/perdure/baseline_rtt.cu - the kernels of the round-trip baselines; compiled by NVRTC at run time.
// SPDX-License-Identifier: Apache-2.0

/// Writes the number after the one found; the host checks it after synchronising.
extern "C" __global__ void count_up(volatile unsigned* word) { *word = *word + 1; }

/// Answers requests in `request` with the same number in `reply` until the request is all ones.
extern "C" __global__ void answer_words(volatile unsigned* request, volatile unsigned* reply) {
  unsigned last = 0;
  for (;;) {
    const unsigned now = *request;
    if (now == last) continue;
    *reply = now;
    last = now;
    if (now == 0xffffffffU) return;
  }
}
