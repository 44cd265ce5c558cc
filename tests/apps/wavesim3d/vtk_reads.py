#!/usr/bin/env python3
# tests/apps/wavesim3d/vtk_reads.py - VTK's own reader opens the .vti files and finds the receivers' samples and the materials.
# Why: only VTK says what is VTK ImageData; our own reader would make the same mistakes as our writer.
# Usage: vtk_reads.py WAVESIM3D; exit code 77: there is no python3-vtk9.
# SPDX-License-Identifier: Apache-2.0
import csv
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile

try:
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOXML import vtkXMLImageDataReader
except ImportError as missing:
    print(f"skipped: python3-vtk9 is not installed ({missing})")
    sys.exit(77)

CELLS = [40, 33, 17]  # tiles that are cut off, and no two axes alike
SCENE = {
    "cells": CELLS, "steps": 120, "spacing_m": 0.02, "vti_every": 40, "faces": {"all": "mur", "down": "reflecting"},
    "materials": [{"name": "sand", "speed_m_s": 200}, {"name": "wall", "kind": "rigid"}],
    "bodies": [{"shape": "box", "from": [0, 0, 0], "to": [39, 32, 5], "material": "sand"},
               {"shape": "box", "from": [30, 2, 3], "to": [31, 20, 16], "material": "wall"}],
    "sources": [{"kind": "ricker", "at": [12, 9, 8], "frequency_hz": 1500, "amplitude_pa": 1}],
    "receivers": [{"name": f"r{i}", "at": at} for i, at in
                  enumerate([[0, 0, 0], [39, 32, 16], [13, 9, 8], [12, 20, 3], [36, 5, 15], [20, 30, 1]])],
}


def as_float32(text):
    return struct.unpack("f", struct.pack("f", float(text)))[0]


def check(what, got, expected):
    if got != expected:
        sys.exit(f"vtk_reads.py: {what}: {got!r} where {expected!r} was expected")


def image_of(path):
    reader = vtkXMLImageDataReader()
    check(f"{path.name}: CanReadFile", reader.CanReadFile(str(path)), 1)
    errors = []
    reader.AddObserver("ErrorEvent", lambda *_: errors.append("error"))
    reader.SetFileName(str(path))
    reader.Update()
    check(f"{path.name}: errors", errors, [])
    return reader.GetOutput()


def material_at(cell):
    number = 0
    for body in SCENE["bodies"]:
        if all(low <= c <= high for low, c, high in zip(body["from"], cell, body["to"])):
            number = 1 + [m["name"] for m in SCENE["materials"]].index(body["material"])
    return number


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder)
        (out / "scene.json").write_text(json.dumps(SCENE))
        subprocess.run([program, out / "scene.json", "--backend", "cpu", "--out", out / "run", "--quiet", "--no-animation"],
                       check=True)
        with open(out / "run" / "traces.csv") as file:
            rows = list(csv.DictReader(file))
        files = sorted((out / "run").glob("*.vti"))
        check("files", len(files), SCENE["steps"] // SCENE["vti_every"])
        largest = 0
        for path, step in zip(files, range(SCENE["vti_every"], SCENE["steps"] + 1, SCENE["vti_every"])):
            image = image_of(path)
            check("dimensions", list(image.GetDimensions()), CELLS)
            check("spacing", [round(s, 12) for s in image.GetSpacing()], [SCENE["spacing_m"]] * 3)
            check("origin", [round(o, 12) for o in image.GetOrigin()], [SCENE["spacing_m"] / 2] * 3)
            seconds = vtk_to_numpy(image.GetFieldData().GetArray("TimeValue"))[0]
            if not math.isclose(seconds, float(rows[step - 1]["time_s"]), rel_tol=1e-8):
                sys.exit(f"vtk_reads.py: TimeValue: {seconds} at step {step}")
            pressure = vtk_to_numpy(image.GetPointData().GetArray("pressure_pa"))
            check("values", pressure.shape, (CELLS[0] * CELLS[1] * CELLS[2],))
            for receiver in SCENE["receivers"]:
                point = image.ComputePointId(receiver["at"])
                check(f"step {step}, {receiver['name']}", float(pressure[point]), as_float32(rows[step - 1][receiver["name"]]))
            largest = max(largest, float(abs(pressure).max()))
            material = vtk_to_numpy(image.GetPointData().GetArray("material"))
            for z in range(CELLS[2]):
                for y in range(CELLS[1]):
                    for x in range(CELLS[0]):
                        check(f"material at {x}, {y}, {z}", int(material[image.ComputePointId([x, y, z])]), material_at([x, y, z]))
        if largest < 1e-3:
            sys.exit("vtk_reads.py: nothing moved")
    print(f"VTK reads {len(files)} files; the largest pressure is {largest:.3g} Pa")


main()
