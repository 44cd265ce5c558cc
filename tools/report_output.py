# tools/report_output.py - writes the page of tools/report and tools/roofline.
# Why: a page is renamed into place, and a rename would put a plain file where a FIFO or a device such as /dev/null was.
# Invariant: the file is written whole or left as it was.
# SPDX-License-Identifier: Apache-2.0
import contextlib
import os

from report_input import BadInput


def write_whole(to, text):
    """@throws BadInput  if `to` cannot be written, or is there and is no regular file, as apps/common/output_file.cpp has it."""
    try:
        if to.exists() and not to.is_file():
            raise BadInput(f"{to}: is not a regular file")
        to = to.resolve()  # where a link leads
        beside = to.with_name(f"{to.name}.{os.getpid()}.part")
        try:
            beside.write_text(text, encoding="utf-8")
            beside.replace(to)
        except OSError:
            with contextlib.suppress(OSError):
                beside.unlink()
            raise
    except OSError as why:
        raise BadInput(f"{to}: cannot be written: {why.strerror}") from why
