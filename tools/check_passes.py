#!/usr/bin/env python3
"""Compares docs/architecture.md with what the programs print; --update writes it anew.

Blocks fenced as `passes` hold the sections ("== name") of tools/show_passes.cpp in their order, the
block fenced as `layers` what check_layers.py --print draws.
"""
import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "architecture.md"
BLOCK = re.compile(r"^```(passes|layers)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SECTION = re.compile(r"^== ", re.MULTILINE)


def sections(text):
    """The sections of a text, each with its heading, without blank lines at the end."""
    return ["== " + each.rstrip() + "\n" for each in SECTION.split(text)[1:]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True, help="the built show_passes")
    parser.add_argument("--update", action="store_true", help="write the page instead of comparing")
    args = parser.parse_args()
    printed = sections(
        subprocess.run([args.program], check=True, capture_output=True, text=True).stderr)
    layers = subprocess.run(
        [sys.executable, ROOT / "tools" / "check_layers.py", "--print"],
        check=True, capture_output=True, text=True).stdout
    names = [each.split("\n", 1)[0] for each in printed]
    position = 0

    def block(match):
        nonlocal position
        if match.group(1) == "layers":
            return f"```layers\n{layers}```"
        count = len(sections(match.group(2)))
        mine = printed[position:position + count]
        position += count
        return "```passes\n" + "\n".join(mine) + "```"

    page = PAGE.read_text(encoding="utf-8")
    shown = [each.split("\n", 1)[0] for match in BLOCK.finditer(page) if match.group(1) == "passes"
             for each in sections(match.group(2))]
    current = BLOCK.sub(block, page)
    if shown != names:
        print(f"{PAGE.relative_to(ROOT)} shows the passes {shown}, the program prints {names}")
        return 1
    if args.update:
        PAGE.write_text(current, encoding="utf-8")
    elif current != page:
        print(f"{PAGE.relative_to(ROOT)} is not current; tools/check_passes.py --program "
              f"{args.program} --update writes it")
        return 1
    print(f"check_passes: {len(names)} sections are current")
    return 0


if __name__ == "__main__":
    sys.exit(main())
