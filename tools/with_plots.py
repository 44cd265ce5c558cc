# tools/with_plots.py - what draws, for the tools that make pages: by this Python, or by the one that tools/setup installs for.
# Why: another Python, without matplotlib, often stands before Debian's on PATH.
# SPDX-License-Identifier: Apache-2.0
import os
import sys


def plots_for(tool):
    """The module report_plots. Begins the tool anew where this Python has no matplotlib; if Debian's has none either, says so and ends with 2."""
    try:
        import report_plots
        return report_plots
    except ImportError as why:
        debians = "/usr/bin/python3"
        if "PERDURE_PLOTS_AGAIN" not in os.environ and os.path.exists(debians):
            os.environ["PERDURE_PLOTS_AGAIN"] = "1"
            os.execv(debians, [debians, *sys.argv])
        print(f"{tool}: {why}: install python3-matplotlib (tools/setup does)", file=sys.stderr)
        sys.exit(2)
