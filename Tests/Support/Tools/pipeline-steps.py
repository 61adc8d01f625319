#!/usr/bin/env python3
"""Extracts the pipelines from a Markdown file as one JSON document.

usage: pipeline-steps.py FILE.md

A pipeline is a fenced block of YAML whose first line is a comment with the file's name. The document has an object
for each: "file", and "jobs", each with "name", "if" (its condition), and "steps", each with "name", "if", "uses"
and "run", and "env", in which expressions are unchanged. GitLab's jobs have one step: `before_script` followed by
`script`, as its shells run them. Pipelines of other platforms are left out, and those that use the
project's action or component, which packaging/tests runs.
"""

import json
import re
import sys

import yaml


class PlainLoader(yaml.SafeLoader):
    """`on` is a key of GitHub's, not a truth value."""


PlainLoader.yaml_implicit_resolvers = {
    key: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:bool"]
    for key, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def blocks(text):
    for match in re.finditer(r"^```yaml\n# (\S+\.yml)\n(.*?)^```$", text, re.M | re.S):
        yield match.group(1), yaml.load(match.group(2), PlainLoader)


def github(document):
    for name, job in document["jobs"].items():
        env = {**document.get("env", {}), **job.get("env", {})}
        yield {
            "name": name,
            "if": job.get("if", "always()"),
            "steps": [
                {
                    "name": step.get("name", step.get("uses")),
                    "if": step.get("if", "success()"),
                    "uses": step.get("uses"),
                    "run": step.get("run"),
                    "env": {**env, **step.get("env", {})},
                }
                for step in job["steps"]
            ],
        }


def gitlab(document):
    for name, job in document.items():
        if name.startswith("."):
            continue
        base = document.get(job.get("extends"), {})
        whole = {**base, **job}
        yield {
            "name": name,
            "if": whole["rules"][0]["if"],
            "steps": [
                {
                    "name": name,
                    "if": "success()",
                    "uses": None,
                    "run": "\n".join(whole.get("before_script", []) + whole["script"]),
                    "env": {},
                }
            ],
        }


def is_written_out(name, document):
    if name == ".gitlab-ci.yml":
        return "include" not in document
    if not name.startswith(".github/"):
        return False
    steps = [step for job in document["jobs"].values() for step in job["steps"]]
    return not any(step.get("uses", "").startswith("syncmake/") for step in steps)


def main(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    pipelines = [
        {"file": name, "jobs": list(github(document) if "jobs" in document else gitlab(document))}
        for name, document in blocks(text)
        if is_written_out(name, document)
    ]
    json.dump(pipelines, sys.stdout)
    return 0


sys.exit(main(sys.argv[1]))
