#!/usr/bin/env python3
"""The first C++ block of README.md must be examples/readme.cpp, letter by letter."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

block = re.search(r"^```cpp\n(.*?)^```$", (ROOT / "README.md").read_text(encoding="utf-8"),
                  re.MULTILINE | re.DOTALL)
if block is None:
    sys.exit("README.md has no C++ block")
if block.group(1) != (ROOT / "examples/readme.cpp").read_text(encoding="utf-8"):
    sys.exit("the example in README.md is not examples/readme.cpp; copy the file into the page")
