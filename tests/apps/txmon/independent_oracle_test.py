# tests/apps/txmon/independent_oracle_test.py - txmon on the CPU against independent_oracle.py: alerts, late rows, states.
# Why: the program's own --verify compares two readings of the rules by one author; this is a reading by another.
# Invariant: no result is written down here; both sides judge the same input and must agree to the last bit.
# Usage: independent_oracle_test.py TXMON PAYSIM_CSV_GZ PAYSIM_COLUMNS_JSON [TEST...]
# SPDX-License-Identifier: Apache-2.0
import collections
import gzip
import itertools
import json
import pathlib
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

import independent_oracle as oracle
import independent_oracle_streams as streams

TXMON, PAYSIM, PAYSIM_COLUMNS = sys.argv[1:4]
RUNS = [["--threads", "3", "--lanes", "2"], ["--workers", "1", "--inbox-slots", "64"], ["--workers", "2", "--seed", "9"],
        ["--threads", "2", "--lanes", "3", "--inbox-slots", "64", "--epoch-rows", "200"]]
EVERYTHING = {*itertools.product(["velocity", "amount"], ["medium", "high", "critical"], [""]),
              ("structuring", "high", ""), ("geography", "critical", "travel"), ("geography", "high", "high_risk"),
              ("geography", "medium", "foreign"), ("pep", "high", ""), ("deviation", "medium", ""),
              ("rapid_movement", "high", "")}


class Written:
    """What a run of txmon left in its folder."""

    def __init__(self, folder):
        self.result = json.loads((folder / "result.json").read_text())
        self.alerts = [json.loads(line) for line in (folder / "alerts.jsonl").read_text().splitlines()]
        late = (folder / "alerts.late.jsonl").read_text().splitlines()
        self.late = [json.loads(line) for line in late]
        self.states = self.result["checksum"]["accounts"]
        for alert in self.alerts:
            del alert["hlc"]  # the time at which the account raised it: another in every run


def late_line(t):
    return {"transaction": t.number, "time_ms": t.time_ms, "account": t.account, "counterparty": t.counterparty,
            "cents": t.cents}


class Agreement(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="txmon-independent.")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def write(self, name, what):
        path = self.folder / name
        path.write_text(what if isinstance(what, str) else json.dumps(what))
        return path

    def txmon(self, *arguments):
        done = subprocess.run([TXMON, *map(str, arguments)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, f"{arguments}: {done.stderr}")

    def program(self, *arguments):
        self.txmon("--quiet", "--backend", "cpu", "--out", self.folder, *arguments)
        return Written(self.folder)

    def agree(self, got, rows, rules, lateness, names=None, explain=lambda: ""):
        """Fails at the first difference between what txmon wrote and the oracle's answer. Returns that answer."""
        alerts, late, accounts = oracle.judge(rows, oracle.Schedule(rules), lateness, names)
        for i, (ours, expected) in enumerate(zip(got.alerts, alerts)):
            wrong = {k: (ours.get(k), expected.get(k)) for k in {*ours, *expected} if ours.get(k) != expected.get(k)}
            self.assertFalse(wrong, f"alert {i}, expected {expected}; what differs is (got, expected)")
        self.assertEqual(len(got.alerts), len(alerts))
        self.assertEqual(got.late, [late_line(t) for t in late])
        self.assertEqual((got.result["transactions"], got.result["accounts"]), (len(rows), len(accounts)))
        if got.states != oracle.states_checksum(accounts):
            self.fail("the final states of the accounts differ " + explain())
        return alerts, late

    def judge_csv(self, path, columns, rules, lateness, *options):
        arguments = ["--columns", self.write("columns.json", columns), "--rules", self.write("rules.json", rules),
                     "--lateness", lateness, *options]
        got = self.program("--input", path, *arguments)
        rows, skipped = oracle.read_csv(path, columns, "--lenient" in options)
        self.assertEqual(got.result["skipped_lines"], skipped)

        def first_rows():
            """How many rows it takes until the states differ, found by halving."""
            raw = pathlib.Path(path).read_bytes()
            lines = (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode().splitlines()
            same, different = 0, len(rows)
            while different - same > 1:
                middle = (same + different) // 2
                short = self.write("short.csv", "\n".join(lines[:middle + 1]) + "\n")
                states = self.program("--input", short, *arguments).states
                accounts = oracle.judge(rows[:middle], oracle.Schedule(rules), lateness)[2]
                same, different = (middle, different) if states == oracle.states_checksum(accounts) else (same, middle)
            return f"from row {different} on, {rows[different - 1]}"

        return self.agree(got, rows, rules, lateness, explain=first_rows if skipped == 0 else str)

    def judge_generated(self, settings, lateness, more_rules, *options):
        path, made = self.folder / "rows.bin", self.folder / "made.json"
        self.txmon("convert", "--generate", settings, "--to", path, "--rules-to", made)
        rules = {**json.loads(made.read_text()), **more_rules}
        got = self.program("--input", path, "--rules", self.write("rules.json", rules), "--lateness", lateness,
                           *options)
        rows, names = oracle.read_binary(path)
        return self.agree(got, rows, rules, lateness, names)

    def test_real_rows(self):
        columns = json.loads(pathlib.Path(PAYSIM_COLUMNS).read_text())
        alerts, _ = self.judge_csv(PAYSIM, columns, {}, 0, "--threads", 2)
        self.assertGreater(len(alerts), 1000)

    def test_real_rows_under_other_rules(self):
        columns = json.loads(pathlib.Path(PAYSIM_COLUMNS).read_text())
        rules = {"amount_limit": 250000, "deviation_count": 5, "deviation_factor": 1.5, "rapid_percent": 33,
                 "customers": {"C1286084959": {"pep": True, "velocity_limit": 2}},
                 "changes": [{"from_ms": 5 * 3_600_000, "velocity_limit": 3, "structuring_count": 2}]}
        self.judge_csv(PAYSIM, columns, rules, 0, *RUNS[0])

    def test_generated_with_planted_frauds(self):
        alerts, _ = self.judge_generated("rows=30000,accounts=800,zipf=0.99,fraud=100,seed=5", 0, {})
        self.assertEqual({a["rule"] for a in alerts}, {*oracle.POINTS})

    def test_generated_evenly_with_a_change(self):
        change = {"from_ms": 30_000_000, "velocity_limit": 4, "deviation_factor": 2.5}
        self.judge_generated("rows=30000,accounts=500,zipf=0,fraud=50,gap=2000,seed=6", 0,
                             {"high_risk": ["IR", "KP"], "changes": [change]}, *RUNS[0])

    def test_generated_in_disorder_with_late_rows(self):
        _, late = self.judge_generated("rows=30000,accounts=800,fraud=100,disorder=20000,seed=7", 15_000, {}, *RUNS[3])
        self.assertGreater(len(late), 10)

    def test_edges_of_every_rule(self):
        fired, late_rows = collections.Counter(), 0
        for seed in range(24):
            with self.subTest(seed=seed):
                disorder = [0, 60_000, 3_600_000][seed % 3]
                rows = [*streams.edge_rows(seed, 1200, disorder)]
                path = self.write("rows.csv", streams.text_of(rows))
                rules = streams.rule_file(seed, rows) if seed >= 5 else {}
                alerts, late = self.judge_csv(path, streams.COLUMNS, rules, disorder, *RUNS[seed % len(RUNS)])
                fired.update((a["rule"], a["severity"], a["reason"]) for a in alerts)
                late_rows += len(late)
        self.assertEqual({*fired}, EVERYTHING, "the streams do not make every rule fire in every way")
        self.assertGreater(late_rows, 100)

    def test_deviation_to_the_cent(self):
        for seed, factor in enumerate([0, 0.5, 1, 1, 2, 2.55, 3, 0.01, 4]):
            with self.subTest(seed=seed):
                rows = streams.deviation_rows(seed, 2000, round(factor * 100))
                path = self.write("rows.csv", streams.text_of(rows))
                rules = {"deviation_count": 2, "deviation_factor": factor}
                alerts, _ = self.judge_csv(path, streams.COLUMNS, rules, 0, *RUNS[seed % len(RUNS)])
                by_a_cent = [a for a in alerts if a["rule"] == "deviation" and a["value"] == a["limit"] + 1]
                self.assertGreater(len(by_a_cent), 10)

    def test_malformed_lines_get_no_number(self):
        head, *lines = streams.text_of(streams.edge_rows(77, 400, 0)).splitlines()
        bad = ["rubbish", "5,X1,C2,-1.00,EUR,DE,atm,debit", "5,X2,C2,1.001,EUR,DE,atm,debit",
               "x,C1,C2,1,EUR,DE,atm,debit", "5,C1,C2,1.00,EU,DE,atm,debit", "5,C1,X3,1.00,EUR,QQ,atm,debit",
               "5,C1,C2,1.00,EUR,DE,boat,debit", "5,C1,C2,1.00,EUR,DE,atm,gift", "5,C1,C2,,EUR,DE,atm,debit"]
        for i, line in enumerate(bad):
            lines.insert(17 + 40 * i, line)
        path = self.write("rows.csv", "\n".join([head, *lines]) + "\n")
        self.judge_csv(path, streams.COLUMNS, {}, 0, "--lenient", "--threads", 2)

    def test_the_database_holds_the_same_alerts(self):
        rows = [*streams.edge_rows(78, 1500, 60_000)]
        path = self.write("rows.csv", streams.text_of(rows))
        rules = streams.rule_file(78, rows)
        alerts, late = self.judge_csv(path, streams.COLUMNS, rules, 60_000)
        self.txmon("--quiet", "--backend", "cpu", "--input", path, "--columns", self.folder / "columns.json", "--rules",
                   self.folder / "rules.json", "--lateness", 60_000, "--out", self.folder / "db", "--alerts",
                   self.folder / "a.db", "--checkpoints", self.folder / "checkpoints", "--epoch-rows", 100)
        keys = ("time_ms", "number", "side", "rule", "severity", "reason", "score", "account", "counterparty", "value",
                "limit", "from_ms", "evidence")
        expected = [tuple({**a, "number": a["transaction"], "evidence": json.dumps(a["evidence"]).replace(" ", ""),
                           "value": oracle.number_of(a["value"]) if isinstance(a["value"], str) else a["value"]}[k]
                          for k in keys) for a in alerts]
        db = sqlite3.connect(self.folder / "a.db")
        self.addCleanup(db.close)
        chosen = ",".join(f'"{k}"' for k in keys)
        stored = [*db.execute(f"SELECT {chosen} FROM alert ORDER BY time_ms, number, side = 'credit'")]
        self.assertEqual(sorted(stored), sorted(expected))
        self.assertEqual({n for n, in db.execute("SELECT number FROM late")}, {t.number for t in late})

    def until(self, done):
        end = time.monotonic() + 30
        while not done():
            self.assertLess(time.monotonic(), end, "txmon did not get so far")
            time.sleep(0.02)

    def run_with_reload(self, folder, lines, old, refused, new, patience):
        """Rows through a pipe; after a third of them a file that is refused, after two thirds one that is not."""
        rules, said = folder / "rules.json", folder / "said"
        rules.write_text(json.dumps(old))
        thirds = [len(lines) // 3, 2 * len(lines) // 3]
        with open(said, "w") as errors:
            p = subprocess.Popen([TXMON, "--backend", "cpu", "--input", "-", "--columns", self.folder / "columns.json",
                                  "--rules", rules, "--lateness", "60000", "--checkpoints", folder / "checkpoints",
                                  "--alerts", folder / "alerts.jsonl", "--out", folder], stdin=subprocess.PIPE,
                                 stdout=subprocess.DEVNULL, stderr=errors, text=True)
        try:
            p.stdin.write("".join(lines[:thirds[0]]))
            p.stdin.flush()
            self.until((folder / "alerts.jsonl").exists)  # from then on it listens to the signal
            time.sleep(patience)
            rules.write_text(json.dumps(refused))
            p.send_signal(signal.SIGHUP)
            for line in lines[thirds[0]:thirds[1]]:  # the file is read when a row comes, so rows come until it was
                p.stdin.write(line)
                p.stdin.flush()
                if "not taken" not in said.read_text():
                    time.sleep(0.01)
            self.until(lambda: "not taken" in said.read_text())
            rules.write_text(json.dumps(new))
            p.send_signal(signal.SIGHUP)
            time.sleep(patience)
            p.stdin.write("".join(lines[thirds[1]:]))
            p.stdin.close()
            self.assertEqual(p.wait(60), 0, said.read_text())
        finally:
            p.kill()
            p.communicate()
        return Written(folder)

    def test_rules_reloaded_while_it_runs(self):
        rows = [*streams.edge_rows(79, 1500, 60_000)]
        head, *lines = streams.text_of(rows).splitlines(keepends=True)
        self.write("columns.json", streams.COLUMNS)
        path = self.write("rows.csv", head + "".join(lines))
        old = streams.rule_file(79, rows[:100])
        seen = max(row[0] for row in rows[:1000])
        change = {"from_ms": seen + 1_800_000, **streams.some_rules(81), "velocity_limit": 2, "amount_limit": 50}
        new = {**old, "changes": [*old["changes"], change]}
        # A signal may be seen after rows that were sent later: then the file is refused, and a longer wait is tried.
        for attempt in range(5):
            folder = self.folder / str(attempt)
            folder.mkdir()
            got = self.run_with_reload(folder, [head, *lines], old, {**old, "pep_limit": 4321}, new, 0.1 * 3**attempt)
            if len(got.result["rules"]) == len(new["changes"]) + 1:
                break
        self.agree(got, oracle.read_csv(path, streams.COLUMNS)[0], new, 60_000)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
