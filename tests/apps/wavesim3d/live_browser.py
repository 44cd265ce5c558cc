#!/usr/bin/env python3
# tests/apps/wavesim3d/live_browser.py - the live view in headless Chromium: a click drops an impulse, and it is seen.
# Why: only a browser shows whether the page works; the click is the browser's own (DevTools protocol), not the script's.
# Usage: live_browser.py WAVESIM3D SCREENSHOT.png; exit code 77: there is no Chromium or no python3-websocket.
# SPDX-License-Identifier: Apache-2.0
import base64
import json
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

try:
    import websocket
except ImportError:
    print("skipped: python3-websocket is not installed")
    sys.exit(77)

SCENE = {
    "cells": [96, 80, 32], "steps": 1, "spacing_m": 0.01, "faces": {"all": "mur", "down": "reflecting"},
    "materials": [{"name": "wall", "kind": "rigid"}],
    "bodies": [{"shape": "box", "from": [60, 0, 0], "to": [63, 50, 31], "material": "wall"}],
    "receivers": [{"name": "ear", "at": [20, 60, 16]}],
}
# what the environment calls a proxy does not know this machine's loopback
local = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class browser:
    """One page of a headless Chromium."""

    def __init__(self, program, url, profile):
        self.socket = None
        self.number = 0
        log = profile + ".log"  # a file: a pipe that nobody reads would fill and stop it
        with open(log, "w") as errors:
            self.process = subprocess.Popen(
                [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-port=0",
                 "--remote-allow-origins=*", "--window-size=1200,820", f"--user-data-dir={profile}", url],
                stdout=subprocess.DEVNULL, stderr=errors)
        try:
            self.socket = websocket.create_connection(self.page_of(log), timeout=60, http_no_proxy=["127.0.0.1"])
        except BaseException:
            self.close()
            raise

    def page_of(self, log, seconds=60):
        """Address of the page for DevTools, once Chromium listens and has it."""
        end = time.time() + seconds
        while time.time() < end:
            time.sleep(0.05)
            said = open(log, errors="replace").read()
            if self.process.poll() is not None:
                raise RuntimeError(f"Chromium ended with {self.process.returncode}: {said}")
            found = re.search(r"DevTools listening on ws://127.0.0.1:(\d+)/", said)
            if not found:
                continue
            for target in json.load(local.open(f"http://127.0.0.1:{found.group(1)}/json", timeout=60)):
                if target["type"] == "page" and "webSocketDebuggerUrl" in target:
                    return target["webSocketDebuggerUrl"]
        raise RuntimeError(f"Chromium has no page after {seconds} s: {said}")

    def call(self, method, **parameters):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                return answer["result"]

    def value(self, expression):
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def wait_for(self, expression, seconds=60):
        end = time.time() + seconds
        while time.time() < end:
            if self.value(expression):
                return
            time.sleep(0.05)
        raise AssertionError(f"did not become true: {expression}; the page says: {self.value('document.body.innerText')}")

    def click(self, x, y, modifiers=0):
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1, modifiers=modifiers)

    def close(self):
        if self.socket is not None:
            self.socket.close()
        self.process.terminate()
        try:
            self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def traces_have_axes(page):
    """What is written on the canvas, word by word; lines beyond the sixth look like no other."""
    page.value("""{
      window.written = [];
      const prototype = CanvasRenderingContext2D.prototype, write = prototype.fillText;
      prototype.fillText = function(...all) { window.written.push(String(all[0])); return write.apply(this, all); };
    }""")
    page.wait_for("written.includes('t (ms)') && written.includes('p (Pa)') && written.includes('0')")
    page.wait_for("new Set(written.filter(w => w !== '0' && !isNaN(w))).size >= 5")  # numbers on both axes
    assert page.value("ticks(-1.05, 1.05, 5).map(t => t.toFixed(1)).join()") == "-1.0,-0.5,0.0,0.5,1.0"
    assert page.value("ticks(71.3, 80.1, 5).join()") == "72,74,76,78,80"
    assert page.value("new Set([...Array(50).keys()].map(lineColour)).size") == 50


def check(page):
    page.wait_for("typeof shown !== 'undefined' && shown && shown.step > 0")
    assert page.value("shown.peak_pa") == 0, "nothing sounds before the click"
    box = page.value("JSON.parse(JSON.stringify($('field').getBoundingClientRect()))")
    at = lambda fx, fy: (box["x"] + fx * box["width"], box["y"] + fy * box["height"])
    page.click(*at(0.25, 0.5))
    page.wait_for("shown.peak_pa > 0")  # seen in the frames that follow
    page.wait_for("shown.traces[0].some(v => v !== 0)")
    traces_have_axes(page)
    page.click(*at(0.5, 0.25), modifiers=8)  # with shift: the receiver goes there
    page.wait_for("shown.receivers[0].at.join() === '48,60,16'")
    page.value("$('pause').click()")
    page.wait_for("shown.paused")
    step = page.value("shown.step")
    page.value("($('axis').value = 1, $('axis').dispatchEvent(new Event('change')))")
    page.wait_for("shown.axis === 1 && shown.index === 40 && shown.height === 32")
    page.value("($('index').value = 10, $('index').dispatchEvent(new Event('input')))")
    page.wait_for("shown.index === 10")
    assert page.value("shown.step") == step, "it rests while it is paused"
    page.value("($('axis').value = 2, $('axis').dispatchEvent(new Event('change')))")
    page.wait_for("shown.axis === 2")
    page.click(*at(0.25, 0.5))
    page.value("$('pause').click()")
    page.wait_for(f"shown.step > {step} + 70")  # the new pulse spreads
    page.value("$('pause').click()")
    page.wait_for("shown.paused")
    page.value("($('damping').value = 500, $('damping').dispatchEvent(new Event('change')))")
    page.wait_for("shown.damping_per_s === 500")
    return page.call("Page.captureScreenshot", format="png")["data"]


def refuses_strangers(port):
    request = urllib.request.Request(f"http://127.0.0.1:{port}/frame", headers={"Host": "elsewhere.example"})
    try:
        local.open(request, timeout=60)
        raise AssertionError("it answered to another host's name")
    except urllib.error.HTTPError as e:
        assert e.code == 403
    try:
        local.open(f"http://127.0.0.1:{port}/order", data=b"{}", timeout=60)
        raise AssertionError("it took an order that is no JSON")
    except urllib.error.HTTPError as e:
        assert e.code == 415


def posted(port, order):
    request = urllib.request.Request(f"http://127.0.0.1:{port}/order", data=order.encode(),
                                     headers={"Content-Type": "application/json"})
    return local.open(request, timeout=60).read()


def frame(port):
    head = local.open(f"http://127.0.0.1:{port}/frame", timeout=60).read().split(b"\n", 1)[0]
    return json.loads(head)


def outlives_malformed_orders(port):
    """Each is refused by a sentence with the word; the program still steps after the last."""
    for order, word in (
            ('{"receiver":{"which":9,"at":[1,1,1]}}', "receiver.which is 9"),
            ('{"receiver":{"which":1,"at":[1,1,1]}}', "receiver.which is 1"),
            ('{"receiver":{"which":-1,"at":[1,1,1]}}', "receiver.which is -1"),
            ('{"receiver":{"which":"ear","at":[1,1,1]}}', "receiver.which is \"ear\""),
            ('{"receiver":{"which":0,"at":[1,1]}}', "array index 2"),
            ('{"receiver":{"which":0,"at":[1,1,32]}}', "outside the grid"),
            ('{"receiver":{"at":[1,1,1]}}', "which"),
            ('{"receiver":7}', "number"),
            ('{"drop":[-1,0,0]}', "outside the grid"),
            ('{"drop":[61,1,1]}', "obstacle"),
            ('{"receiver":{"which":0,"at":[61,1,1]}}', "obstacle"),
            ('{"drop":null}', "null"),
            ('{"slice":{"axis":"z","index":1}}', 'slice.axis is "z"'),
            ('{"slice":{"axis":99,"index":1}}', "slice.axis is 99; expected a whole number from 0 to 2"),
            ('{"slice":{"axis":4294967296,"index":1}}', "slice.axis is 4294967296"),
            ('{"slice":{"axis":-1,"index":1}}', "slice.axis is -1"),
            ('{"slice":{"axis":2,"index":32}}', "slice.index is 32; expected a whole number from 0 to 31"),
            ('{"damping_per_s":-1}', "damping_per_s is -1; expected a number from 0 to 1e12"),
            ('{"damping_per_s":1e13}', "expected a number from 0 to 1e12"),
            ('{"pause":1}', "number"),
            ('{"damping_per_s":[]}', "array")):
        posted(port, order)
        end = time.time() + 60
        while word not in (said := frame(port)["said"]):
            assert time.time() < end, f"{order}: {word!r} is not in what it says: {said!r}"
            time.sleep(0.01)
        posted(port, '{"pause":false}')  # clears what was said
        while frame(port)["said"]:
            assert time.time() < end, f"{order}: {said!r} stays"
            time.sleep(0.01)
    for order, word in (
            ("", "JSON object"), ("[]", "JSON object"), ("9", "JSON object"), ("{", "JSON object"),
            ('{"damping_per_s":1e999}', "JSON object"), ("{}", "one of damping_per_s, drop"),
            ('{"sing":1}', 'unknown order "sing"; known are damping_per_s, drop, pause, receiver, slice'),
            ('{"pause":true,"sing":1}', 'unknown order "sing"'),
            ('{"receiver":{"which":0,"at":[1,1,1],"to":3}}', 'unknown key "to" of the order "receiver"')):
        try:
            posted(port, order)
            raise AssertionError(f"it took {order!r}")
        except urllib.error.HTTPError as e:
            said = e.read().decode()
            assert e.code == 400 and word in said, (order, e.code, said)
    step = frame(port)["step"]
    end = time.time() + 60
    while frame(port)["step"] <= step:
        assert time.time() < end, "it does not step any more"
        time.sleep(0.01)
    assert frame(port)["receivers"][0]["at"] == SCENE["receivers"][0]["at"]


def main():
    program, screenshot = sys.argv[1:3]
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        print("skipped: no chromium")
        return 77
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # Chromium may still write there
        scene = folder + "/live.json"
        json.dump(SCENE, open(scene, "w"))
        served = subprocess.Popen([program, scene, "--backend", "cpu", "--serve", "0"], stdout=subprocess.PIPE, text=True)
        try:
            port = re.search(r"127\.0\.0\.1:(\d+)/", served.stdout.readline()).group(1)
            taken = subprocess.run([program, scene, "--backend", "cpu", "--serve", port], capture_output=True, text=True)
            assert taken.returncode == 1 and f"port {port} of 127.0.0.1" in taken.stderr, taken.stderr
            refuses_strangers(port)
            outlives_malformed_orders(port)
            page = browser(chromium, f"http://127.0.0.1:{port}/", folder + "/profile")
            try:
                image = check(page)
            finally:
                page.close()
            open(screenshot, "wb").write(base64.b64decode(image))
        finally:
            served.send_signal(signal.SIGINT)
            code = served.wait(timeout=60)
        assert code == 0, f"ended by SIGINT with {code}"
    print("a click was seen; the page is in", screenshot)
    return 0


if __name__ == "__main__":
    sys.exit(main())
