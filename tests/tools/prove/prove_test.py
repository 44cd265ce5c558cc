# tests/tools/prove/prove_test.py - what could not be done is said in words and is exit code 2, never "they do not agree".
# Usage: prove_test.py TOOL GEN PROVER CXX
# SPDX-License-Identifier: Apache-2.0
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL, GEN, PROVER, CXX = sys.argv[1:5]
HEADER = """#pragma once
#include <cstdint>
#include <perdure/actor.hpp>
struct step { std::int32_t by; };
struct walker : perdure::actor<walker> {
  std::int64_t at = 0, zero = 0;
  void on(const step& m, perdure::context& ctx) { HANDLER }
};
"""


def said(command):
    """Exit code and all that was printed. Its end is waited for by the pipe: a prover that lives on is noticed, too."""
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=200)
    return done.returncode, done.stdout


class Prove(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory(prefix="perdure-prove-test.")
        self.folder = pathlib.Path(self.scratch.name)

    def tearDown(self):
        self.scratch.cleanup()

    def prove(self, handler, *options):
        header = self.folder / "walk.hpp"
        header.write_text(HEADER.replace("HANDLER", handler))
        given = {"--gen": GEN, "--prover": PROVER, "--cxx": CXX, "--check": "none", "--backend": "cpu"}
        given.update(zip(options[::2], options[1::2]))
        return said([TOOL, header, *(word for pair in given.items() for word in pair)])

    def not_done(self, result, *words):
        code, text = result
        self.assertEqual(code, 2, text)
        for word in words:
            self.assertIn(word, text)
        self.assertNotIn("Traceback", text)
        return text

    def test_runs_that_agree_are_exit_code_0(self):
        code, text = self.prove("at += m.by; ctx.reply(m);")
        self.assertEqual(code, 0, text)
        self.assertIn("walk: AGREE", text)

    def test_a_handler_that_crashes_is_named_by_run_and_signal(self):
        self.not_done(self.prove("at = m.by / zero;"), "cpu native, 3 workers", "perdure-prove was ended by signal 8 (")

    def test_a_handler_that_never_ends_is_killed_after_the_timeout(self):
        for endless in ("while (true) at += m.by;", "ctx.send(ctx.self(*this), m);"):
            self.not_done(self.prove(endless, "--timeout", "2"), "cpu native, 3 workers", "did not end within 2 s", "--timeout")

    def test_a_program_that_is_not_there_is_named(self):
        self.not_done(self.prove("", "--gen", "/nonexist"), "/nonexist: no such file, so no perdure-gen")
        self.not_done(self.prove("", "--prover", "/nonexist"), "/nonexist: no such file, so no perdure-prove")

    def test_a_program_that_cannot_be_started_is_named(self):
        plain = self.folder / "plain"
        plain.write_text("no program\n")
        self.not_done(self.prove("", "--gen", plain), f"{plain}: Permission denied")

    def test_work_that_is_no_folder_is_named(self):
        self.not_done(self.prove("", "--work", "/dev/null"), "/dev/null: is not a folder")

    def test_generated_files_are_said_to_be_kept_only_where_they_are(self):
        text = self.not_done(self.prove("", "--cxx", "false"), "false refused the native and the lowered unit")
        self.assertNotIn("kept in", text)
        kept = self.folder / "kept"
        self.not_done(self.prove("", "--cxx", "false", "--work", kept), f"kept in {kept}")
        self.assertTrue((kept / "walk.actors.cpp").is_file())

    def test_a_number_out_of_range_is_refused_before_anything_is_built(self):
        for option, wrong in (("--messages", "0"), ("--messages", "10000001"), ("--actors", "0"), ("--timeout", "0"),
                              ("--seed", "-1"), ("--messages", "many")):
            text = self.not_done(self.prove("", f"{option}", wrong, "--gen", "/nonexist"), f"argument {option}: {wrong}: not a")
            self.assertNotIn("/nonexist", text)

    def test_the_prover_refuses_every_bad_option_with_exit_code_2(self):
        units = [PROVER, "--native", PROVER, "--lowered", PROVER]
        for wrong in (["--messages", "0"], ["--actors", "0"], ["--seed", "-1"], ["--lanes", "0"], ["--backend", "none"],
                      ["--nonsense"]):
            self.not_done(said([*units, *wrong]), wrong[0])
        self.not_done(said([PROVER]), "--native is required")
        self.not_done(said([PROVER, "--native", "/nonexist"]), "/nonexist")
        code, text = said([PROVER, "--help"])
        self.assertEqual(code, 0, text)
        self.assertIn("Exit code: 0 all runs agree", text)

    def test_units_of_another_build_are_refused(self):
        for name, body, words in (("other", "perdure_unit_layout() { return 0; }", "other headers of perdure"),
                                  ("older", "perdure_unit_attach() { return 0; }", "does not define perdure_unit_layout")):
            library = self.folder / f"{name}.so"
            source = library.with_suffix(".cpp")
            source.write_text(f'extern "C" unsigned long {body}\n')
            subprocess.run([CXX, "-shared", "-fPIC", source, "-o", library], check=True)
            self.not_done(said([PROVER, "--native", library, "--lowered", library]), str(library), words)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
