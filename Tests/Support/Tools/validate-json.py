#!/usr/bin/env python3
"""Validates YAML and JSON files against a JSON Schema.

usage: validate-json.py SCHEMA FILE...

Prints a line for each file, "valid FILE" or "invalid FILE: why", and ends with 0 if all are valid,
with 1 if one is not, with 2 if it cannot do its work.
YAML is read as editors read it: version 1.2, core schema, with merge keys.
"""

import json
import re
import sys

try:
    import jsonschema
    import yaml
except ImportError as problem:
    print(f"{problem}: install python3-jsonschema and python3-yaml", file=sys.stderr)
    sys.exit(2)


class CoreLoader(yaml.SafeLoader):
    """Plain scalars as in YAML 1.2's core schema; a mapping's keys are their text."""

    yaml_implicit_resolvers = {}

    def construct_mapping(self, node, deep=False):
        self.flatten_mapping(node)
        result = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(None, None, "a key must be text", key.start_mark)
            # A mapping's own keys come after merged ones here, so the last one counts.
            result[key.value] = self.construct_object(value, deep=True)
        return result


def resolve(tag, pattern, first):
    CoreLoader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(pattern), first)


resolve("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""])
resolve("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", list("tTfF"))
resolve("int", r"^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$", list("-+0123456789"))
resolve(
    "float",
    r"^(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$",
    list("-+.0123456789"),
)
resolve("merge", r"^<<$", ["<"])


def core_int(loader, node):
    text = loader.construct_scalar(node)
    if text.startswith("0o"):
        return int(text[2:], 8)
    if text.startswith("0x"):
        return int(text[2:], 16)
    return int(text, 10)


def core_float(loader, node):
    text = loader.construct_scalar(node).lower()
    return float(text.replace(".inf", "inf").replace(".nan", "nan"))


def core_mapping(loader, node):
    return loader.construct_mapping(node, deep=True)


CoreLoader.add_constructor("tag:yaml.org,2002:int", core_int)
CoreLoader.add_constructor("tag:yaml.org,2002:float", core_float)
CoreLoader.add_constructor("tag:yaml.org,2002:map", core_mapping)


def read(path):
    with open(path, encoding="utf-8-sig", newline="") as file:
        text = file.read()
    return json.loads(text) if path.endswith(".json") else yaml.load(text, CoreLoader)


def fault(validator, path):
    """The error in the file, or None."""
    try:
        errors = sorted(validator.iter_errors(read(path)), key=lambda error: list(map(str, error.absolute_path)))
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as problem:
        return " ".join(str(problem).split()) or type(problem).__name__
    if not errors:
        return None
    best = jsonschema.exceptions.best_match(errors)
    place = "/".join(map(str, best.absolute_path)) or "the document"
    return " ".join(f"{place}: {best.message}".split())


def main(arguments):
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    with open(arguments[0], encoding="utf-8") as file:
        schema = json.load(file)
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    validator = kind(schema)
    status = 0
    for path in arguments[1:]:
        why = fault(validator, path)
        print(f"valid {path}" if why is None else f"invalid {path}: {why}")
        status = status if why is None else 1
    return status


sys.exit(main(sys.argv[1:]))
