# tests/tools/report/report_test.py - one page with all that the reports hold; bad input is named and leaves nothing.
# Usage: report_test.py TOOL PERDURE. Exit code 77 (skipped): no Python here has matplotlib.
# SPDX-License-Identifier: Apache-2.0
import copy
import json
import os
import pathlib
import re
import stat
import subprocess
import sys
import tempfile
import unittest

TOOL, PERDURE = sys.argv[1:3]


def tool(*arguments):
    return subprocess.run([TOOL, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.made = tempfile.TemporaryDirectory(prefix="perdure-report.")
        short = ["--backend", "cpu", "--workers", "2", "--runs", "2", "--seconds", "0.01"]
        for name in ("rtt", "route"):
            to = pathlib.Path(cls.made.name) / f"{name}.json"
            subprocess.run([PERDURE, "bench", name, *short, "--json", to], check=True, stdout=subprocess.DEVNULL)
        cls.reports = {p.stem: json.loads(p.read_text()) for p in pathlib.Path(cls.made.name).glob("*.json")}

    @classmethod
    def tearDownClass(cls):
        cls.made.cleanup()

    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory(prefix="perdure-report.")
        self.folder = pathlib.Path(self.scratch.name)
        self.reports = copy.deepcopy(type(self).reports)

    def tearDown(self):
        self.scratch.cleanup()

    def write(self):
        for name, report in self.reports.items():
            (self.folder / f"{name}.json").write_text(report if isinstance(report, str) else json.dumps(report))

    def refused(self, *words):
        """The tool names file and field, and there is no page, nor a part of one."""
        self.write()
        before = sorted(p.name for p in self.folder.iterdir())
        done = tool(self.folder)
        self.assertEqual(done.returncode, 1, done.stdout)
        for word in words:
            self.assertIn(word, done.stdout)
        self.assertNotIn("Traceback", done.stdout)
        self.assertEqual(before, sorted(p.name for p in self.folder.iterdir()))

    def test_one_page_holds_every_figure_and_needs_no_other_file(self):
        samples = {"median": 2.0, "min": 1.0, "max": 3.0, "spread": 1.0, "samples": [1.0, 2.0, 3.0]}
        route = self.reports["route"]
        route["baselines"]["by_hand_messages_per_s"] = samples
        route["comparisons"] = [{"result": "messages_per_s", "baseline": "by_hand_messages_per_s", "ratio": 0.5,
                                 "ratio_interval95": [0.4, 0.6], "cliffs_delta": -1.0, "verdict": "worse"},
                                {"result": "messages_per_s", "baseline": "another", "skipped": "no samples to compare"}]
        route["matrices"] = {"hops": {"rows": [0, 1], "columns": [0, 1], "values": [[1, 2], [2, 1]], "unit": "us"}}
        route["windows"] = {"device": {"messages_per_s": [1.0, 2.0], "power_watts": [300, 310]}}
        route["curves"] = {"no formula": {"x": "$\\frac{$", "lines": {"a": [[1, 2]]}}}
        self.reports["other"] = {"nothing": "of ours"}
        self.reports["all"] = {"perdure_bench": 1, "name": "all", "benchmarks": [
            {"name": "hop", "code": 2, "late": False, "failed": True, "end_of_output": "wrong <answer>"}]}
        self.write()
        done = tool(self.folder, "-o", self.folder / "page.html")
        self.assertEqual(done.returncode, 0, done.stdout)
        page = (self.folder / "page.html").read_text()
        for word in ("p50_us", "messages_per_s", "by_hand_messages_per_s", "0.5 [0.4 .. 0.6]", "Worse than the baseline (1)",
                     "rtt: latencies", "route: rates", "route: hops", "route: windows, device", "$\\frac{$", "other.json",
                     "Failed: 1", "wrong &lt;answer&gt;", "--backend cpu"):
            self.assertTrue(word in page, f"no {word} in the page")
        self.assertEqual(page.count("<svg"), page.count("</svg>"))
        self.assertGreaterEqual(page.count("<svg"), 4)
        for outside in re.findall(r'(?:src|href)="([^"]*)"', page):
            self.assertTrue(outside.startswith("#"), outside)
        self.assertFalse("<script" in page)

    def test_a_wish_may_be_so_many_times_a_baseline(self):
        def figure(value):
            return {"median": value, "min": value, "max": value, "spread": 0.0, "samples": [value]}

        savina = self.reports.pop("route")
        savina["results"] = {"big_messages_per_s": figure(3e6), "count_messages_per_s": figure(1e6)}
        savina["baselines"] = {"caf_big_messages_per_s": figure(1e6), "caf_count_messages_per_s": figure(2e6)}
        savina["curves"] = {"by length": {"x": "nodes", "y": "us", "lines": {"wide": [[10, 3.5], [100, 30.5]]}}}
        self.reports["savina"] = savina
        self.write()
        done = tool(self.folder, "-o", self.folder / "page.html")
        self.assertEqual(done.returncode, 0, done.stdout)
        page = (self.folder / "page.html").read_text()
        for word in ("2 M (2 times caf)</td><td class=\"better\">met", "2 M (1 times caf)</td><td class=\"worse\">missed",
                     "savina: thread_ring_messages_per_s", "savina: by length"):
            self.assertIn(word, page)

    def test_what_a_kernel_by_hand_does_not_reach_is_not_wanted(self):
        def figure(value):
            return {"median": value, "min": value, "max": value, "spread": 0.0, "samples": [value]}

        # wanted.json: an ask in 2.3 us, 4e9 messages a second. By hand on either side of that.
        for us, by_hand_us, must_us in ((2.7, 2.2, ("2.3", "worse", "missed")),
                                        (2.7, 2.4, ("3 (80 % of by hand; wished for 2.3)", "better", "met")),
                                        (3.1, 2.4, ("3 (80 % of by hand; wished for 2.3)", "worse", "missed"))):
            for rate, by_hand, must in ((3.9e9, 4.1e9, ("4 G", "worse", "missed")),
                                        (3.1e9, 3.8e9, ("3.04 G (80 % of by hand; wished for 4 G)", "better", "met"))):
                rtt, route = self.reports["rtt"], self.reports["route"]
                rtt["backend"] = route["backend"] = "cuda"
                rtt["results"]["polling_worker_p50_us"] = figure(us)
                rtt["baselines"] = {"by_hand_polling_worker_p50_us": figure(by_hand_us)}
                route["results"]["messages_per_s"] = figure(rate)
                route["baselines"] = {"by_hand_messages_per_s": figure(by_hand)}
                self.write()
                done = tool(self.folder, "-o", self.folder / "page.html")
                self.assertEqual(done.returncode, 0, done.stdout)
                page = (self.folder / "page.html").read_text()
                for words, css, verdict in (must_us, must):
                    self.assertIn(f'{words}</td><td class="{css}">{verdict}', page)

    def test_a_curve_that_is_no_list_of_pairs_is_named(self):
        for points in ([[10]], [[0, 1]], [], "ten", [[1, "two"]]):
            self.reports["rtt"]["curves"] = {"by length": {"lines": {"wide": points}}}
            self.refused("rtt.json", "'curves.by length.lines.wide'")

    def test_what_a_plot_cannot_show_is_named(self):
        matrix, series = {"rows": [0], "columns": [0], "values": [[1]]}, {"messages_per_s": [1.0]}
        for kind, plot, field in (("matrices", {**matrix, "axes": None}, "axes"), ("matrices", {**matrix, "unit": 5}, "unit"),
                                  ("matrices", {**matrix, "axes": {"to worker": 5}}, "axes.to worker"),
                                  ("matrices", {"rows": [], "columns": [], "values": []}, "rows"),
                                  ("windows", {**series, "power_watts": -1}, "power_watts"),
                                  ("windows", {**series, "seconds": [None]}, "seconds"),
                                  ("curves", {"lines": {}, "x": []}, "x")):
            with self.subTest(kind=kind, plot=plot):
                self.reports = copy.deepcopy(type(self).reports)
                self.reports["rtt"][kind] = {"m": plot}
                self.refused("rtt.json", f"'{kind}.m.{field}'")

    def test_a_number_of_thousands_of_digits_is_named(self):
        self.reports["rtt"]["results"]["p50_us"]["median"] = "so many"
        self.reports["rtt"] = json.dumps(self.reports["rtt"]).replace('"so many"', "9" * 5000)
        self.refused("rtt.json", "'results.p50_us.median'", "not a number of at most")

    def test_a_report_without_a_field_is_named(self):
        del self.reports["route"]["answers"]
        self.refused("route.json", "'answers'", "missing")

    def test_a_figure_that_is_no_number_is_named(self):
        self.reports["rtt"]["results"]["p50_us"]["median"] = "fast"
        self.refused("rtt.json", "'results.p50_us.median'", "not a number")

    def test_samples_that_are_no_list_are_named(self):
        self.reports["rtt"]["results"]["p99_us"]["samples"] = []
        self.refused("rtt.json", "'results.p99_us.samples'")

    def test_a_matrix_with_a_hole_is_named(self):
        self.reports["rtt"]["matrices"] = {"hops": {"rows": [0, 1], "columns": [0, 1], "values": [[1, 2], [2]]}}
        self.refused("rtt.json", "'matrices.hops.values'", "columns")

    def test_text_that_is_not_json_is_named(self):
        self.reports["route"] = '{"perdure_bench": 1,'
        self.refused("route.json", "not JSON")

    def test_what_is_of_another_kind_is_named(self):
        """Nothing that a broken file holds gets as far as a traceback."""
        ratio = {"result": "p50_us", "baseline": "launch", "ratio": 1, "ratio_interval95": [1, 2], "cliffs_delta": 0,
                 "verdict": "neither"}
        for field, broken in (("device", "an H200"), ("device", {"now": 5}), ("layout", [1]), ("command", "perdure"),
                              ("command", [1]), ("device", {"now": {"sm_mhz": "1", "power_watts": 1, "celsius": 1}}),
                              ("name", 7), ("results", []), ("baselines", 3), ("comparisons", {}),
                              ("comparisons", [ratio]), ("comparisons", [{**ratio, "baseline": ["a"]}]),
                              ("comparisons", [{**ratio, "result": None}]), ("baselines", {"hand": {"skipped": 5}}),
                              ("curves", []), ("windows", {"a": 1}), ("distributions", {"a": [None]}),
                              ("comparisons", [{}]), ("comparisons", [{"result": "p50_us", "baseline": "launch"}]),
                              ("comparisons", [{**ratio, "ratio": None}]), ("layout", None), ("layout", 0), ("device", False),
                              ("commit", 10**400), ("host", {"cores": 10**400}), ("answers", {"sum": float("nan")}),
                              ("commit", "\ud800"), ("answers", {"\udfff": 1})):
            with self.subTest(field=field, broken=broken):
                self.reports = copy.deepcopy(type(self).reports)
                self.reports["rtt"][field] = broken
                self.refused("rtt.json", f"'{field}")
        self.reports = copy.deepcopy(type(self).reports)
        self.reports["rtt"]["results"]["p50_us"]["interval95"] = [1, 2, 3]
        self.refused("rtt.json", "'results.p50_us.interval95'", "two numbers")

    def test_text_that_no_reader_can_follow_is_named(self):
        for depth in (100, 100_000):
            self.reports["route"] = '{"perdure_bench": 1, "name": ' + "[" * depth + "]" * depth + "}"
            self.refused("route.json", "not JSON")

    def test_what_bench_all_says_is_checked(self):
        for benchmarks in ("none", [5], [{"name": "hop"}], [{"name": "hop", "code": 1, "late": False, "failed": True,
                                                          "end_of_output": 5}]):
            self.reports["all"] = {"perdure_bench": 1, "name": "all", "benchmarks": benchmarks}
            self.refused("all.json", "'benchmarks")

    def test_every_wish_is_for_a_figure_that_a_benchmark_writes(self):
        """By the names in the sources of the benchmarks, but for those that none writes yet."""
        root = pathlib.Path(TOOL).resolve().parent.parent
        sources = "".join(p.read_text() for p in (root / "tools" / "perdure").glob("*.cpp"))
        not_yet = {"polling_worker_p50_us"}
        for file, wishes in json.loads((root / "tools" / "wanted.json").read_text()).items():
            name = file.split("@")[0].split("_")[0]
            self.assertIn(f'"{name}"', sources, file)
            if name in ("rtt", "route"):
                for figure in set(wishes) - not_yet:
                    self.assertIn(f'"{figure}"', sources, file)
        for figure in json.loads((root / "tools" / "wanted.json").read_text())["park"]:
            program, _, ending = figure.partition("_")
            self.assertIn(f'"{program}", options', sources)
            self.assertIn(f'"{{}}_{ending}"', sources)

    def test_a_folder_without_reports_is_an_error(self):
        self.reports = {"other": {}}
        self.refused("holds no report")
        self.assertIn("no such folder", tool(self.folder / "missing").stdout)

    def test_a_pipe_or_a_folder_that_is_called_a_report_is_named(self):
        for name, make in (("pipe.json", os.mkfifo), ("folder.json", os.mkdir)):
            self.write()
            make(self.folder / name)
            done = tool(self.folder)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn(f"{name}: is not a regular file", done.stdout)
            self.assertFalse((self.folder / "report.html").exists())
            (os.rmdir if make is os.mkdir else os.unlink)(self.folder / name)

    def test_a_page_that_cannot_be_written_is_an_error(self):
        self.write()
        done = tool(self.folder, "-o", self.folder / "missing" / "page.html")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("page.html: cannot be written", done.stdout)
        done = tool(self.folder, "-o", self.folder / "rtt.json" / "page.html")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("page.html: cannot be written", done.stdout)
        self.assertNotIn("Traceback", done.stdout)

    def test_what_is_no_regular_file_is_not_replaced(self):
        self.write()
        to = self.folder / "fifo"
        os.mkfifo(to)
        before = sorted(p.name for p in self.folder.iterdir())
        for output in (to, self.folder):
            done = tool(self.folder, "-o", output)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn(f"{output}: is not a regular file", done.stdout)
        self.assertTrue(stat.S_ISFIFO(to.stat().st_mode))
        self.assertEqual(before, sorted(p.name for p in self.folder.iterdir()))


if __name__ == "__main__":
    with_matplotlib = [p for p in ("python3", "/usr/bin/python3")
                       if subprocess.run([p, "-c", "import matplotlib"], stderr=subprocess.DEVNULL).returncode == 0]
    if not with_matplotlib:
        print("skipped: no matplotlib; tools/setup installs it")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
