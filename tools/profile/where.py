#!/usr/bin/env python3
# tools/profile/where.py - turns pc_samples.cpp's rows into: which function, which source line, waiting for what.
# Usage: where.py SAMPLES.csv FILE.cubin [--lines N] [--sass FUNCTION] [--phases FUNCTION]
#   FILE.cubin: as the disk cache keeps it (PERDURE_CACHE), or plain. Needs nvdisasm (CUDA toolkit).
# SPDX-License-Identifier: Apache-2.0
"""Sums samples by function, line and stall reason; a line is that of the innermost inlined function."""
import argparse
import collections
import csv
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def disassemble(path):
    """Yields (section function, offset, instruction, file, line) of every instruction."""
    tool = shutil.which("nvdisasm") or "/usr/local/cuda/bin/nvdisasm"
    data = pathlib.Path(path).read_bytes()
    start = data.find(b"\x7fELF")
    if start < 0:
        sys.exit(f"where.py: {path}: holds no cubin")
    with tempfile.NamedTemporaryFile(suffix=".cubin") as plain:
        plain.write(data[start:])
        plain.flush()
        try:
            text = subprocess.run([tool, "-c", "--print-line-info", plain.name], check=True,
                                  capture_output=True, text=True).stdout
        except (OSError, subprocess.CalledProcessError) as error:
            sys.exit(f"where.py: nvdisasm: {error}")
    section, part, file, line = "", "", "", 0
    for row in text.splitlines():
        if found := re.match(r"\s*\.section\s+\.text\.([^\s,]+)", row):
            section = part = found[1]
            file, line = "", 0
        elif found := re.match(r"^(\$[^:]+|[A-Za-z_][\w$]*):\s*$", row):
            part = found[1].split("$")[-1]
        elif found := re.match(r'\s*//## File "([^"]+)", line (\d+)', row):
            if "inlined at" not in row or True:
                file, line = found[1], int(found[2])
        elif found := re.match(r"\s+/\*([0-9a-f]+)\*/\s+(.*?);", row):
            yield section, part, int(found[1], 16), found[2], file, line


def phases(name, code, at):
    """Prints a function's samples from barrier to barrier, of all of it; who waits at a barrier is counted behind it."""
    keys = sorted(k for k in code if name in (k[0], code[k][0]))
    whole = sum(sum(at[k].values()) for k in keys)
    begin, some, waits, lines = 0, 0, 0, collections.Counter()
    for key in keys:
        _, text, file, line = code[key]
        n = sum(at[key].values())
        waiting = sum(k for r, k in at[key].items() if r.startswith("barrier"))
        begin = begin or key[1]
        some, waits = some + n, waits + waiting
        lines[f"{pathlib.Path(file).name}:{line}"] += n - waiting
        if not text.startswith("BAR") and key != keys[-1]:
            continue
        if 250 * some > whole:
            most = ", ".join(f"{where} {100 * k / whole:.1f}" for where, k in lines.most_common(4))
            print(f"{begin:6x} {100 * some / whole:5.1f} %, at the barrier before it {100 * waits / whole:4.1f} %  {most}")
        begin, some, waits, lines = 0, 0, 0, collections.Counter()


def main():
    args = argparse.ArgumentParser(description=__doc__)
    args.add_argument("samples")
    args.add_argument("cubin")
    args.add_argument("--lines", type=int, default=40)
    args.add_argument("--sass", help="print this function's instructions with their samples")
    args.add_argument("--phases", help="print this function's samples from barrier to barrier")
    args = args.parse_args()
    code = {}
    for section, part, offset, text, file, line in disassemble(args.cubin):
        code[section, offset] = (part, text, file, line)
    parts, lines, reasons = (collections.Counter() for _ in range(3))
    line_reasons = collections.defaultdict(collections.Counter)
    at = collections.defaultdict(collections.Counter)
    unknown = 0
    with open(args.samples, newline="", encoding="utf-8") as rows:
        for row in csv.DictReader(rows):
            n, key = int(row["samples"]), (row["function"], int(row["offset"]))
            if key not in code:
                unknown += n
                continue
            part, _, file, line = code[key]
            reason = row["reason"].removeprefix("smsp__pcsamp_warps_issue_stalled_")
            parts[part] += n
            reasons[reason] += n
            where = f"{pathlib.Path(file).name}:{line}"
            lines[where] += n
            line_reasons[where][reason] += n
            at[key][reason] += n
    total = sum(parts.values())
    if total == 0:
        sys.exit(f"where.py: no sample of {args.samples} lies in {args.cubin} ({unknown} elsewhere)")
    print(f"{total} samples, {unknown} in other code")
    for title, table, most in (("waiting for", reasons, 16), ("function", parts, 16)):
        print(f"\n{title}")
        for name, n in table.most_common(most):
            print(f"  {100 * n / total:5.1f} %  {name}")
    print("\nline")
    for name, n in lines.most_common(args.lines):
        why = ", ".join(f"{r} {100 * k / n:.0f}" for r, k in line_reasons[name].most_common(3))
        print(f"  {100 * n / total:5.1f} %  {name:34} {why}")
    if args.phases:
        print("\nphases")
        phases(next((p for p in parts if args.phases in p), args.phases), code, at)
    if args.sass:
        for (section, offset), (part, text, file, line) in sorted(code.items()):
            if part != args.sass and section != args.sass:
                continue
            seen = at[section, offset]
            n = sum(seen.values())
            why = ", ".join(f"{r} {k}" for r, k in seen.most_common(2))
            print(f"{offset:6x} {100 * n / total:6.2f} % {text:60} {pathlib.Path(file).name}:{line}  {why}")


if __name__ == "__main__":
    main()
