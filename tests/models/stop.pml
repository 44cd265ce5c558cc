/* tests/models/stop.pml - a block whose first warp works while the others wait at a barrier, and a host that tells it to
 * halt at any time (kernels/entry.cuh).
 * Why: who leaves without the others leaves them at a barrier for ever; no test can wait for that at every point.
 * Shown: both parts of the block leave, whenever the command comes; a barrier is passed by both or by none, and both agree
 *        on which one it is.
 * Breaks (-D): BREAK_ALONE lets the others look at the command by themselves; BREAK_LAST leaves without calling them;
 *        BREAK_EARLY obeys the command before the others have read what the last call was for.
 * SPDX-License-Identifier: Apache-2.0 */
bool command = false;   /* the host's */
bool halted = false;    /* c.state: lane 0 writes it between barriers */
byte did;               /* what the turn did, told to all through the barrier */
byte came = 0;          /* at the barrier */
byte round = 0;         /* of barriers passed, modulo 4 */
byte place[2];          /* ghost: which barrier of the code a part waits at */
bool gone[2];
#define CALL 1          /* "until the first warp calls" */
#define START 2         /* of a turn of the whole block: what it did last is read */
#define TURN 3          /* inside it: what it does is known */
#define END 4

#define WORKED 0
#define IDLE 1
#define HALT 2
#define CROWDED 3

inline barrier(me, at) {
  atomic {
    place[me] = at;
    my = round;
    came++;
    if
    :: came == 2 -> came = 0; assert(place[0] == place[1]); round = (round + 1) % 4
    :: else
    fi
  }
  (round != my)
}

/* What a turn finds: the first warp decides for all. */
inline decide() {
  if
  :: command -> halted = true; did = HALT
  :: !command -> did = IDLE
  :: !command -> did = WORKED
  :: !command -> did = CROWDED
  fi
}

active proctype first_warp() {
  bool whole = false;
  byte my;
  byte mine;
  do
#ifdef BREAK_EARLY
  :: decide();
     if
     :: whole -> barrier(0, START)
     :: else
     fi;
#else
  :: if
     :: whole -> barrier(0, START)
     :: else
     fi;
     decide();
#endif
     mine = did;
     if
     :: whole -> barrier(0, TURN); barrier(0, END)
     :: else
     fi;
     if
     :: mine == HALT ->
#ifndef BREAK_LAST
        if
        :: !whole -> barrier(0, CALL)
        :: else
        fi;
#endif
        break
     :: mine == IDLE -> whole = false
     :: mine == CROWDED && !whole -> barrier(0, CALL); whole = true
     :: else
     fi
  od;
  gone[0] = true
}

active proctype others() {
  bool whole = false;
  byte my;
  byte mine;
  do
  :: !whole ->
     barrier(1, CALL);
     if
#ifdef BREAK_ALONE
     :: command -> break
     :: else -> whole = true
#else
     :: halted -> break
     :: else -> whole = true
#endif
     fi
  :: whole ->
     barrier(1, START);
     barrier(1, TURN);
     mine = did;
     barrier(1, END);
     if
     :: mine == HALT -> break
     :: mine == IDLE -> whole = false
     :: else
     fi
  od;
  gone[1] = true
}

active proctype host() { command = true }

ltl both_leave { [] (gone[0] -> <> gone[1]) && [] (gone[1] -> <> gone[0]) }
