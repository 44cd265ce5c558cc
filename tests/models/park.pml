/* tests/models/park.pml - a grid that goes to sleep while host threads send (design.md, "Park").
 * Why: device and host each write a word and read the other's; a store that is still on its way is
 *      what both may miss, and no test can make one linger. Here stores go through buffers, on
 *      either side, as on x86 and on the bus.
 * Shown: no message is left while nobody runs and nobody will; never two grids at once; a park is
 *        ended by one launch, however many threads and timers see it; every message is taken.
 * Relied on: launches go into one stream, so that a grid which finds a message after all, and
 *        stays, keeps the next one waiting.
 * Breaks (-D): BREAK_HOST_FENCE, BREAK_DEVICE_FENCE: one side does not wait until its store can be
 *        seen; BREAK_LOOK: the device does not look again; BREAK_ONE_LANE: it looks again at one
 *        lane only; BREAK_CLAIM: whoever sees a parked grid launches; BREAK_STREAM: there is more
 *        than one stream.
 * SPDX-License-Identifier: Apache-2.0 */
#define HOSTS 2
#define EACH 2          /* messages a host thread sends */
#ifdef BREAK_ONE_LANE
#define LOOKED_AT 1
#else
#define LOOKED_AT HOSTS
#endif
#define WAKES 1         /* times that a timer comes due */

byte written[HOSTS];    /* messages in a lane, as the device sees them */
byte taken[HOSTS];
byte parked = 0;        /* number of the grid that sleeps, as hosts see it; 0: it woke by itself */
byte launched = 1;      /* number of the last grid launched: the hosts', compare-and-swap */
byte pending = 1;       /* launches that have not begun */
byte running = 0;       /* ghost */
byte grids = 0;         /* begun */

/* Stores on their way, in order. */
chan host_buffer[HOSTS] = [1] of { byte };
chan device_buffer = [2] of { byte };

proctype host_bus(byte h) {
  byte value;
end:
  do
  :: d_step { host_buffer[h]?value -> written[h] = value }
  od
}
active proctype device_bus() {
  byte value;
end:
  do
  :: d_step { device_buffer?value -> parked = value }
  od
}

inline claim_and_launch() {
  seen = parked;
  if
  :: seen != 0 ->
#ifdef BREAK_CLAIM
     d_step { launched++; pending++; assert(pending == 1) }
#else
     atomic {
       if
       :: launched == seen -> launched++; won = true
       :: else -> won = false
       fi
     };
     if
     :: won -> d_step { pending++; assert(pending == 1) }
     :: else
     fi
#endif
  :: else
  fi
}

proctype host(byte h) {
  byte n, seen;
  bool won;
  for (n : 1 .. EACH) {
    host_buffer[h]!n;
#ifndef BREAK_HOST_FENCE
    empty(host_buffer[h]);
#endif
    claim_and_launch()
  }
}
/* What comes due wakes a grid, too; here at any time. */
active proctype timer() {
  byte n, seen;
  bool won;
  for (n : 1 .. WAKES) {
    claim_and_launch()
  }
}

#ifdef BREAK_STREAM
#define STREAMS 2
#else
#define STREAMS 1
#endif
/* A stream runs one grid after the other. */
active [STREAMS] proctype stream() {
  byte me, h;
end:
  atomic { pending > 0 -> pending--; grids++; me = grids; running++; assert(running == 1) };
work:
  do
  :: taken[0] < written[0] -> taken[0]++
  :: taken[1] < written[1] -> taken[1]++
  :: taken[0] == written[0] && taken[1] == written[1] -> break  /* idle for long enough */
  od;
  device_buffer!me;
#ifndef BREAK_DEVICE_FENCE
  empty(device_buffer);
#endif
#ifndef BREAK_LOOK
  h = 0;                          /* one lane after the other: between two looks much may happen */
  do
  :: h < LOOKED_AT && taken[h] < written[h] -> device_buffer!0; goto work
  :: h < LOOKED_AT && taken[h] == written[h] -> h++
  :: h == LOOKED_AT -> break
  od;
#endif
  running--;
  goto end
}

active proctype nobody_left() {
  timeout;
  assert(taken[0] == EACH && taken[1] == EACH)
}

init {
  byte h;
  atomic {
    for (h : 0 .. HOSTS - 1) { run host_bus(h); run host(h) }
  }
}

ltl all_taken { <> (taken[0] == EACH && taken[1] == EACH) }
