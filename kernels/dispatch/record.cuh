// kernels/dispatch/record.cuh - notes for a recording: what each actor took, and when.
// Why: a run on a GPU can be gone through again on a CPU, call by call (docs/adr/076).
// Invariant: a call's note is written before its handler runs, so one that never returns is in it. Where there is no more room
//            nothing is written, and the least stamp that is missing says how far the recording goes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/on_chip.cuh"

namespace perdure::loop {

/// Any lane. @memory  relaxed, system: the host reads it when the workers have left.
PERDURE_OUT_OF_LINE inline void put_record(const memory& mem, u32 worker, abi::record_entry entry) {
  const memory& m = here(mem);
  abi::record_end& end = m.record_ends[worker];
  const u64 place = fetch_add<scope::device>(&end.next, u64{1});
  if (place >= m.record_slots) {
    fetch_max<scope::device>(&end.missing, ~entry.stamp);
    return;
  }
  word* const at = m.records + 2 * (static_cast<u64>(worker) * m.record_slots + place);
  store<order::relaxed, scope::system>(at, entry.first());
  store<order::relaxed, scope::system>(at + 1, entry.second());
}
inline void put_note(const on_chip& c, const memory& m, abi::record_kind kind, u64 actor, u64 stamp,
                     u64 from = 0, u64 what = 0) {
  if constexpr (records_are_built) {
    if (records(m)) put_record(m, c.worker, abi::make_record(kind, actor, stamp, from, what));
  }
}
/// Of an event at this stamp a replay cannot know: the recording ends before it.
inline void end_record(const on_chip& c, const memory& m, u64 stamp) {
  if constexpr (records_are_built) {
    if (records(m)) fetch_max<scope::device>(&m.record_ends[c.worker].missing, ~stamp);
  }
}
/// A message is about to be handled. @param wire  its stamp, as it travels.
inline void note_message(const on_chip& c, const memory& m, u64 self, u64 asker, u64 stamp,
                         u64 wire) {
  put_note(c, m, abi::record_kind::message, self, stamp, asker, wire);
}
/// A wide actor's out-ports, before its message: bits.
inline void note_ports(const on_chip& c, const memory& m, u64 self, u64 stamp, u32 linked,
                       u32 open) {
  put_note(c, m, abi::record_kind::ports, self, stamp, 0, linked | u64{open & linked} << 16U);
}
/// @param out,in  ports that are linked: bits.
inline void note_firing(const on_chip& c, const memory& m, u64 self, u64 stamp, u32 out, u32 in) {
  put_note(c, m, abi::record_kind::firing, self, stamp, 0, out | u64{in} << 16U);
}
/// @param setter  sender field. @param set  stamp of its call of after(). @param stamp  with which it is sent.
inline void note_timer(const on_chip& c, const memory& m, u64 setter, u64 set, u64 stamp) {
  put_note(c, m, abi::record_kind::timer, setter, stamp, 0, abi::stamp_to_wire(set));
}

}  // namespace perdure::loop
