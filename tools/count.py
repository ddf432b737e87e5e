#!/usr/bin/env python3
"""count.py LOG...: the tests in Meson's logs (.json) and pytest's (.xml) as "PASSED FAILED SKIPPED"; failures and skipped
tests go to standard error.

A test that reports its own cases, in TAP or as cmocka does, counts as many; any other counts as one. A failure that
no case reports (a crash, a time-out, a wrong exit code) counts as one more.
"""
import json
import re
import sys
import xml.etree.ElementTree as xml

CASE = re.compile(r"^(ok|not ok)\b.*?(#\s*skip.*)?$", re.IGNORECASE)
CMOCKA = re.compile(r"^\[  (PASSED|FAILED|SKIPPED) +\] (\d+) test\(s\)", re.MULTILINE)
SKIPPED_TESTS = {"SKIP", "EXPECTEDFAIL"}


def cases(test, text, log):
    """[passed, failed, skipped] of the cases that the output names."""
    counts = [0, 0, 0]
    for line in text.splitlines():
        match = CASE.match(line)
        if match:
            counts[2 if match[2] else 0 if match[1] == "ok" else 1] += 1
        if match and match[2]:
            print(f"skipped: {short(test)}: {line}", file=log)
    if not any(counts):
        for word, number in CMOCKA.findall(text):
            counts[("PASSED", "FAILED", "SKIPPED").index(word)] += int(number)
    return counts


def short(test):
    return test["name"].rsplit(" / ", 1)[-1]


def failed(what, text, log):
    print(f"failed: {what}\n{text[-4000:]}", file=log)


def outcome(test, log):
    text = test.get("stdout", "") + "\n" + test.get("stderr", "")
    if test["result"] in SKIPPED_TESTS:
        print(f"skipped: {short(test)}: {' '.join(text.split())[-100:]}", file=log)
        return [0, 0, 1]
    counts = cases(test, text, log)
    if test["result"] == "OK":
        return counts if sum(counts) > 0 else [1, 0, 0]
    failed(f"{short(test)}: {test['result']}: {' '.join(test['command'])}", text, log)
    counts[1] = max(counts[1], 1)
    return counts


def pytest_cases(name, log):
    counts = [0, 0, 0]
    for case in xml.parse(name).iter("testcase"):
        what = f"{case.get('classname')}.{case.get('name')}"
        wrong = [child for child in case if child.tag in ("failure", "error")]
        skipped = [child for child in case if child.tag == "skipped"]
        counts[1 if wrong else 2 if skipped else 0] += 1
        if wrong:
            failed(what, wrong[0].text or "", log)
        elif skipped:
            print(f"skipped: {what}: {skipped[0].get('message')}", file=log)
    return counts


def pytest_seconds(name):
    return sum(float(case.get("time", 0)) for case in xml.parse(name).iter("testcase"))


def meson_tests(name):
    with open(name, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def total(names, log=sys.stderr):
    counts = [0, 0, 0]
    for name in map(str, names):
        reports = [pytest_cases(name, log)] if name.endswith(".xml") else [outcome(test, log) for test in meson_tests(name)]
        counts = [sum(column) for column in zip(counts, *reports)]
    return counts


if __name__ == "__main__":
    print(*total(sys.argv[1:]))
