# tests/apps/txmon/independent_oracle.py - the rules of apps/txmon/README.md once more, from the text alone.
# Why: an oracle by the author of the actors shares his reading of the text. Written without a look at the actors, at
#   oracle.cpp or at their tests; beside the page were read: file formats, codes.cpp, the rounding of deviation_factor
#   in rule_schedule.cpp, and what the checksum over states covers in outcome.cpp.
# Invariant: one posting after another, in integers (limits are doubles); alerts are dicts with the keys of alerts.jsonl
#   but hlc.
# By hand: independent_oracle.py INPUT [--rules FILE] [--columns FILE] [--lateness MS] [--lenient]
# SPDX-License-Identifier: Apache-2.0
import argparse
import csv
import dataclasses
import decimal
import gzip
import json
import math
import pathlib
import struct
import sys
import types

# ISO 3166-1 in alphabetical order; the number of a country is its place, from 1.
COUNTRIES = """
AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD
CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF
GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN
KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA
NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI
SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI
VN VU WF WS YE YT ZA ZM ZW""".split()
CHANNELS = ("unknown", "online", "mobile", "branch", "atm", "card")
IN_PERSON = {"branch", "atm", "card"}
KINDS = ("payment", "transfer", "cash_out", "cash_in", "debit")

DEFAULTS = {
    "amount_limit": 10000, "pep_limit": 5000, "rapid_least": 1000, "amount_high": 2, "amount_critical": 5,
    "velocity_limit": 10, "velocity_high": 2, "velocity_critical": 3, "velocity_window_ms": 600_000,
    "rapid_window_ms": 3_600_000, "structuring_window_ms": 86_400_000, "travel_window_ms": 3_600_000,
    "structuring_count": 3, "structuring_percent": 90, "rapid_percent": 80, "deviation_count": 20,
    "deviation_factor": 4.0, "high_risk": [], "home": "", "allowed": [], "pep": False}
POINTS = {"velocity": 20, "amount": 20, "structuring": 30, "geography": 20, "pep": 30, "deviation": 16,
          "rapid_movement": 40}
MILLI = {"medium": 1000, "high": 1500, "critical": 2000}


@dataclasses.dataclass
class Transaction:
    number: int
    account: str
    counterparty: str
    cents: int
    country: str
    channel: str
    time_ms: int


class Schedule:
    """Which terms hold for which customer from which event time on."""

    def __init__(self, file):
        self.layers = []  # (from_ms, common keys, keys by customer); each keeps what it does not name
        common, customers = {}, {}
        for part in [file, *file.get("changes", [])]:
            common = {**common, **{k: v for k, v in part.items() if k in DEFAULTS}}
            for name, keys in part.get("customers", {}).items():
                customers = {**customers, name: {**customers.get(name, {}), **keys}}
            self.layers.append((part.get("from_ms", 0), common, customers))
        self.made = {}

    def terms(self, customer, time_ms):
        layer = max(i for i, (from_ms, _, _) in enumerate(self.layers) if i == 0 or from_ms <= time_ms)
        _, common, customers = self.layers[layer]
        key = layer, customer if customer in customers else None
        if key not in self.made:
            own = {**DEFAULTS, **common, **customers.get(customer, {})}
            own["hundredths"] = math.floor(own["deviation_factor"] * 100 + 0.5)
            self.made[key] = types.SimpleNamespace(**own)
        return self.made[key]


class Account:
    def __init__(self, name):
        self.name = name
        self.came_in = self.went_out = self.seen = self.squares = self.alerted = 0
        self.home = ""
        self.last_in_person = None
        self.recent, self.near = [], []  # (time, number), oldest first
        self.credits = []  # (time, number, came in before, went out before), oldest first

    def take(self, t, is_debit, terms):
        """Judges one posting, learns from it, returns its alerts."""
        x, now, n = t.cents, t.time_ms, t.number
        limit = terms.amount_limit * 100
        before = self.came_in, self.went_out
        if is_debit:
            self.went_out += x
        else:
            self.came_in += x
        self.recent = [e for e in self.recent if e[0] > now - terms.velocity_window_ms]
        self.near = [e for e in self.near if e[0] > now - terms.structuring_window_ms]
        self.credits = [e for e in self.credits if e[0] > now - terms.rapid_window_ms]
        fired = []

        def fire(rule, severity, value, limit, evidence, from_ms=now, reason=""):
            fired.append({"rule": rule, "severity": severity, "reason": reason, "value": value, "limit": float(limit),
                          "from_ms": from_ms, "evidence": evidence})

        self.recent = [*self.recent, (now, n)][-30:]
        count = len(self.recent)
        if count > terms.velocity_limit:
            severity = ("critical" if count >= terms.velocity_critical * terms.velocity_limit else
                        "high" if count >= terms.velocity_high * terms.velocity_limit else "medium")
            fire("velocity", severity, count, terms.velocity_limit, [e[1] for e in self.recent[-8:]], self.recent[0][0])

        if is_debit and x > limit:
            severity = ("critical" if x >= terms.amount_critical * limit else
                        "high" if x >= terms.amount_high * limit else "medium")
            fire("amount", severity, x, limit, [n])

        if x <= limit and 100 * x >= terms.structuring_percent * limit:
            self.near = [*self.near, (now, n)][-4:]
            if len(self.near) >= terms.structuring_count:
                fire("structuring", "high", len(self.near), terms.structuring_count, [e[1] for e in self.near],
                     self.near[0][0])

        if terms.home:
            self.home = terms.home
        if is_debit and t.country:
            if not self.home:
                self.home = t.country
            last, in_person = self.last_in_person, t.channel in IN_PERSON
            if (in_person and last is not None and last.country != t.country
                    and now - last.time_ms < terms.travel_window_ms):
                fire("geography", "critical", now - last.time_ms, terms.travel_window_ms, [last.number, n],
                     last.time_ms, "travel")
            elif t.country != self.home and t.country not in terms.allowed:
                risky = t.country in terms.high_risk
                fire("geography", "high" if risky else "medium", t.country, 0, [n],
                     reason="high_risk" if risky else "foreign")
            if in_person:
                self.last_in_person = t

        if terms.pep and x > terms.pep_limit * 100:
            fire("pep", "high", x, terms.pep_limit * 100, [n])

        if self.seen >= terms.deviation_count:
            f, total = terms.hundredths, sum(before)
            e, v = self.seen * x - total, self.seen * self.squares - total**2
            if e > 0 and 10000 * e**2 > f**2 * v:
                fire("deviation", "medium", x, (100 * total + math.isqrt(f**2 * v)) // (100 * self.seen), [n])

        if not is_debit:
            self.credits = [*self.credits, (now, n, *before)]
            if len(self.credits) > 3:
                brought = [(later[2] - one[2], -i) for i, (one, later)
                           in enumerate(zip(self.credits, self.credits[1:]))]
                del self.credits[-min(brought)[1]]
        elif self.credits:
            since, _, in_before, out_before = self.credits[0]
            came, went = self.came_in - in_before, self.went_out - out_before
            if came >= terms.rapid_least * 100 and 100 * went >= terms.rapid_percent * came:
                fire("rapid_movement", "high", went, came * terms.rapid_percent / 100,
                     [*(e[1] for e in self.credits), n], since)
                self.credits = []

        self.seen += 1
        self.squares += x**2
        self.alerted += len(fired)

        score = min(100, sum(POINTS[f["rule"]] * MILLI[f["severity"]] for f in fired) // 1000)
        common = {"transaction": n, "time_ms": now, "account": self.name, "side": "debit" if is_debit else "credit",
                  "counterparty": t.counterparty if is_debit else t.account, "score": score}
        return [{**common, **f} for f in fired]

    def checksum(self):
        """As outcome.cpp lays it out: FNV-1a over the name, then eight bytes a field."""
        last = self.last_in_person
        fields = [self.came_in - self.went_out, self.came_in, self.squares % 2**64, self.squares >> 64, self.seen,
                  self.alerted, number_of(self.home)]
        fields += [number_of(last.country), last.time_ms, last.number] if last else [0, 0, 0]
        fields += [len(self.recent), *(e[0] for e in self.recent), *(e[1] for e in self.recent[-8:])]
        fields += [len(self.near), *(e[0] for e in self.near), *(e[1] for e in self.near)]
        fields += [len(self.credits), *(f for e in self.credits for f in e[1:])]
        h = 0xCBF29CE484222325
        for byte in self.name.encode() + b"".join((f % 2**64).to_bytes(8, "little") for f in fields):
            h = (h ^ byte) * 0x100000001B3 % 2**64
        return h


def number_of(country):
    return COUNTRIES.index(country) + 1 if country else 0


def judge(transactions, schedule, lateness_ms=0, names=None):
    """All alerts in the order of the store, the late transactions in the order of the input, all accounts by name.

    Accounts are those of `names`, in a binary file also such as no row touches; without it, of all rows, late ones too.
    """
    names = names or {name for t in transactions for name in (t.account, t.counterparty)}
    accounts, postings, late, newest = {name: Account(name) for name in names}, [], [], None
    for t in transactions:
        if newest is not None and t.time_ms < newest - lateness_ms:
            late.append(t)
        else:
            postings += [(t.time_ms, t.number, 0, t), (t.time_ms, t.number, 1, t)]
        newest = t.time_ms if newest is None else max(newest, t.time_ms)
    alerts = []
    for time_ms, _, is_credit, t in sorted(postings, key=lambda p: p[:3]):
        name = t.counterparty if is_credit else t.account
        alerts += accounts[name].take(t, not is_credit, schedule.terms(name, time_ms))
    return alerts, late, accounts


def states_checksum(accounts):
    return f"{sum(a.checksum() for a in accounts.values()) % 2**64:016x}"


def read_csv(path, columns, lenient=False):
    """The rows and how many lines were skipped, which get no number. @param columns  the object of a --columns file."""
    raw = pathlib.Path(path).read_bytes()
    text = (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode()
    head, *lines = csv.reader(text.splitlines())
    rows, skipped = [], 0
    for line in lines:
        try:
            if len(line) != len(head):
                raise ValueError("fields")
            rows.append(parse(dict(zip(head, line)), len(rows) + 1, columns))
        except (ValueError, ArithmeticError, KeyError):
            if not lenient:
                raise
            skipped += 1
    return rows, skipped


def parse(cells, number, columns):
    def cell(what):
        return cells[columns[what]] if what in columns else ""

    cents = decimal.Decimal(cell("amount")) * 100
    time = int(cell("time"))
    if cents < 0 or cents % 1 or time < 0:
        raise ValueError("amount or time")
    if "currency" in columns and not (len(cell("currency")) == 3 and cell("currency").isupper()):
        raise ValueError("currency")
    country, channel = cell("country"), columns.get("channels", {}).get(cell("channel"), cell("channel")) or "unknown"
    if (country and country not in COUNTRIES) or channel not in CHANNELS:
        raise ValueError("country or channel")
    kind, _, direction = columns.get("types", {}).get(cell("type"), cell("type")).partition(" ")
    if "type" in columns and kind not in KINDS:
        raise ValueError("type")
    ends = [cell("account"), cell("counterparty")]
    if direction == "reversed":
        ends.reverse()
    return Transaction(number, *ends, int(cents), country, channel, time * columns.get("time_unit_ms", 1))


def read_binary(path):
    """The rows and all names, from records of 38 bytes before labels, names and a footer of 64."""
    raw = pathlib.Path(path).read_bytes()
    magic, version, size, count, accounts, labels, names_bytes = struct.unpack("<8sIIQQQQ", raw[-64:-16])
    if (magic, version, size) != (b"TXMON38\n", 1, 38):
        raise ValueError(f"{path}: no footer")
    at = count * 38 + labels * 9
    names = raw[at:at + names_bytes].decode().split() or [f"A{i}" for i in range(accounts)]
    rows = []
    for n, row in enumerate(struct.iter_unpack("<QIIQHHBBQ", raw[:count * 38]), 1):
        _, account, counterparty, cents, _, country, _, channel, time_ms = row
        rows.append(Transaction(n, names[account], names[counterparty], cents,
                                COUNTRIES[country - 1] if country else "", CHANNELS[channel], time_ms))
    return rows, names


if __name__ == "__main__":
    options = argparse.ArgumentParser()
    options.add_argument("input")
    options.add_argument("--rules")
    here = pathlib.Path(__file__).resolve().parents[3]
    options.add_argument("--columns", default=here / "apps/txmon/data/paysim.columns.json")
    options.add_argument("--lateness", type=int, default=0)
    options.add_argument("--lenient", action="store_true")
    a = options.parse_args()
    if a.input.endswith(".bin"):
        read, named = read_binary(a.input)
    else:
        read, named = read_csv(a.input, json.loads(pathlib.Path(a.columns).read_text()), a.lenient)[0], None
    rules = Schedule(json.loads(pathlib.Path(a.rules).read_text()) if a.rules else {})
    found, _, known = judge(read, rules, a.lateness, named)
    for alert in found:
        print(json.dumps(alert, separators=(",", ":")))
    print(f"{len(found)} alerts; states {states_checksum(known)}", file=sys.stderr)
