#!/usr/bin/env python3
"""Counts the results in ctest's JUnit files and prints 'N passed, N failed' as last line.

Usage: count_tests.py FILE... [--more-passed N] [--more-failed N]
A file that is missing, unreadable or without a test counts as one failure. Exit code 1 on failures.
"""
import argparse
import sys
import xml.etree.ElementTree as xml


def count(path):
    """Returns (passed, names of failed tests, skipped) of one file."""
    try:
        cases = list(xml.parse(path).getroot().iter("testcase"))
    except (OSError, xml.ParseError) as error:
        return 0, [f"no results ({error})"], 0
    if not cases:
        return 0, ["no tests"], 0
    passed, failed, skipped = 0, [], 0
    for case in cases:
        skip = case.find("skipped")
        # A test whose program is missing is reported as skipped too: that one is a failure.
        if case.get("status") == "disabled" or (
            skip is not None and skip.get("message", "").startswith("SKIP_")
        ):
            skipped += 1
        elif case.get("status") == "run" and case.find("failure") is None:
            passed += 1
        else:
            failed.append(case.get("name"))
    return passed, failed, skipped


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="*")
    parser.add_argument("--more-passed", type=int, default=0)
    parser.add_argument("--more-failed", type=int, default=0)
    args = parser.parse_args()
    passed, failed = args.more_passed, args.more_failed
    for path in args.files:
        file_passed, file_failed, skipped = count(path)
        passed += file_passed
        failed += len(file_failed)
        for name in file_failed:
            print(f"FAILED {path}: {name}")
        if skipped:
            print(f"skipped {path}: {skipped}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
