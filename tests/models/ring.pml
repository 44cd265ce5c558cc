/* tests/models/ring.pml - the ring of tagged words: places by ticket, words in any order, heads told late.
 * Why: kernels/ring and kernels/dispatch are tested by running; this looks at every interleaving of a small ring.
 * Shown: no word that is still to be read is overwritten; a reader takes only whole messages, of one lap, with their own
 *        bytes, each sender's in order; nobody waits for ever (no state without a way on, all messages come).
 * Breaks (-D): BREAK_HEAD tells the head before the words are read; BREAK_ROOM writes without looking at the head;
 *        BREAK_TAG has words that do not say their lap; BREAK_TELL never tells the head.
 * SPDX-License-Identifier: Apache-2.0 */
#define CAP 4      /* words of the ring */
#define SENDERS 2
#define EACH 5     /* messages a sender; the words of one are its number % 2 + 1 */
#define TAGS 4     /* laps that a word can tell apart; the code has 128 */
#define WORDS(m) (((m) % 2) + 1)

typedef word { byte tag; byte from; byte number; byte part; byte words };
word ring[CAP];
byte tail = 0;          /* words reserved: fetch_add */
byte told = 0;          /* the head as the reader has published it (release; senders acquire) */
byte head = 0;          /* the reader's own */
byte unread[CAP];       /* ghost: 1 + lap of the word that stands there and was not read yet */
byte next[SENDERS];     /* ghost: the message that the reader is to get next from a sender */
byte got = 0;

#define LAP(pos) ((pos) / CAP)
#define TAG(pos) ((LAP(pos) + 1) % TAGS)

inline put(k) {
  d_step {
    assert(unread[(pos + k) % CAP] == 0);
    ring[(pos + k) % CAP].tag = TAG(pos + k);
    ring[(pos + k) % CAP].from = me;
    ring[(pos + k) % CAP].number = m;
    ring[(pos + k) % CAP].part = k;
    ring[(pos + k) % CAP].words = words;
    unread[(pos + k) % CAP] = 1 + LAP(pos + k);
    done[k] = true
  }
}

proctype sender(byte me) {
  byte m, pos, words;
  bool done[2];
  for (m : 0 .. EACH - 1) {
    words = WORDS(m);
    d_step { pos = tail; tail = tail + words }
#ifndef BREAK_ROOM
    (pos + words <= told + CAP);   /* else it stays in the outbox; acquire */
#endif
    d_step { done[0] = false; done[1] = (words == 1) }
    do                             /* stores to different places become visible in any order */
    :: !done[0] -> put(0)
    :: !done[1] -> put(1)
    :: done[0] && done[1] -> break
    od
  }
}

/* One word a look: each is a load of its own. */
#ifdef BREAK_TAG
#define READY(at) (ring[(at) % CAP].words != 0)  /* something is there, of whatever lap */
#else
#define READY(at) (ring[(at) % CAP].tag == TAG(at))
#endif

active proctype reader() {
  byte k, words;
  byte from, number;
end:
  do
  :: got == SENDERS * EACH -> break
  :: got < SENDERS * EACH ->
    READY(head);        /* it polls */
    d_step { words = ring[head % CAP].words; from = ring[head % CAP].from; number = ring[head % CAP].number }
    assert(ring[head % CAP].part == 0);
    if
    :: words == 2 -> READY(head + 1)
    :: else
    fi;
#ifdef BREAK_HEAD
    told = head + words;
#endif
    k = 0;
    do
    :: k < words ->
      d_step {
        assert(unread[(head + k) % CAP] == 1 + LAP(head + k));
        assert(ring[(head + k) % CAP].from == from);
        assert(ring[(head + k) % CAP].number == number);
        assert(ring[(head + k) % CAP].part == k);
        unread[(head + k) % CAP] = 0
      };
      k++
    :: else -> break
    od;
    skip;  /* a jump must not end inside a d_step */
    d_step { assert(number == next[from]); next[from]++; head = head + words; got++ }
#ifndef BREAK_TELL
    if  /* told late: here when half a ring has been passed, in the code an eighth */
    :: head - told >= CAP / 2 -> told = head
    :: else
    fi
#endif
  od
}

init {
  byte i;
  atomic {
    for (i : 0 .. SENDERS - 1) { run sender(i) }
  }
}
