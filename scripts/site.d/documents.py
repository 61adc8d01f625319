"""The page of the JSON documents, from their schemas."""

import json


def page(schemas):
    """The whole page; `schemas` are the files of schema/."""
    text = [
        "# JSON documents\n",
        "These tables are made from the schemas. A field without a mark may be missing. Within a version, fields may be "
        "added, and none is removed or changed: ignore those that you do not know.\n",
    ]
    for path in schemas:
        schema = json.loads(path.read_text())
        text.append(f"## {schema.get('title', path.name)}\n")
        text.append(f"{schema.get('description', '')} Schema: [{path.name}](../schema/{path.name}).\n")
        if path.name == "syncmake.schema.json":
            text.append("[The manifest](manifest.md) explains each key.\n")
            continue
        if path.name == "configuration.schema.json":
            text.append("[The user's configuration](configuration.md) explains each key.\n")
            continue
        text.append(table(schema))
        for name, definition in schema.get("definitions", {}).items():
            if definition.get("properties"):
                text += [f"**{name}**: {one_line(definition.get('description', ''))}\n", table(definition)]
    return "\n".join(text)


def table(schema):
    """The fields of an object; those that are always there have a mark."""
    required = set(schema.get("required", []))
    rows = ["| field | type | meaning |", "|---|---|---|"]
    rows += list(fields(schema, required, ""))
    return "\n".join(rows) + "\n"


def fields(schema, required, before):
    """The rows of an object's fields, and of the objects in them."""
    for name, value in schema.get("properties", {}).items():
        mark = " •" if name in required else ""
        yield f"| `{before}{name}`{mark} | {kind(value)} | {one_line(value.get('description', ''))} |"
        inner, step = value, "."
        if value.get("type") == "array" and isinstance(value.get("items"), dict):
            inner, step = value["items"], "[]."
        if inner.get("properties"):
            yield from fields(inner, set(inner.get("required", [])), f"{before}{name}{step}")


def kind(value):
    """The type of a value in a few words."""
    if "$ref" in value:
        return value["$ref"].rsplit("/", 1)[-1]
    if "const" in value:
        return f"`{json.dumps(value['const'])}`"
    if "enum" in value:
        words = [f"`{word}`" for word in value["enum"]]
        return ", ".join(words) if len(words) <= 8 else "[a code](errors.md)"
    for word in ("anyOf", "oneOf"):
        if word in value:
            return " or ".join(dict.fromkeys(kind(part) for part in value[word]))
    if value.get("type") == "array":
        return f"array of {kind(value.get('items', {}))}"
    kinds = value.get("type", "any")
    return " or ".join(kinds) if isinstance(kinds, list) else kinds


def one_line(text):
    """A text for a table's cell."""
    return text.replace("\n", " ").replace("|", "\\|").replace("<", "\\<")
