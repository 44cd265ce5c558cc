# tests/apps/txmon/independent_oracle_streams.py - rows and rule files for independent_oracle_test.py, from a seed.
# Why: a wrong `<` shows only where a time or an amount lies on the edge itself, and where terms change under way.
# Invariant: the same seed gives the same text; every rule file is within the bounds of apps/txmon/README.md.
# SPDX-License-Identifier: Apache-2.0
import math
import random

from independent_oracle import CHANNELS, KINDS

COLUMNS = {"time": "at", "account": "from", "counterparty": "to", "amount": "amount", "currency": "currency",
           "country": "country", "channel": "channel", "type": "kind",
           "types": {**{k: k for k in KINDS}, "refund": "transfer reversed"}}
PLACES = ["DE", "AT", "FR", "IR", "KP"]
MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000
RANGES = {
    "amount_limit": [0, 5000, 8000, 10000], "pep_limit": [0, 799, 5000], "rapid_least": [0, 800, 1000],
    "amount_high": [1, 2, 3], "amount_critical": [1, 2, 5], "velocity_limit": [1, 3, 10, 29],
    "velocity_high": [1, 2, 3], "velocity_critical": [1, 3, 30], "velocity_window_ms": [1, MINUTE, HOUR],
    "rapid_window_ms": [1, 10 * MINUTE, HOUR + 1], "structuring_window_ms": [1, HOUR, DAY],
    "travel_window_ms": [0, 1, 10 * MINUTE, HOUR], "structuring_count": [1, 2, 4],
    "structuring_percent": [0, 50, 90, 100], "rapid_percent": [1, 80, 99, 100], "deviation_count": [1, 5, 40],
    "deviation_factor": [0, 0.29, 1.005, 1.5, 2.55, 3], "high_risk": [[], ["IR"], ["IR", "KP", "DE"]]}
KNOWN = {"home": PLACES, "allowed": [[], ["AT"], ["FR", "KP"]], "pep": [True, False]}


def edge_rows(seed, count, disorder):
    """Few accounts; times, amounts and places that lie on the edges of the rules more often than beside them."""
    r, now = random.Random(seed), 0
    names = [f"C{i}" for i in range(r.choice([3, 6, 12]))]
    largest = 9_000_000_000_000 if seed % 4 == 1 else 100_000
    steps = ([0, 0, 1, 999, 10_000, 10_000, 20_000] if seed % 5 == 4 else
             [0, 0, 1, 999, 10_000, MINUTE, MINUTE, 200_000, 10 * MINUTE, HOUR - 1, HOUR])
    for _ in range(count):
        now += r.choice(steps)
        at = max(0, now - r.choice([0, 0, 0, 1, disorder // 2, disorder, disorder + 1, 2 * disorder]))
        limit = r.choice([500_000, 800_000, 1_000_000])
        cents = r.choice([limit * r.choice([9, 10, 20, 50]) // 10 + r.choice([-1, 0, 1]), r.randrange(1, 400_000),
                          r.randrange(1, 400_000), 100_000, 80_000, 80_001, 0, r.choice([limit, largest])])
        yield [at, r.choice(names), r.choice(names), f"{cents // 100}.{cents % 100:02}", r.choice(["EUR", "USD"]),
               r.choice(["", *PLACES]) if r.random() < 0.5 else "DE", r.choice(CHANNELS), r.choice([*KINDS, "refund"])]


def deviation_rows(seed, count, hundredths):
    """One account; a few amounts lie within a cent of the most at which deviation is silent."""
    r, seen, total, squares = random.Random(seed), 0, 0, 0
    middle = [10, 100_000, 5_000_000_000_000][seed % 3]
    for i in range(count):
        x = middle + r.choice([-1, 1]) * r.choice([middle // 8, r.randrange(middle // 8 + 1)])
        if seen and r.random() < 0.5 / (1 + (hundredths / 100)**2):
            root = math.isqrt(hundredths**2 * (seen * squares - total**2))
            x = max(0, (100 * total + root) // (100 * seen) + r.choice([-1, 0, 1, 1]))
        seen, total, squares = seen + 1, total + x, squares + x**2
        ends = ["C0", f"C{1 + i}"] if r.random() < 0.5 else [f"C{1 + i}", "C0"]
        yield [i * HOUR, *ends, f"{x // 100}.{x % 100:02}", "EUR", "", "unknown", "payment"]


def text_of(rows):
    head = "at,from,to,amount,currency,country,channel,kind\n"
    return head + "".join(",".join(map(str, row)) + "\n" for row in rows)


def some_rules(seed, with_customers=True):
    r = random.Random(f"rules {seed}")
    rules = {key: r.choice(values) for key, values in RANGES.items() if r.random() < 0.4}
    if with_customers:
        rules["customers"] = {
            f"C{i}": {**some_rules(f"{seed} C{i}", False),
                      **{key: r.choice(values) for key, values in KNOWN.items() if r.random() < 0.6}}
            for i in range(6) if r.random() < 0.5}
    return rules


def rule_file(seed, rows):
    """Three changes, at the times of three rows; some name customers again and some only what holds for all."""
    r = random.Random(f"changes {seed}")
    times = sorted(r.sample(sorted({row[0] for row in rows} - {0}), 3))
    changes = [{"from_ms": t, **some_rules(f"{seed} {t}", r.random() < 0.7)} for t in times]
    return {**some_rules(seed), "changes": changes}
