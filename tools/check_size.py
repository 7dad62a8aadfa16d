#!/usr/bin/env python3
"""Fails when a source file is longer than 400 lines; --list prints the longest files.

A long file is a sign that it holds two things. The exemptions below say why each is none.
"""
import argparse
import fnmatch
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMIT = 400

# pattern of a path relative to the root: reason
EXEMPT = {
    "*.def": "tables: one row per op, read by searching and not from top to bottom",
    "*_test.cpp": "tests: cases one after the other, independent of each other",
    "test/*": "tests: cases one after the other, independent of each other",
}
SUFFIXES = {".h", ".cpp", ".def", ".py", ".sh", ".cmake", ".txt"}


def source_files(root):
    """Files known to git or new and not ignored, of the kinds above."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root, check=True, capture_output=True, text=True,
    ).stdout
    paths = [pathlib.PurePosixPath(name) for name in listed.split("\0") if name]
    return [path for path in paths if path.suffix in SUFFIXES and (root / path).is_file()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true", help="print the twenty longest files")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="another source tree")
    args = parser.parse_args()
    sizes = {}
    for path in source_files(args.root):
        sizes[path] = (args.root / path).read_text(encoding="utf-8").count("\n")
    if args.list:
        for path in sorted(sizes, key=sizes.get, reverse=True)[:20]:
            print(f"{sizes[path]:6} {path}")
    too_long = 0
    for path, lines in sorted(sizes.items()):
        if lines > LIMIT and not any(fnmatch.fnmatch(str(path), each) for each in EXEMPT):
            print(f"{path}: {lines} lines, at most {LIMIT}")
            too_long += 1
    print(f"check_size: {len(sizes)} files, {sum(sizes.values())} lines, {too_long} too long")
    return 1 if too_long or not sizes else 0


if __name__ == "__main__":
    sys.exit(main())
