#!/usr/bin/env python3
# tests/generated/generate.py - writes a header of random actor programs, each in a namespace of its own.
# Why: people write the tests they think of; a generator also writes the others. One header holds several
#      programs because one NVRTC run and one host compile then serve them all.
# Invariant: a seed gives the same text for ever; the number of messages is bounded by hops and fan-out.
# SPDX-License-Identifier: Apache-2.0
"""kind free:    the final state does not depend on the order in which an actor's messages come: updates commute,
                 and what is sent depends on the message in hand only. CPU and GPU must agree on every state.
   kind ordered: state, sends and stops depend on the order; every actor keeps the ids of what it handled, so
                 that a run can be replayed message by message.
"""
import argparse
import pathlib
import random
import sys

from statements import free_update, ordered_update

HEADER = """\
// {name}.hpp - made by tests/generated/generate.py --seed {seed} --kind {kind} --programs {programs}; do not edit.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <perdure/actor.hpp>
"""

SIZES = {  # three message sizes: 16, 40 and 200 bytes
    "small": [("std::uint32_t", "a")],
    "medium": [("double", "x"), ("std::uint64_t", "a"), ("std::array<std::uint16_t, 5>", "v"), ("std::uint8_t", "b")],
    "large": [("std::array<double, 12>", "x"), ("std::array<std::uint32_t, 22>", "v")],
}


class Actor:
    def __init__(self, name, rng, kinds):
        self.name = name
        self.handles = sorted(rng.sample(kinds, rng.randint(2, 3)), key=kinds.index)
        self.links = []  # (member, target actor, count)
        self.random = rng.random() < 0.4
        self.stop_after = rng.choice([0, 0, 60, 150])  # ordered only
        self.fails = rng.random() < 0.3


class Program:
    """One namespace: actor types in a cycle with chords, their messages, handlers, links."""

    def __init__(self, name, rng, kind):
        self.name, self.rng, self.kind = name, rng, kind
        self.hops = rng.choice([3, 4, 5])
        self.actors = [Actor(f"t{i}", rng, list(SIZES)) for i in range(rng.randint(4, 5))]
        for i, a in enumerate(self.actors):
            targets = [self.actors[(i + 1) % len(self.actors)], rng.choice(self.actors)]  # the cycle, a chord
            if rng.random() < 0.4:
                targets.append(a)
            a.links = [(f"to_{k}", t, rng.randint(2, 3)) for k, t in enumerate(targets)]

    def text(self):
        out = [f"\nnamespace {self.name} {{\n", f"inline constexpr std::uint8_t most_hops = {self.hops};",
               self.helpers(), *(f"struct {a.name};" for a in self.actors), ""]
        for size, fields in SIZES.items():
            body = "\n".join(f"  {t} {n}{{}};" for t, n in fields)
            out.append(f"struct {size} {{\n  std::uint64_t id = 0;\n{body}\n  std::uint8_t hops = 0;\n}};")
        out.append("struct poison {\n  std::uint64_t id = 0;\n};\n")
        for a in self.actors:
            refs = "\n".join(f"  std::array<perdure::ref<{t.name}>, {n}> {m}{{}};" for m, t, n in a.links)
            out.append(f"struct wire_{a.name} {{\n  std::uint64_t id = 0;\n{refs}\n}};")
        out += [self.actor(a) for a in self.actors]
        out += [self.handler(a, size) for a in self.actors for size in a.handles]
        return "\n".join(out) + f"\n\n}}  // namespace {self.name}\n"

    def helpers(self):
        k = self.rng.getrandbits(63) | 1
        s = self.rng.randint(23, 37)
        return (f"constexpr std::uint64_t child(std::uint64_t id, std::uint64_t k) {{\n"
                f"  std::uint64_t z = (id + k + 1U) * {k:#x}U;\n  z = (z ^ z >> {s}U) * 0x94d049bb133111ebU;\n"
                f"  return z ^ z >> 31U;\n}}\n"
                f"constexpr std::uint8_t fewer(std::uint8_t hops) {{\n"
                f"  return hops > most_hops ? most_hops : static_cast<std::uint8_t>(hops - 1U);\n}}")

    def actor(self, a):
        state = ["  std::uint64_t sum = 0, bits = 0;", "  std::uint32_t high = 0, low = 0xffffffffU;",
                 "  std::array<std::uint32_t, 6> bucket{};", "  std::int64_t exact = 0;", "  std::uint64_t noise = 0;",
                 "  float peak = -1.0F;"]
        if self.kind == "ordered":
            state += ["  double level = 0.25;", "  std::int32_t mode : 5 = 1;", "  std::uint64_t window[4] = {};",
                      "  std::uint32_t handled = 0;", "  std::array<std::uint64_t, 512> order{};"]
        state += [f"  std::array<perdure::ref<{t.name}>, {n}> {m}{{}};" for m, t, n in a.links]
        begin = self.begin(a)
        wires = "\n".join(f"    {m} = w.{m};" for m, _, _ in a.links)
        handlers = "\n".join(f"  void on(const {s}& m, perdure::context& ctx);" for s in a.handles)
        note = ""
        if self.kind == "ordered":
            note = ("\n  void note(std::uint64_t id, perdure::context& ctx) {\n    order[handled] = id;\n"
                    "    if (++handled == order.size()) ctx.stop();\n  }")
        return (f"\nstruct {a.name} : perdure::actor<{a.name}> {{\n" + "\n".join(state) + note +
                f"\n{handlers}\n  void on(const wire_{a.name}& w, [[maybe_unused]] perdure::context& ctx) {{\n"
                f"{begin.replace('m.', 'w.')}{wires}\n  }}\n"
                f"  void on([[maybe_unused]] const poison& m, perdure::context& ctx) {{\n{begin}    ctx.stop();\n  }}\n}};")

    def begin(self, a):
        """What every handler of a type does first: a draw per message keeps the sum independent of the order."""
        lines = ""
        if self.kind == "ordered":
            lines += "    note(m.id, ctx);\n"
        if a.random:
            lines += "    noise += ctx.random() >> 20U;\n"
        return lines

    def handler(self, a, size):
        update = free_update if self.kind == "free" else ordered_update
        body = update(self.rng, size)
        body += self.sends(a, size)
        if self.kind == "ordered":
            if a.stop_after:
                how = "ctx.fail(7)" if a.fails else "ctx.stop()"
                body.append(f"if (handled >= {a.stop_after}U && sum % 5U == 0) {how};")
        lines = "\n".join("  " + line for line in body)
        return (f"\ninline void {a.name}::on(const {size}& m, perdure::context& ctx) {{\n"
                f"{self.begin(a).replace('    ', '  ')}{lines}\n}}")

    def sends(self, a, size):
        """Two or three messages with one hop less; whom and what follows from the message (free) or the state."""
        rng = self.rng
        out = ["if (m.hops == 0) return;", "const std::uint8_t hops = fewer(m.hops);"]
        fan_out = 2 if self.hops == 5 else rng.randint(2, 3)
        for k in range(fan_out):
            member, target, count = rng.choice(a.links)
            message = rng.choice(target.handles)
            name = f"next{k}"
            out.append(f"{message} {name}{{}};")
            out.append(f"{name}.id = child(m.id, {k}U);")
            out.append(f"{name}.hops = hops;")
            out += self.fill(name, message, size)
            index = f"m.id >> {rng.randint(3, 40)}U" if self.kind == "free" else f"(sum ^ m.id) >> {rng.randint(1, 9)}U"
            to = f"{member}[({index}) % {count}U]"
            if rng.random() < 0.2:
                out.append(f"ctx.after(std::chrono::microseconds{{20U + m.id % {rng.randint(50, 400)}U}}, {to}, {name});")
            elif rng.random() < 0.15:
                out.append(f"if ((m.id & {rng.choice([3, 7])}U) != 0) ctx.send({to}, {name});")
            else:
                out.append(f"ctx.send({to}, {name});")
        return out

    def fill(self, name, message, size):
        rng = self.rng
        own = {"small": "m.a", "medium": "m.a", "large": "m.v[3]"}[size]
        real = {"small": "static_cast<double>(m.a % 1000U) * 0.125", "medium": "m.x", "large": "m.x[5]"}[size]
        if self.kind == "ordered":
            own = f"({own} + sum)"
            real = rng.choice([real, "level"])
        c = rng.choice(["0.75", "-0.5", "0.3"])
        bounded = f"std::fma({real}, {c}, {rng.randint(1, 40)}.0 / 3.0)"
        if message == "small":
            return [f"{name}.a = static_cast<std::uint32_t>({own} * {rng.randint(3, 99)}U + {rng.randint(0, 9)}U);"]
        if message == "medium":
            return [f"{name}.x = {bounded};", f"{name}.a = {own} ^ {rng.getrandbits(40)}U;",
                    f"{name}.b = static_cast<std::uint8_t>({own} >> {rng.randint(0, 5)}U);",
                    f"for (std::size_t i = 0; i < {name}.v.size(); ++i) {{",
                    f"  {name}.v[i] = static_cast<std::uint16_t>({own} * (i + {rng.randint(1, 7)}U));", "}"]
        return [f"for (std::size_t i = 0; i < {name}.x.size(); ++i) {{",
                f"  {name}.x[i] = {bounded} / static_cast<double>(i + {rng.randint(1, 5)}U);", "}",
                f"for (std::size_t i = 0; i < {name}.v.size(); i += {rng.randint(1, 3)}U) {{",
                f"  {name}.v[i] = static_cast<std::uint32_t>({own} ^ (m.id >> i));", "}"]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, required=True)
    p.add_argument("--kind", choices=["free", "ordered"], required=True)
    p.add_argument("--programs", type=int, default=5, help="in this header")
    p.add_argument("-o", "--output", type=pathlib.Path, help="file to write; without it: standard output")
    a = p.parse_args()
    name = a.output.stem if a.output else f"{a.kind}_{a.seed}"
    text = HEADER.format(name=name, seed=a.seed, kind=a.kind, programs=a.programs)
    for i in range(a.programs):
        rng = random.Random(f"{a.kind} {a.seed} {i}")
        text += Program(f"{a.kind}{a.seed}_{i}", rng, a.kind).text()
    if a.output is None:
        sys.stdout.write(text)
    elif not a.output.exists() or a.output.read_text() != text:  # an equal file keeps its time: nothing is rebuilt
        a.output.parent.mkdir(parents=True, exist_ok=True)
        a.output.write_text(text)


if __name__ == "__main__":
    main()
