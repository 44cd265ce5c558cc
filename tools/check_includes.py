#!/usr/bin/env python3
# tools/check_includes.py - who may include whom: the table of the design, checked on every tracked file.
# Why: a layer that can reach upwards soon does; the device side must stay free of the host's headers.
# Invariant: the first row whose folder holds the file decides; a file without a row is an error.
# SPDX-License-Identifier: Apache-2.0
"""Prints each include that its folder's row does not allow; exit code 1 if there is one."""

import re
import subprocess
import sys

STD = r"<[a-z_0-9]+>"  # the C++ standard library, and on the device kernels/mini_std under the same names
POSIX = r"<(unistd|fcntl|dlfcn|signal|poll)\.h>|<sys/[a-z]+\.h>"
FACADE = r"[<\"]perdure/[a-z_/]+\.hpp[>\"]"
ABI = r'"kernels/abi/[a-z_]+\.(cuh|def)"'
KERNELS = r'"kernels/[a-z_/]+\.cuh"'
LIBRARIES = r"<(fmt|spdlog|CLI|nlohmann|boost)/[a-z_A-Z0-9/]+\.hpp>|<fmt/[a-z]+\.h>|<spdlog/[a-z_/]+\.h>|<zlib\.h>|<png\.h>|<sqlite3\.h>"
COMMON = r'"common/[a-z_]+\.hpp"'  # of all apps
EVIDENCE = r'"tools/evidence/[a-z_]+\.hpp"'  # the machine, for programs that measure
LOCAL = r'"[a-z_0-9]+(\.actors)?\.(hpp|h|inc|def)"'
TESTING = r"<(gtest|gmock|rapidcheck|benchmark)[/.][a-z_/.]+>|<rapidcheck\.h>"
CUDA = r"<(cuda|nvrtc|cuda_runtime|cuda_bf16)\.h>"


def runtime(*folders):
    return "|".join(rf'"runtime/{f}/[a-z_]+\.(hpp|def)"' for f in folders)


# folder or file, what a file in it may include
RULES = [
    (r"kernels/abi/", [ABI]),
    (r"kernels/mini_std/", [STD, r"<detail/[a-z_]+>"]),
    # The host's form of a unit: the real library and the public headers, where NVRTC gets mini_std.
    (r"kernels/unit\.cuh", [KERNELS, STD, r'"perdure/actor\.hpp"']),
    (r"kernels/platform/[a-z_]+\.hpp", [KERNELS, STD]),  # blocks as real threads, for the host only
    (r"kernels/", [KERNELS]),
    (r"dsl/include/", [STD, r'"perdure/[a-z_/]+\.hpp"', ABI]),
    (r"dsl/examples/", [STD, FACADE, LOCAL, LIBRARIES]),
    (r"codegen/frontend/", [STD, POSIX, r'"codegen/(frontend|model)/[a-z_]+\.hpp"', r"<(clang|llvm)[/\-].*>", r'"(clang|llvm)/.*"']),
    (r"codegen/model/", [STD, r'"codegen/model/[a-z_]+\.hpp"']),
    (r"codegen/emit/", [STD, ABI, r'"codegen/(emit|model)/[a-z_]+\.hpp"', LIBRARIES]),
    # The check of device code is the very step that the runtime takes at start; what GPUs there are is asked as there.
    (r"codegen/driver/", [STD, POSIX, r'"codegen/[a-z]+/[a-z_]+\.hpp"', LIBRARIES, runtime("driver", "jit"), FACADE, ABI]),
    # The one header of the package that needs Boost, of those who include it.
    (r"runtime/include/perdure/fields\.hpp", [STD, r'"perdure/[a-z_/]+\.hpp"', ABI, r"<boost/pfr\.hpp>"]),
    (r"runtime/include/", [STD, r'"perdure/[a-z_/]+\.hpp"', ABI]),
    (r"runtime/driver/", [STD, POSIX, FACADE, LIBRARIES, runtime("driver")]),
    (r"runtime/jit/", [STD, POSIX, FACADE, LIBRARIES, ABI, runtime("jit")]),
    (r"runtime/bridge/", [STD, FACADE, KERNELS, ABI, runtime("bridge")]),
    (r"runtime/placement/", [STD, FACADE, LIBRARIES, ABI, runtime("placement")]),
    (r"runtime/record/", [STD, POSIX, FACADE, LIBRARIES, ABI, runtime("record")]),
    (r"runtime/system/", [STD, POSIX, FACADE, LIBRARIES, KERNELS, runtime("system", "bridge", "placement", "record")]),
    (r"runtime/replay/", [STD, FACADE, LIBRARIES, KERNELS, ABI, runtime("replay", "record", "system")]),
    (r"runtime/cpu/", [STD, POSIX, FACADE, LIBRARIES, KERNELS, runtime("cpu", "system", "bridge"),
                       r'"kernels/platform/[a-z_]+\.hpp"']),
    (r"runtime/cuda/", [STD, POSIX, FACADE, LIBRARIES, KERNELS, runtime("cuda", "system", "bridge", "driver", "jit")]),
    # What actors are measured against is written by hand, on the driver's and NVRTC's wrappers.
    (r"apps/[a-z0-9]+/baseline/", [STD, FACADE, LOCAL, LIBRARIES, COMMON, EVIDENCE, runtime("driver", "jit")]),
    # What measures says where and when, and how sure a median is.
    (r"apps/[a-z0-9]+/bench/", [STD, POSIX, FACADE, LOCAL, LIBRARIES, COMMON, EVIDENCE, r'"tools/perdure/(samples|statistics)\.hpp"']),
    (r"apps/[a-z0-9]+/main\.cpp", [STD, POSIX, FACADE, LOCAL, LIBRARIES, COMMON, EVIDENCE]),
    (r"apps/", [STD, POSIX, FACADE, LOCAL, LIBRARIES, COMMON]),
    # Tests look at what they test; only the driver's test holds our declarations against <cuda.h>.
    (r"tests/runtime/(driver|jit)/", [STD, POSIX, FACADE, LOCAL, LIBRARIES, TESTING, CUDA, KERNELS, ABI, r'"(runtime|tests)/.*"']),
    (r"tests/corpus/", [".*"]),
    (r"tests/", [STD, POSIX, FACADE, LOCAL, LIBRARIES, TESTING, KERNELS, ABI, r'"(runtime|codegen|apps|tests|dsl|kernels)/.*"',
                 r'"[a-z_/]+\.(hpp|cuh)"', r"<(clang|llvm)/.*>"]),
    (r"tools/profile/", [STD, r"<cu(da|pti[a-z_]*)\.h>"]),  # injected by the driver into any program
    (r"tools/perdure/caf/", [STD, LOCAL, LIBRARIES, r"<caf/all\.hpp>"]),  # another library's program: nothing of ours
    (r"tools/", [STD, POSIX, FACADE, LOCAL, LIBRARIES, TESTING, KERNELS, CUDA, r'"(runtime|tools|tests|kernels)/.*"']),
]
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"][^>"]+[>"])')


def tracked():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], check=True, text=True, capture_output=True)
    source = re.compile(r"\.(hpp|cpp|cuh|cu|h|def)$|^kernels/mini_std/")
    return [f for f in listed.stdout.splitlines() if source.search(f) and not f.endswith((".md", ".txt"))]


def violations(path):
    row = next((allowed for folder, allowed in RULES if re.match(folder, path)), None)
    if row is None:
        yield f"{path}:1: this folder has no row in tools/check_includes.py"
        return
    try:
        lines = open(path, encoding="utf-8").read().splitlines()
    except FileNotFoundError:
        return  # deleted in the working tree, not yet in git
    for number, line in enumerate(lines, 1):
        found = INCLUDE.match(line)
        if found and not any(re.fullmatch(allowed, found.group(1)) for allowed in row):
            yield f"{path}:{number}: may not include {found.group(1)}"


def main():
    bad = [v for path in tracked() for v in violations(path)]
    print("\n".join(bad) if bad else "includes: every folder keeps to its row")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
