// tests/kernels/mini_std/cases_main.cpp - runs one group of cases and prints its records.
// Why: built twice, with libstdc++ and with mini_std; one program cannot hold both, their names
//   are the same.
// SPDX-License-Identifier: Apache-2.0
#include "cases/all.cuh"

extern "C" int printf(const char*, ...);
extern "C" int atoi(const char*);

int main(int argc, char** argv) {
  static record records[1U << 16U];
  sink out{records, 1U << 16U};
  run_group(argc > 1 ? atoi(argv[1]) : 0, out);
  if (out.count > out.capacity) return 2;
  for (unsigned i = 0; i < out.count; ++i)
    printf("%u line %llu: %016llx\n", i, records[i].line, records[i].bits);
  return out.count == 0 ? 3 : 0;
}
