# tests/apps/spills_test.py - what the loops of txmon and wavesim3d put aside in memory does not grow unseen.
# Why: a register more in a common place has cost the wide tiles and the account 5 to 15 % (docs/adr/060, 062, 063), and no
#      test on a machine without a GPU saw it. The figures are those of NVRTC 13.0; another one has others.
# Usage: spills_test.py PERDURE-GEN PERDURE ROOT; exits with 77 where NVRTC is not there, or is another one.
# SPDX-License-Identifier: Apache-2.0
import json
import pathlib
import re
import subprocess
import sys
import tempfile

GEN, PERDURE, ROOT = sys.argv[1:4]
NVRTC = "13.0"
# header: bytes of stack, bytes put aside, as measured with the figures in docs/results/h200; each may be less
MOST = {
    "apps/txmon/account.hpp": (248, 0),
    "apps/wavesim3d/plain.hpp": (64, 94),
    "apps/wavesim3d/streamed.hpp": (56, 52),
    "apps/wavesim3d/streamed_medium.hpp": (264, 590),
}


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def loop_of(header, folder):
    flags = ["-std=c++20", f"-I{ROOT}", f"-I{ROOT}/dsl/include", f"-I{ROOT}/apps", f"-I{pathlib.Path(ROOT, header).parent}"]
    done = subprocess.run([GEN, f"{ROOT}/{header}", "-o", folder, "--check", "sm_90", "--", *flags],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    found = re.search(r"perdure_loop: (\d+) registers, (\d+) bytes stack, (\d+) bytes spilled", done.stdout)
    if done.returncode != 0 or not found:
        sys.exit(f"{header}: {GEN} ended with {done.returncode}:\n{done.stdout}")
    return [int(n) for n in found.groups()]


def main():
    with tempfile.TemporaryDirectory() as folder:
        facts = pathlib.Path(folder, "facts.json")
        subprocess.run([PERDURE, "info", "--json", facts], check=True, stdout=subprocess.DEVNULL)
        nvrtc = json.loads(facts.read_text()).get("nvrtc", {}).get("version")
        if nvrtc != NVRTC:
            skip(f"NVRTC {nvrtc}; the figures are those of {NVRTC}")
        grown = 0
        for header, most in MOST.items():
            registers, *now = loop_of(header, folder)
            print(f"{header}: {registers} registers, {now[0]} bytes of stack of {most[0]}, {now[1]} put aside of {most[1]}", flush=True)
            if now[0] > most[0] or now[1] > most[1]:
                grown += 1
        if grown:
            sys.exit(f"{grown} put more aside than when they were measured: find what took the registers, or measure on a device "
                     "and write the new figures here")


main()
