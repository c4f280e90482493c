# Copyright (c) 2026 the Bluebonnet project authors
# SPDX-License-Identifier: Apache-2.0
"""What every measurement needs besides its subject: the machine's name, the counter of allocations, the page to write to."""

import os
import pathlib
import platform
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parent / "Documentation" / "Benchmarks.md"


def machine():
    text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8") if pathlib.Path("/proc/cpuinfo").exists() else ""
    model = re.search(r"model name\s*: (.*)", text)
    swift = subprocess.run(["swift", "--version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    version = re.search(r"Swift version ([\d.]+)", swift)
    return (f"{os.cpu_count()} cores ({model.group(1) if model else platform.machine()}), "
            f"Linux {platform.release().split('-')[0]}, Swift {version.group(1) if version else '?'}")


def allocation_counter(folder):
    """Builds the library that counts allocations when it is preloaded; its path."""
    library = folder / "malloc-count.so"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", str(library), str(HERE / "malloc-count.c")], check=True)
    return library


def write_section(text):
    """Puts a section into the page, in the place of an earlier one with the same heading or at the end."""
    heading = text.splitlines()[0]
    old = PAGE.read_text(encoding="utf-8")
    before, found, after = old.partition(f"\n{heading}\n")
    rest = re.search(r"\n## .*", after, re.DOTALL) if found else None
    PAGE.write_text(before.rstrip("\n") + "\n\n" + text + (rest.group(0) if rest else ""), encoding="utf-8")
