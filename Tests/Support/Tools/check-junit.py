#!/usr/bin/env python3
"""Checks that files are JUnit reports that the readers of GitHub, GitLab and Jenkins accept.

usage: check-junit.py FILE...

Prints a line for each file, "valid FILE" or "invalid FILE: why", and ends with 0 if all are valid, else with 1.
There is no common schema; the rules below are those that these readers share.
"""

import re
import sys
import xml.etree.ElementTree as ET

SECONDS = re.compile(r"[0-9]+\.[0-9]{3}")
COUNTS = ["tests", "failures", "errors", "skipped"]


def demand(truth, words):
    if not truth:
        raise ValueError(words)


def check_counts(element, cases):
    found = {
        "tests": len(cases),
        "failures": sum(case.find("failure") is not None for case in cases),
        "errors": sum(case.find("error") is not None for case in cases),
        "skipped": sum(case.find("skipped") is not None for case in cases),
    }
    for name in COUNTS:
        demand(element.get(name) == str(found[name]), f"{element.tag}: {name} is not {found[name]}")
    demand(SECONDS.fullmatch(element.get("time", "")), f"{element.tag}: time")


def check_case(case, seen):
    for name in ["classname", "name", "file", "line", "time"]:
        demand(case.get(name, "").strip(), f"testcase without {name}")
    demand(SECONDS.fullmatch(case.get("time")), "testcase: time")
    demand(re.fullmatch("[1-9][0-9]*", case.get("line")), "testcase: line")
    # GitLab distinguishes cases by these two.
    key = (case.get("classname"), case.get("name"))
    demand(key not in seen, f"two cases {key}")
    seen.add(key)
    demand(len(case) <= 1, "testcase with more than one child")
    for child in case:
        demand(child.tag in ["failure", "skipped", "system-out"], f"testcase with {child.tag}")
        demand(len(child) == 0, f"{child.tag} with children")
        # GitLab shows the text, GitHub's actions the attribute.
        demand((child.text or "").strip(), f"{child.tag} without text")
        if child.tag != "system-out":
            demand(child.get("message", "").strip(), f"{child.tag} without message")
        if child.tag == "failure":
            demand(re.fullmatch("[a-z0-9-]+", child.get("type", "")), "failure: type")
            # Rails, on which GitLab is built, reads these as types of values.
            demand(child.get("type") not in ["array", "file", "integer", "symbol", "yaml", "date"], "failure: type")


def check(path):
    root = ET.parse(path).getroot()
    demand(root.tag == "testsuites" and root.get("name"), "the root is not testsuites with a name")
    demand([child.tag for child in root] == ["testsuite"], "there is not just one testsuite")
    suite = root[0]
    demand(suite.get("name", "").strip(), "testsuite without name")
    demand(re.fullmatch(r"[0-9-]{10}T[0-9:]{8}Z", suite.get("timestamp", "")), "testsuite: timestamp")
    demand(all(child.tag == "testcase" for child in suite), "testsuite with something else than cases")
    check_counts(root, list(suite))
    check_counts(suite, list(suite))
    seen = set()
    for case in suite:
        check_case(case, seen)


def main(paths):
    status = 0
    for path in paths:
        try:
            check(path)
            print(f"valid {path}")
        except (ET.ParseError, ValueError, OSError) as problem:
            print(f"invalid {path}: {problem}")
            status = 1
    return status


sys.exit(main(sys.argv[1:]))
