#!/usr/bin/env python3
"""Checks that docs/errors.md explains every code, each with its cause and what to do, and no code that does not exist.

usage: errors.py [PAGE]
"""

import json
import re
import sys
from pathlib import Path

PROJECT = Path(__file__).parents[2]
PAGE = PROJECT / "docs/errors.md"

# The reason of a skipped target, which the page explains, too.
SKIPPED = "dependency-failed"


def codes():
    """Every code of a failed target, in the order of the schema."""
    schema = json.loads((PROJECT / "schema/run.schema.json").read_text())
    return [*schema["properties"]["error"]["properties"]["code"]["enum"], SKIPPED]


def problems(text):
    """What is wrong with the page, a sentence each."""
    errors, _, rest = text.partition("\n## Warnings of a run\n")
    warnings = rest.partition("\n## ")[0]
    known, sections = codes(), {}
    for part in re.split(r"^### ", errors, flags=re.MULTILINE)[1:]:
        name, _, body = part.partition("\n")
        sections[name] = body
    found = [f"the code {code} has no section" for code in known if code not in sections]
    found += [f"the section {name} is for no code" for name in sections if name not in known]
    for part in re.split(r"^### ", warnings, flags=re.MULTILINE)[1:]:
        name, _, body = part.partition("\n")
        sections[name] = body
    for name, body in sections.items():
        found += [f"the section {name} has no {word}" for word in ("Cause", "Fix") if f"- **{word}**: " not in body]
    return found


if __name__ == "__main__":
    page = Path(sys.argv[1]) if len(sys.argv) > 1 else PAGE
    found = problems(page.read_text())
    print("".join(f"{page.name}: {problem}\n" for problem in found), end="")
    sys.exit(1 if found else 0)
