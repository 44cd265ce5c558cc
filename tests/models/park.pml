/* tests/models/park.pml - workers that are sent away while host threads send (runtime/system/core_park.cpp).
 * Why: who sends and who parks each write a word and read the other's; a store that is still on its way is
 *      what both may miss, and no test can make one linger. Here stores go through buffers, as on x86.
 * Shown: no message is left while nobody runs and nobody will; never two grids at once; a park is
 *        ended by one launch, however many threads and timers see it; every message is taken.
 * Relied on: launches go into one stream, so that one which comes while a grid is still leaving waits.
 * Breaks (-D): BREAK_HOST_FENCE, BREAK_PARK_FENCE: a sender, or who parks, does without the lanes' locks,
 *        and so does not wait until its store can be seen; BREAK_LOOK: who parks does not count again;
 *        BREAK_ONE_LANE: it counts one lane only; BREAK_CLAIM: whoever sees parked workers launches;
 *        BREAK_STREAM: there is more than one stream.
 * SPDX-License-Identifier: Apache-2.0 */
#define HOSTS 2
#define EACH 2          /* messages a host thread sends */
#define PARKS 3         /* times that the workers are sent away */
#ifdef BREAK_ONE_LANE
#define LOOKED_AT 1
#else
#define LOOKED_AT HOSTS
#endif

byte written[HOSTS];    /* messages in a lane, as others see them */
byte taken[HOSTS];
bool lane_lock[HOSTS];
bool control;           /* the lock of whoever gives commands */
bool parked;            /* as others see it */
bool park_command;      /* else: run */
bool acknowledged;
byte pending = 1;       /* launches that have not begun */
byte running = 0;       /* ghost */

/* Stores on their way, in order; a lock that is given back waits for its thread's. */
chan host_buffer[HOSTS] = [1] of { byte };
chan park_buffer = [1] of { bool };

proctype host_stores(byte h) {
  byte value;
end:
  do
  :: d_step { host_buffer[h]?value -> written[h] = value }
  od
}
active proctype park_stores() {
  bool value;
end:
  do
  :: d_step { park_buffer?value -> parked = value }
  od
}

inline have_them_back() {         /* under the lock `control` */
  d_step { pending++; assert(pending == 1) };
  d_step { park_command = false; acknowledged = false };  /* one word; until then they have done what it says */
  parked = false
}
inline wake() {
#ifdef BREAK_CLAIM
  if
  :: parked -> have_them_back()
  :: else
  fi
#else
  do
  :: !parked -> break             /* another has done it */
  :: atomic { parked && !control -> control = true };
     if
     :: parked -> have_them_back()
     :: else
     fi;
     control = false;
     break
  od
#endif
}

proctype host(byte h) {
  byte n;
  bool away;
  for (n : 1 .. EACH) {
#ifndef BREAK_HOST_FENCE
    atomic { !lane_lock[h] -> lane_lock[h] = true };
#endif
    host_buffer[h]!n;
    away = parked;
#ifndef BREAK_HOST_FENCE
    atomic { empty(host_buffer[h]) -> lane_lock[h] = false };
#endif
    if
    :: away -> wake()
    :: else
    fi
  }
}
/* What comes due has them back, too; here at any time. */
active proctype timer() {
  wake()
}

active proctype service() {
  byte h, times;
  bool came;
  for (times : 1 .. PARKS) {
end_away:
    atomic { !control && !parked -> control = true };
    park_command = true;          /* at any time: whether all rest is a guess */
    acknowledged;
    park_buffer!true;
#ifndef BREAK_PARK_FENCE
    empty(park_buffer);
    for (h : 0 .. HOSTS - 1) { !lane_lock[h] }   /* taken and given back */
#endif
    came = false;
#ifndef BREAK_LOOK
    for (h : 0 .. LOOKED_AT - 1) { came = came || taken[h] < written[h] }
#endif
    empty(park_buffer);           /* its own store it sees, wherever that is */
    if
    :: came -> have_them_back()
    :: else
    fi;
    control = false
  }
}

#ifdef BREAK_STREAM
#define STREAMS 2
#else
#define STREAMS 1
#endif
/* A stream runs one grid after the other. */
active [STREAMS] proctype stream() {
end:
  atomic { pending > 0 -> pending--; running++; assert(running == 1) };
end_rests:
  do
  :: taken[0] < written[0] -> taken[0]++
  :: taken[1] < written[1] -> taken[1]++
  :: park_command && !acknowledged -> acknowledged = true; break
  od;
  running--;                      /* it has left some time after it has said so */
  goto end
}

active proctype nobody_left() {
  timeout;
  assert(taken[0] == EACH && taken[1] == EACH)
}

init {
  byte h;
  atomic {
    for (h : 0 .. HOSTS - 1) { run host_stores(h); run host(h) }
  }
}

ltl all_taken { <> (taken[0] == EACH && taken[1] == EACH) }
