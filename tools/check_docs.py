#!/usr/bin/env python3
"""Checks the links of every Markdown file: files, their headings, and paths named in backticks.

Nothing is fetched: a link to the web is only checked for its form. A path in backticks that starts
with a folder of this repository must exist too, since renames break those first.
"""
import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"!?\[[^\]]*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
REFERENCE = re.compile(r"^\[[^\]]+\]:\s*<?(\S+?)>?\s*$", re.MULTILINE)
HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*\s*$", re.MULTILINE)
FENCE = re.compile(r"^(```|~~~).*?^\1\s*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"(?:tensorgrad|test|bench|cli|docs|examples|tools|scripts|cmake)/[\w./-]+\.\w+")


def without_fences(text):
    """The text with fenced code blanked, line numbers kept."""
    return FENCE.sub(lambda match: "\n" * match.group(0).count("\n"), text)


def anchor(heading):
    """The anchor that a Markdown viewer gives a heading."""
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def anchors(path):
    """All anchors of a file; a heading that comes again gets a number."""
    found, seen = set(), {}
    for heading in HEADING.findall(without_fences(path.read_text(encoding="utf-8"))):
        name = anchor(heading)
        number = seen.get(name, 0)
        seen[name] = number + 1
        found.add(f"{name}-{number}" if number else name)
    return found


def check_link(root, file, target):
    """Returns a complaint or None."""
    if re.match(r"[a-z]+:", target):
        return None if re.match(r"(https?://[^/\s]+|mailto:\S+@\S+)", target) else f"odd link {target}"
    name, _, fragment = target.partition("#")
    path = file if not name else (root / name[1:] if name.startswith("/") else file.parent / name)
    if not path.exists():
        return f"no such file: {target}"
    if root not in path.resolve().parents and path.resolve() != root:
        return f"leads out of the repository: {target}"
    if fragment and path.suffix == ".md" and fragment not in anchors(path):
        return f"no such heading: {target}"
    return None


def check_file(root, file):
    text = without_fences(file.read_text(encoding="utf-8"))
    found = [(match.start(), check_link(root, file, match.group(1)))
             for pattern in (LINK, REFERENCE) for match in pattern.finditer(text)]
    for match in CODE.finditer(text):
        name = match.group(1)
        if PATH.fullmatch(name) and not (root / name).exists():
            found.append((match.start(), f"no such file: {name}"))
    for start, complaint in sorted((start, complaint) for start, complaint in found if complaint):
        yield f"{file.relative_to(root)}:{text.count(chr(10), 0, start) + 1}: {complaint}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="another source tree")
    root = parser.parse_args().root.resolve()
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "*.md"],
        cwd=root, check=True, capture_output=True, text=True,
    ).stdout
    files = sorted(root / name for name in listed.split("\0") if name and (root / name).is_file())
    complaints = [complaint for file in files for complaint in check_file(root, file)]
    for complaint in complaints:
        print(complaint)
    print(f"check_docs: {len(files)} files, {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
