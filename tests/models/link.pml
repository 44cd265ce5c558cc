/* tests/models/link.pml - three tiles that fire when all their messages are there and all their ports have room: in a
 * ring with both neighbours, or, with -DONE_WAY, in a line whose first one is the fastest.
 * Why: docs/adr/008 has no reservation, no fence and one count; this looks at every interleaving of words and counts.
 * Shown: a word is written only when the message that had its place was taken; firing n has the n-th message of each
 *        in-port, whole; nobody waits for ever; every tile takes all its steps.
 * Breaks (-D): BREAK_ROOM fires without room at the out-ports (tiles that wait for each other never need to look); BREAK_WHOLE looks at a message's first word only;
 *        BREAK_SELF leaves the link out that a tile has to itself, so that it fires before it is started.
 * SPDX-License-Identifier: Apache-2.0 */
#define TILES 3
#define STEPS 4
#define SLOTS 2
#define PARTS 2                     /* words of a message, each visible by itself */
#define LINKS (2 * TILES)           /* 2t: from t to the right, 2t+1: from t to the left */
#define AT(link, n, part) ((link) * SLOTS * PARTS + ((n) % SLOTS) * PARTS + (part))

byte number[LINKS * SLOTS * PARTS]; /* of the message that the word belongs to, from 1 */
byte unread[LINKS * SLOTS * PARTS]; /* ghost */
byte taken[LINKS];
byte own[TILES];                    /* messages in the tile's link to itself */
byte fired[TILES];
bool started[TILES];

#ifdef ONE_WAY
#define FROM_LEFT(t) ((t) > 0)
#define FROM_RIGHT(t) false
#define TO_RIGHT(t) ((t) < TILES - 1)
#define TO_LEFT(t) false
#else
#define FROM_LEFT(t) true
#define FROM_RIGHT(t) true
#define TO_RIGHT(t) true
#define TO_LEFT(t) true
#endif
#define RIGHT(t) (((t) + 1) % TILES)
#define LEFT(t) (((t) + TILES - 1) % TILES)
#define IN_A(t) (2 * LEFT(t))       /* what the left one sends to the right */
#define IN_B(t) (2 * RIGHT(t) + 1)
#define HAS(link, n, part) (number[AT(link, (n) - 1, part)] == (n))
#ifdef BREAK_WHOLE
#define WHOLE(link, n) HAS(link, n, 0)
#else
#define WHOLE(link, n) (HAS(link, n, 0) && HAS(link, n, 1))
#endif
#ifdef BREAK_ROOM
#define ROOM(link, sent) true
#else
#define ROOM(link, sent) ((sent) - taken[link] < SLOTS)
#endif
#ifdef BREAK_SELF
#define TOLD(t) true
#else
#define TOLD(t) (own[t] > 0)
#endif

inline put(link, n, part) {
  d_step {
    assert(unread[AT(link, (n) - 1, part)] == 0);
    number[AT(link, (n) - 1, part)] = n;
    unread[AT(link, (n) - 1, part)] = 1
  }
}
inline take(link, n) {
  d_step {
    assert(HAS(link, n, 0) && HAS(link, n, 1));
    unread[AT(link, (n) - 1, 0)] = 0;
    unread[AT(link, (n) - 1, 1)] = 0
  };
  taken[link] = n
}

proctype tile(byte t) {
  byte sent = 0, left = 0, i;
  bool done[4];
again:
  do
  :: !started[t] -> d_step { started[t] = true; left = STEPS; assert(fired[t] == 0) };
     goto send
  :: TOLD(t) && fired[t] < STEPS && (!FROM_LEFT(t) || WHOLE(IN_A(t), fired[t] + 1)) &&
     (!FROM_RIGHT(t) || WHOLE(IN_B(t), fired[t] + 1)) && (!TO_RIGHT(t) || ROOM(2 * t, sent)) &&
     (!TO_LEFT(t) || ROOM(2 * t + 1, sent)) ->
     if
     :: FROM_LEFT(t) -> take(IN_A(t), fired[t] + 1)
     :: else
     fi;
     if
     :: FROM_RIGHT(t) -> take(IN_B(t), fired[t] + 1)
     :: else
     fi;
     d_step { assert(started[t]); fired[t]++; left--; own[t] = (own[t] > 0 -> own[t] - 1 : 0) };
     if
     :: left > 0 -> goto send
     :: else
     fi
  :: started[t] && fired[t] == STEPS -> break
  od;
  goto over;
send:
  skip;  /* a jump must not end inside a d_step */
  d_step { sent++; i = 0; done[0] = !TO_RIGHT(t); done[1] = done[0]; done[2] = !TO_LEFT(t); done[3] = done[2] }
  do                                /* words become visible in any order */
  :: !done[0] -> put(2 * t, sent, 0); done[0] = true
  :: !done[1] -> put(2 * t, sent, 1); done[1] = true
  :: !done[2] -> put(2 * t + 1, sent, 0); done[2] = true
  :: !done[3] -> put(2 * t + 1, sent, 1); done[3] = true
  :: done[0] && done[1] && done[2] && done[3] -> break
  od;
  own[t]++;
  goto again;
over:
  skip
}

init {
  byte t;
  atomic {
    for (t : 0 .. TILES - 1) { run tile(t) }
  }
}
