# tools/report_plots.py - the plots of tools/report, each as SVG text to be put into the page.
# SPDX-License-Identifier: Apache-2.0
import io

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.fonttype": "none", "font.size": 10, "axes.spines.top": False, "axes.spines.right": False,
                            "text.parse_math": False})  # a name from a report may hold a $
import matplotlib.pyplot as plt  # noqa: E402  the backend is chosen first


def svg_of(figure, salt):
    """SVG without its XML head. The salt keeps the names inside one plot from meeting those of another."""
    matplotlib.rcParams["svg.hashsalt"] = salt
    text = io.StringIO()
    figure.savefig(text, format="svg", bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)
    svg = text.getvalue()
    return svg[svg.index("<svg"):]


def latencies(report):
    """How the samples of a latency lie: the share that took no longer."""
    figure, axes = plt.subplots(figsize=(8, 3.6))
    for label, values in report["distributions"].items():
        ordered = sorted(values)
        axes.plot(ordered, [(i + 1) / len(ordered) for i in range(len(ordered))], label=f"{label} ({len(ordered)})")
    axes.set(xscale="log", xlabel="microseconds", ylabel="share that took no longer", ylim=(0, 1.01))
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    return figure


def rates(report):
    """Every rate beside its baselines."""
    bars = [(name, f) for name, f in sorted(report["results"].items()) if name.endswith("_per_s") and "median" in f]
    beside = [("baseline: " + name, f) for name, f in sorted(report["baselines"].items())
              if name.endswith("_per_s") and "median" in f]
    every = bars + beside
    if not every:
        return None
    figure, axes = plt.subplots(figsize=(8, 0.6 + 0.36 * len(every)))
    for place, (name, f) in enumerate(every):
        low, high = f.get("interval95", [f["min"], f["max"]])
        reach = [[max(0, f["median"] - low)], [max(0, high - f["median"])]]
        axes.barh(place, f["median"], color="#1f77b4" if place < len(bars) else "#bbbbbb", xerr=reach, ecolor="#333333")
    axes.set_yticks(range(len(every)), [name for name, _ in every])
    axes.invert_yaxis()
    axes.set_xlabel("messages a second, median and its 95 % interval")
    return figure


def heat_map(matrix):
    figure, axes = plt.subplots(figsize=(6.5, 5.5))
    values = [[float(value) for value in row] for row in matrix["values"]]  # whole numbers may be too long for NumPy's
    shown = axes.pcolor(values, cmap="viridis")  # squares, not a picture: the page stays text
    axes.invert_yaxis()
    for axis, names, title in ((axes.xaxis, matrix["columns"], "to worker"), (axes.yaxis, matrix["rows"], "from worker")):
        axis.set_ticks([0.5 + i for i in range(len(names))], [str(n) for n in names])
        axis.set_label_text(matrix.get("axes", {}).get(title, title))
    axes.tick_params(axis="x", labelrotation=90)
    figure.colorbar(shown, label=matrix.get("unit", "us")).solids.set_rasterized(False)
    return figure


def curves(curve):
    """One line a label over what it depends on, both by powers of ten."""
    figure, axes = plt.subplots(figsize=(8, 4))
    for label, points in curve["lines"].items():
        axes.plot(*zip(*sorted(points)), marker="o", label=label)
    axes.set(xscale="log", yscale="log", xlabel=curve.get("x", ""), ylabel=curve.get("y", ""))
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    return figure


def sustained(series):
    """Rates of the windows and, where they were seen, power and temperature."""
    extra = [key for key in ("power_watts", "celsius", "sm_mhz") if series.get(key)]
    figure, all_axes = plt.subplots(1 + len(extra), 1, figsize=(8, 2.6 + 1.5 * len(extra)), sharex=True, squeeze=False)
    times = series.get("seconds") or list(range(1, 1 + len(series["messages_per_s"])))
    for axes, key in zip(all_axes[:, 0], ["messages_per_s"] + extra):
        values = series[key]
        axes.plot(times[:len(values)], values[:len(times)], marker=".", linewidth=1)
        axes.set_ylabel(key)
        axes.grid(alpha=0.3)
    all_axes[0, 0].set_ylim(bottom=0)
    all_axes[-1, 0].set_xlabel("seconds")
    return figure


def all_plots(reports):
    """@return (title, svg) of every plot that the reports have numbers for."""
    made = []

    def add(title, figure):
        if figure is not None:
            made.append((title, svg_of(figure, title)))

    for report in reports:
        name = report["file"]
        if report.get("distributions"):
            add(f"{name}: latencies", latencies(report))
        add(f"{name}: rates", rates(report))
        for label, matrix in report.get("matrices", {}).items():
            add(f"{name}: {label}", heat_map(matrix))
        for label, curve in report.get("curves", {}).items():
            add(f"{name}: {label}", curves(curve))
        for mode, series in report.get("windows", {}).items():
            add(f"{name}: windows, {mode}", sustained(series))
    return made
