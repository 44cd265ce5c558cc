# tests/generated/statements.py - the statements from which generated handlers are put together.
# Why: what may stand in an order-free handler, and what makes a handler depend on order, is one decision each.
# SPDX-License-Identifier: Apache-2.0
"""Every statement reads the message `m` and the state's members; `size` says which fields `m` has."""

INTEGER = {"small": "m.a", "medium": "m.a", "large": "m.v[2]"}
REAL = {"small": "static_cast<double>(m.a % 4096U) / 7.0", "medium": "m.x", "large": "m.x[1]"}


def content(rng, size):
    """Locals computed from the message only: loops, branches, integers and floating point."""
    i, r = INTEGER[size], REAL[size]
    real = rng.choice([
        f"const double real = std::sqrt(std::fabs({r})) * {rng.randint(2, 9)}.0 + {r} / 3.0;",
        f"const double real = std::fma({r}, {rng.randint(1, 9)}.0 / 7.0, {r} * {r} * 0.001);",
        f"const double real = {r} < 1.0 ? {r} * 5.0 - 1.0 : 1.0 / {r} + {rng.randint(1, 30)}.0;",
    ])
    shift = rng.randint(7, 29)
    word = rng.choice([
        [f"std::uint64_t word = m.id;", f"for (std::uint32_t i = 0; i < {rng.randint(2, 6)}U; ++i) {{",
         f"  word = (word << {shift}U | word >> {64 - shift}U) * {rng.getrandbits(20) | 1}U + {i};", "}"],
        [f"const std::uint64_t word = ({i} % {rng.randint(3, 9)}U == 0 ? m.id ^ {i} : m.id + {i} * 3U) >> "
         f"{rng.randint(0, 9)}U;"],
        ["std::uint64_t word = 0;", f"switch (m.id % {rng.randint(3, 5)}U) {{",
         f"  case 0: word = m.id / {rng.randint(3, 77)}U; break;", f"  case 1: word = ~m.id; [[fallthrough]];",
         f"  default: word += {i}; break;", "}"],
    ])
    return [*word, real]


def free_update(rng, size):
    """Updates that commute: sums, exclusive ors, extremes, counts; floating point enters as exact integers."""
    out = content(rng, size)
    choices = [
        f"sum += word * {rng.getrandbits(16) | 1}U;",
        f"bits ^= word + {rng.getrandbits(30)}U;",
        f"if (const auto h = static_cast<std::uint32_t>(word >> {rng.randint(5, 30)}U); h > high) high = h;",
        f"if (const auto l = static_cast<std::uint32_t>(word >> {rng.randint(5, 30)}U); l < low) low = l;",
        f"++bucket[word % {rng.randint(2, 6)}U];",
        f"bucket[(word >> 8U) % 6U] += {rng.randint(2, 50)}U;",
        f"exact += static_cast<std::int64_t>(real * {rng.choice([16, 1024, 4096])}.0);",
        "if (static_cast<float>(real) > peak) peak = static_cast<float>(real);",
    ]
    chosen = rng.sample(choices, rng.randint(3, 5))
    if not any("real" in c for c in chosen):
        chosen.append(choices[6])
    if not any("word" in c for c in chosen):
        chosen.append(choices[0])
    return out + chosen


def ordered_update(rng, size):
    """Updates that do not commute: recurrences, a mode that changes what the next message does, a window."""
    out = content(rng, size)
    out += [
        f"sum = sum * {rng.getrandbits(24) | 1}U + word;",
        f"level = std::fma(level, {rng.choice(['0.5', '0.25', '-0.75'])}, real * 0.01);",
        "if (!(std::fabs(level) < 1e6)) level = 0.5;",
    ]
    choices = [
        f"bits = (bits << {rng.randint(1, 13)}U) ^ word;",
        "window[handled % 4U] = sum;",
        "window[sum % 4U] += bits;",
        "mode = static_cast<std::int32_t>(sum % 3U) == 0 ? -mode % 15 : 3;",
        f"if (mode > 0) {{\n    exact += static_cast<std::int64_t>(level * {rng.randint(10, 999)}.0);\n  }} else {{\n"
        "    exact -= static_cast<std::int64_t>(real);\n  }",
        "high = low + static_cast<std::uint32_t>(word);",
        "low = high ^ static_cast<std::uint32_t>(sum >> 9U);",
        "peak = peak * 0.5F + static_cast<float>(level);",
        "++bucket[sum % 6U];",
    ]
    return out + rng.sample(choices, rng.randint(4, 6))
