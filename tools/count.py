#!/usr/bin/env python3
"""count.py LOG...: the tests in Meson's logs (.json) and pytest's (.xml) as "PASSED FAILED SKIPPED"; what failed goes to
standard error.

A test that reports its own cases, in TAP or as cmocka does, counts as many; any other counts as one. A failure that
no case owns up to (a crash, a time-out) counts as one more.
"""
import json
import re
import sys
import xml.etree.ElementTree as xml

CASE = re.compile(r"^(ok|not ok)\b.*?(#\s*skip.*)?$", re.IGNORECASE)
CMOCKA = re.compile(r"^\[  (PASSED|FAILED|SKIPPED) +\] (\d+) test\(s\)", re.MULTILINE)
SKIPPED_TESTS = {"SKIP", "EXPECTEDFAIL"}


def cases(test, text):
    """[passed, failed, skipped] of the cases that the output names."""
    counts = [0, 0, 0]
    for line in text.splitlines():
        match = CASE.match(line)
        if match:
            counts[2 if match[2] else 0 if match[1] == "ok" else 1] += 1
        if match and match[2]:
            print(f"skipped: {short(test)}: {line}", file=sys.stderr)
    if not any(counts):
        for word, number in CMOCKA.findall(text):
            counts[("PASSED", "FAILED", "SKIPPED").index(word)] += int(number)
    return counts


def short(test):
    return test["name"].rsplit(" / ", 1)[-1]


def outcome(test):
    text = test.get("stdout", "") + "\n" + test.get("stderr", "")
    if test["result"] in SKIPPED_TESTS:
        print(f"skipped: {short(test)}: {' '.join(text.split())[-100:]}", file=sys.stderr)
        return [0, 0, 1]
    counts = cases(test, text)
    if test["result"] == "OK":
        return counts if sum(counts) > 0 else [1, 0, 0]
    print(f"{test['result']}: {test['name']}: {' '.join(test['command'])}", file=sys.stderr)
    print((test.get("stdout", "") + test.get("stderr", ""))[-4000:], file=sys.stderr)
    counts[1] = max(counts[1], 1)
    return counts


def pytest_cases(name):
    counts = [0, 0, 0]
    for case in xml.parse(name).iter("testcase"):
        what = f"{case.get('classname')}.{case.get('name')}"
        wrong = [child for child in case if child.tag in ("failure", "error")]
        skipped = [child for child in case if child.tag == "skipped"]
        counts[1 if wrong else 2 if skipped else 0] += 1
        if wrong:
            print(f"failed: {what}\n{(wrong[0].text or '')[-3000:]}", file=sys.stderr)
        elif skipped:
            print(f"skipped: {what}: {skipped[0].get('message')}", file=sys.stderr)
    return counts


def main():
    total = [0, 0, 0]
    for name in sys.argv[1:]:
        if name.endswith(".xml"):
            total = [a + b for a, b in zip(total, pytest_cases(name))]
            continue
        with open(name, encoding="utf-8") as file:
            for line in file:
                total = [a + b for a, b in zip(total, outcome(json.loads(line)))]
    print(*total)


main()
