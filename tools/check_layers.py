#!/usr/bin/env python3
"""Checks every #include under tensorgrad/ against the order of the layers; --print draws them.

The tables below are the rule; docs/architecture.md shows what --print writes. Tests (*_test.cpp,
*_test_*.h) may use any layer, as a higher one often serves as their oracle.
"""
import argparse
import fnmatch
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIBRARY = "tensorgrad"

# The main line: each layer may include anything to its left, and itself.
ORDER = ["base", "ir", "kernel", "ops", "transform", "plan", "runtime"]

# What stands beside the main line: patterns of the headers that each may include besides its own.
# A leading ! takes away again.
PUBLIC_OPS = ["ops/*.h", "!ops/infer.h", "!ops/vjp.h", "!ops/lower.h", "!*_internal.h"]
BRANCHES = {
    "backend": ["base/*", "ir/*.def", "ir/opcode.h", "kernel/*"],
    "nn": ["base/*", *PUBLIC_OPS],
    "optim": ["base/*", *PUBLIC_OPS],
    "io": ["base/*", *PUBLIC_OPS],
    "data": ["base/*", *PUBLIC_OPS],
}

# Where the main line meets the branches: interfaces, and the host array that goes in and out.
INTERFACES = {
    "runtime": ["backend/backend.h", "optim/optimizer.h", "nn/module.h", "io/array.h"],
}

# Headers from outside, by the files (relative to tensorgrad/) that may include them.
OUTSIDE = {
    "hwy/*": ["backend/cpu/*"],
    "dnnl*": ["backend/cpu/*"],
    "nlohmann/*": ["*.cpp"],
    "fmt/*": ["*.cpp"],
    "png.h": ["io/*.cpp", "data/*.cpp"],
    "*intrin.h": [],
    "omp.h": [],
}
# Only one file of the library may know the operating system; what tests do is their own affair.
POSIX = ["unistd.h", "dlfcn.h", "fcntl.h", "pthread.h", "sched.h", "poll.h", "sys/*"]

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.MULTILINE)


def matches(path, patterns):
    """Whether the last pattern that fits `path` is one without a leading '!'."""
    allowed = False
    for pattern in patterns:
        if fnmatch.fnmatch(path, pattern.lstrip("!")):
            allowed = not pattern.startswith("!")
    return allowed


def is_test(path):
    name = path.rsplit("/", 1)[-1]
    return "_test." in name or "_test_" in name


def layer_of(path):
    return path.split("/", 1)[0] if "/" in path else ""


def allowed_patterns(layer):
    """Patterns of what `layer` may include from the library, its own headers included."""
    if layer in ORDER:
        left = ORDER[: ORDER.index(layer) + 1]
        return [f"{each}/*" for each in left] + INTERFACES.get(layer, [])
    if layer in BRANCHES:
        return [*BRANCHES[layer], f"{layer}/*"]
    return None


def check_own(path, target):
    """Checks the include of the library's own header `target` by `path`; returns a complaint or None."""
    layer = layer_of(path)
    if layer == "":
        return None  # the umbrella header sees everything; its closure is checked separately
    patterns = allowed_patterns(layer)
    if patterns is None:
        return f"folder '{layer}' is in no layer; add it to tools/check_layers.py"
    if target == f"{LIBRARY}.h":
        return "the umbrella header is for users"
    if not matches(target, patterns) and layer_of(target) != layer:
        return f"{layer} may not see {target}"
    if layer == "backend" and target.count("/") > 1 and path != "backend/registry.cpp":
        if target.rsplit("/", 1)[0] != path.rsplit("/", 1)[0]:
            return f"only backend/registry.cpp may name a backend, given {target}"
    return None


def check_outside(path, target):
    for pattern, users in OUTSIDE.items():
        if fnmatch.fnmatch(target, pattern) and not matches(path, users):
            where = ", ".join(users) or "no file"
            return f"<{target}> is for {where}"
    return None


def public_closure(includes):
    """Files reached from the umbrella header, through the library's own headers."""
    todo, seen = [f"{LIBRARY}.h"], set()
    while todo:
        path = todo.pop()
        if path in seen:
            continue
        seen.add(path)
        for _, target in includes.get(path, []):
            if target.startswith(f"{LIBRARY}/"):
                todo.append(target.removeprefix(f"{LIBRARY}/"))
    return seen


def read_includes(root):
    """Maps each file, relative to tensorgrad/, to its (line, target) pairs."""
    includes = {}
    for file in sorted((root / LIBRARY).rglob("*")):
        if file.suffix in (".h", ".cpp", ".def"):
            text = file.read_text(encoding="utf-8")
            includes[file.relative_to(root / LIBRARY).as_posix()] = [
                (text.count("\n", 0, match.start()) + 1, match.group(1))
                for match in INCLUDE.finditer(text)
            ]
    return includes


def check(root):
    includes = read_includes(root)
    complaints = []
    posix_users = set()
    for path, targets in includes.items():
        if is_test(path):
            continue
        for line, target in targets:
            where = f"{LIBRARY}/{path}:{line}"
            if target.startswith(f"{LIBRARY}/"):
                target = target.removeprefix(f"{LIBRARY}/")
                complaint = check_own(path, target)
                if target not in includes:
                    complaint = f"no such file: {LIBRARY}/{target}"
            else:
                complaint = check_outside(path, target)
                if matches(target, POSIX):
                    posix_users.add(path)
            if complaint:
                complaints.append(f"{where}: {complaint}")
    if len(posix_users) > 1:
        complaints.append(f"POSIX headers stand behind one file, given {', '.join(sorted(posix_users))}")
    for path in sorted(public_closure(includes)):
        for line, target in includes.get(path, []):
            if any(fnmatch.fnmatch(target, pattern) for pattern in [*OUTSIDE, *POSIX]):
                complaints.append(f"{LIBRARY}/{path}:{line}: a public header includes <{target}>")
    return len(includes), complaints


def draw():
    """The layers as text: the main line, then the branches and what they see."""
    boxes = "  <-  ".join(ORDER)
    print(boxes)
    print()
    width = max(map(len, BRANCHES))
    for branch, patterns in BRANCHES.items():
        seen = ", ".join(each for each in patterns if not each.startswith("!"))
        hidden = ", ".join(each[1:] for each in patterns if each.startswith("!"))
        print(f"{branch:{width}}  sees {seen}" + (f"; not {hidden}" if hidden else ""))
    for layer, patterns in INTERFACES.items():
        print(f"{layer:{width}}  sees of the branches only {', '.join(patterns)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--print", action="store_true", dest="draw", help="draw the layers and exit")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="another source tree")
    args = parser.parse_args()
    if args.draw:
        draw()
        return 0
    files, complaints = check(args.root)
    for complaint in complaints:
        print(complaint)
    print(f"check_layers: {files} files, {len(complaints)} complaints")
    return 1 if complaints or not files else 0


if __name__ == "__main__":
    sys.exit(main())
