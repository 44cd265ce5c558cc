# tests/tools/report/roofline_test.py - one page with every size; a Python without matplotlib is passed over or named.
# Usage: roofline_test.py TOOL REPORTS. Exit code 77 (skipped): no Python here has matplotlib.
# SPDX-License-Identifier: Apache-2.0
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TOOL, REPORTS = sys.argv[1:3]


class Roofline(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory(prefix="perdure-roofline.")
        self.folder = pathlib.Path(self.scratch.name)
        for report in pathlib.Path(REPORTS).glob("wave_*.json"):
            shutil.copy(report, self.folder)

    def tearDown(self):
        self.scratch.cleanup()

    def tool(self, *arguments, **environment):
        return subprocess.run([TOOL, self.folder, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env={**os.environ, **environment})

    def refused(self, done, code, *words):
        self.assertEqual(done.returncode, code, done.stdout)
        for word in words:
            self.assertIn(word, done.stdout)
        self.assertNotIn("Traceback", done.stdout)
        self.assertEqual([p.name for p in self.folder.iterdir() if not p.name.startswith("wave_")], [])

    def without_matplotlib(self):
        """A folder for PYTHONPATH by which no Python has it."""
        hidden = tempfile.TemporaryDirectory(prefix="perdure-hidden.")
        self.addCleanup(hidden.cleanup)
        (pathlib.Path(hidden.name) / "matplotlib.py").write_text("raise ImportError(\"No module named 'matplotlib'\")\n")
        return hidden.name

    def test_one_page_holds_every_size_and_both_plots(self):
        done = self.tool()
        self.assertEqual(done.returncode, 0, done.stdout)
        page = (self.folder / "roofline.html").read_text()
        for cells in (json.loads(p.read_text())["cells"] for p in self.folder.glob("wave_*.json")):
            self.assertIn(f"{cells}³", page)
        self.assertEqual(page.count("<svg"), 2)

    def test_where_no_python_has_matplotlib_the_package_is_named(self):
        self.refused(self.tool(PYTHONPATH=self.without_matplotlib()), 2, "tools/roofline", "python3-matplotlib")

    def test_a_report_of_something_else_is_named(self):
        (self.folder / "wave_64.json").write_text("{}")
        self.refused(self.tool(), 1, "wave_64.json", "wavesim3d_bench")

    def test_a_text_that_no_file_can_hold_is_named(self):
        report = self.folder / "wave_64.json"
        report.write_text(json.dumps({**json.loads(report.read_text()), "commit": "\ud800"}))
        self.refused(self.tool(), 1, "wave_64.json", "'commit'")

    def test_what_is_no_regular_file_is_not_replaced(self):
        to = self.folder / "wave_fifo"
        os.mkfifo(to)
        self.refused(self.tool("-o", to), 1, f"{to}: is not a regular file")
        self.assertTrue(to.is_fifo())

    def test_a_folder_without_reports_is_an_error(self):
        for report in self.folder.glob("wave_*.json"):
            report.unlink()
        self.refused(self.tool(), 1, "no wave_*.json")


if __name__ == "__main__":
    if all(subprocess.run([p, "-c", "import matplotlib"], stderr=subprocess.DEVNULL).returncode != 0
           for p in ("python3", "/usr/bin/python3")):
        print("skipped: no matplotlib; tools/setup installs it")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
