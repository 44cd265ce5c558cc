# tools/report_input.py - reads the reports of a folder and refuses what is not as it must be, by file and field.
# Why: a page made of half-understood numbers is worse than none.
# Invariant: what read_folder() gives can be drawn and written: it has each field that the page asks for, of its kind.
# SPDX-License-Identifier: Apache-2.0
import json

LARGEST = 1e100  # of a number: whatever is measured is less, and what is worked out from it is finite
DEEPEST = 50  # of objects and lists in each other


class BadInput(Exception):
    pass


def fail(path, field, why):
    raise BadInput(f"{path}: field '{field}': {why}")


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= LARGEST


def is_text(value):
    """Half of a surrogate pair, which JSON can escape, is a character that no file can hold."""
    return isinstance(value, str) and not any("\ud800" <= c <= "\udfff" for c in value)


def expect_sound(path, value, field="", depth=0):
    """Holds for each value, whatever it is for, so that nothing that is only shown stops the page half-way."""
    if depth > DEEPEST:
        raise BadInput(f"{path}: not JSON of ours: nested too deeply")
    if isinstance(value, str) and not is_text(value):
        fail(path, field, "not a text: holds half of a surrogate pair")
    if isinstance(value, (int, float)) and not abs(value) <= LARGEST:
        fail(path, field, f"not a number of at most {LARGEST:g}")
    if isinstance(value, list):
        for i, one in enumerate(value):
            expect_sound(path, one, f"{field}[{i}]", depth + 1)
    if isinstance(value, dict):
        for key, one in value.items():
            inner = f"{field}.{key}" if field else key
            expect_sound(path, key, inner)
            expect_sound(path, one, inner, depth + 1)


def need(path, holder, prefix, key, kind, name):
    """The value of a field that must be there and of a kind."""
    field = f"{prefix}{key}"
    if key not in holder:
        fail(path, field, "missing")
    if not isinstance(holder[key], kind) or (kind is int and isinstance(holder[key], bool)):
        fail(path, field, f"not {name}")
    return holder[key]


def need_numbers(path, field, values, least=1):
    if not isinstance(values, list) or len(values) < least or not all(is_number(v) for v in values):
        fail(path, field, f"not a list of {least} or more numbers" if least else "not a list of numbers")
    return values


def need_pair(path, field, values):
    if len(need_numbers(path, field, values, 2)) != 2:
        fail(path, field, "not two numbers")


def check_figure(path, field, figure):
    """A figure is {median, min, max, spread, samples, ...}, or {skipped: why}; other objects are left alone."""
    if not isinstance(figure, dict) or ("median" not in figure and "samples" not in figure):
        if isinstance(figure, dict) and not isinstance(figure.get("skipped", ""), str):
            fail(path, f"{field}.skipped", "not a text")
        return
    for key in ("median", "min", "max", "spread"):
        if key not in figure:
            fail(path, f"{field}.{key}", "missing")
        if not is_number(figure[key]):
            fail(path, f"{field}.{key}", "not a number")
    need_numbers(path, f"{field}.samples", figure.get("samples"))
    if "interval95" in figure:
        need_pair(path, f"{field}.interval95", figure["interval95"])


def check_comparison(path, field, one, report):
    if not isinstance(one, dict):
        fail(path, field, "not an object")
    need(path, one, f"{field}.", "result", str, "a text")
    need(path, one, f"{field}.", "baseline", str, "a text")
    if "ratio" not in one:
        if not isinstance(one.get("skipped"), str) or "verdict" in one:
            fail(path, f"{field}.ratio", "missing")
        return
    if "median" not in report["baselines"].get(one["baseline"], {}):
        fail(path, f"{field}.baseline", "names no baseline of this report")
    for key in ("ratio", "cliffs_delta"):
        if not is_number(one.get(key)):
            fail(path, f"{field}.{key}", "not a number")
    need_pair(path, f"{field}.ratio_interval95", one.get("ratio_interval95"))
    if one.get("verdict") not in ("better", "worse", "neither"):
        fail(path, f"{field}.verdict", "not better, worse or neither")


def allow_texts(path, field, holder, *keys):
    for key in keys:
        if not isinstance(holder.get(key, ""), str):
            fail(path, f"{field}.{key}", "not a text")


def check_matrix(path, field, matrix):
    if not isinstance(matrix, dict):
        fail(path, field, "not an object")
    rows = need(path, matrix, f"{field}.", "rows", list, "a list")
    columns = need(path, matrix, f"{field}.", "columns", list, "a list")
    values = need(path, matrix, f"{field}.", "values", list, "a list")
    if not rows:
        fail(path, f"{field}.rows", "names none")
    if len(values) != len(rows):
        fail(path, f"{field}.values", "not as many rows as named")
    for row in values:
        if len(need_numbers(path, f"{field}.values", row)) != len(columns):
            fail(path, f"{field}.values", "not as many columns as named")
    if not isinstance(matrix.get("axes", {}), dict):
        fail(path, f"{field}.axes", "not an object")
    allow_texts(path, f"{field}.axes", matrix.get("axes", {}), "to worker", "from worker")
    allow_texts(path, field, matrix, "unit")


def check_plots(path, report):
    for label, values in report.get("distributions", {}).items():
        need_numbers(path, f"distributions.{label}", values)
    for name, matrix in report.get("matrices", {}).items():
        check_matrix(path, f"matrices.{name}", matrix)
    for title, curve in report.get("curves", {}).items():
        if not isinstance(curve, dict):
            fail(path, f"curves.{title}", "not an object")
        allow_texts(path, f"curves.{title}", curve, "x", "y")
        for label, points in need(path, curve, f"curves.{title}.", "lines", dict, "an object").items():
            if not isinstance(points, list) or not points:
                fail(path, f"curves.{title}.lines.{label}", "not a list of points")
            for point in points:
                if len(need_numbers(path, f"curves.{title}.lines.{label}", point, 2)) != 2 or min(point) <= 0:
                    fail(path, f"curves.{title}.lines.{label}", "not pairs of numbers over 0")
    for mode, series in report.get("windows", {}).items():
        if not isinstance(series, dict):
            fail(path, f"windows.{mode}", "not an object")
        need_numbers(path, f"windows.{mode}.messages_per_s", series.get("messages_per_s"))
        for key in ("seconds", "power_watts", "celsius", "sm_mhz"):
            need_numbers(path, f"windows.{mode}.{key}", series.get(key, []), 0)


def check_texts(path, field, values):
    if not isinstance(values, list) or not all(isinstance(one, str) for one in values):
        fail(path, field, "not a list of texts")


def check_machine(path, report):
    """What is said of who ran it where; each of it may be missing."""
    if not isinstance(report.get("layout", {}), dict):
        fail(path, "layout", "not an object")
    device = report.get("device")
    if device is None:  # of a machine whose NVML says nothing
        device = {}
    if not isinstance(device, dict):
        fail(path, "device", "not an object")
    for when in ("under_load", "now"):
        state = device.get(when)
        if not isinstance(state, (dict, type(None))):
            fail(path, f"device.{when}", "not an object")
        for key in ("sm_mhz", "power_watts", "celsius"):
            if state and key in state and not is_number(state[key]):
                fail(path, f"device.{when}.{key}", "not a number")
    check_texts(path, "command", report.get("command", []))


def check_report(path, report):
    expect_sound(path, report)
    need(path, report, "", "name", str, "a text")
    check_machine(path, report)
    for key in ("results", "answers"):
        need(path, report, "", key, dict, "an object")
    for key, empty in (("baselines", {}), ("comparisons", [])):
        report.setdefault(key, empty)
        need(path, report, "", key, type(empty), "an object" if empty == {} else "a list")
    for group in ("results", "baselines"):
        for name, figure in report[group].items():
            check_figure(path, f"{group}.{name}", figure)
        report[group] = {k: v for k, v in report[group].items() if isinstance(v, dict)}
    for i, one in enumerate(report["comparisons"]):
        check_comparison(path, f"comparisons[{i}]", one, report)
    for key in ("distributions", "matrices", "windows", "curves"):
        if not isinstance(report.get(key, {}), dict):
            fail(path, key, "not an object")
    check_plots(path, report)


def whole_number(digits):
    """Python itself refuses some thousands of digits, without a word of where they stand; so these are judged as a float."""
    return int(digits) if len(digits) < 200 else float(digits)


def read_json(path):
    try:
        return json.loads(path.read_text(encoding="utf-8"), parse_int=whole_number)
    except OSError as why:
        raise BadInput(f"{path}: cannot be read: {why.strerror}") from why
    except ValueError as why:
        raise BadInput(f"{path}: not JSON: {why}") from why
    except RecursionError as why:
        raise BadInput(f"{path}: not JSON of ours: nested too deeply") from why


def check_whole(path, whole):
    expect_sound(path, whole)
    for i, one in enumerate(need(path, whole, "", "benchmarks", list, "a list")):
        if not isinstance(one, dict):
            fail(path, f"benchmarks[{i}]", "not an object")
        for key in ("name", "code", "late", "failed", "end_of_output"):
            if key not in one:
                fail(path, f"benchmarks[{i}].{key}", "missing")
            if key in ("name", "end_of_output") and not isinstance(one[key], str):
                fail(path, f"benchmarks[{i}].{key}", "not a text")


def read_folder(folder):
    """@return the reports, each with its file's name as `file`; what `bench all` said; names of other JSON files."""
    if not folder.is_dir():
        raise BadInput(f"{folder}: no such folder")
    reports, whole, others = [], None, []
    for path in sorted(folder.glob("*.json")):
        if not is_text(path.name):
            raise BadInput(f"{path}: not a name in UTF-8")
        if not path.is_file():  # who opens a pipe waits for a writer
            raise BadInput(f"{path}: is not a regular file")
        report = read_json(path)
        if not isinstance(report, dict) or "perdure_bench" not in report:
            others.append(path.name)
        elif report["perdure_bench"] != 1:
            fail(path, "perdure_bench", "not 1: another version wrote this")
        elif report.get("name") == "all":
            check_whole(path, report)
            whole = report
        else:
            check_report(path, report)
            report["file"] = path.stem
            reports.append(report)
    if not reports:
        raise BadInput(f"{folder}: holds no report of perdure bench (*.json)")
    return reports, whole, others


def read_wanted(path):
    """What each figure should reach: {file: {figure: {must, stretch, times, over}}}: a number, or so many times the best
    baseline with a word in its name."""
    wanted = read_json(path)
    expect_sound(path, wanted)
    if not isinstance(wanted, dict):
        raise BadInput(f"{path}: not an object")
    for file, figures in wanted.items():
        if not isinstance(figures, dict):
            fail(path, file, "not an object")
        for name, wish in figures.items():
            if not isinstance(wish, dict):
                fail(path, f"{file}.{name}", "not an object")
            if "must" not in wish and "times" not in wish:
                fail(path, f"{file}.{name}.must", "missing, and no 'times'")
            for key in ("must", "times"):
                if key in wish and not is_number(wish[key]):
                    fail(path, f"{file}.{name}.{key}", "not a number")
            if "times" in wish and not isinstance(wish.get("over"), str):
                fail(path, f"{file}.{name}.over", "names no baseline")
    return wanted
