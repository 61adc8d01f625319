"""A hook of mkdocs: pages from outside of docs/, pages that are made from definitions, and the links between them.

The sources of the site are the project's own files, which also have to be read in a checkout. So a link in them is a
path of the checkout. This hook turns each into a link between pages, and ends the build if one leads nowhere.
"""

import json
import logging
import os
import posixpath
import re
import subprocess
import sys
from pathlib import Path

from markdown.extensions.toc import slugify
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

sys.path.insert(0, str(Path(__file__).parent))

import commands  # noqa: E402
import documents  # noqa: E402
import errors  # noqa: E402

PROJECT = Path(__file__).parents[2]

log = logging.getLogger("mkdocs.hooks.pages")

# Pages whose source is elsewhere in the checkout, by their names in the site.
ELSEWHERE = {
    "index.md": "README.md",
    "contributing.md": "CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
    "security.md": "SECURITY.md",
    "examples/index.md": "examples/README.md",
}

# The file of the checkout that each page was made from; links are relative to it.
sources = {}
# What the program says of its commands.
definitions = {}
# The page for each path of the checkout that can be linked to.
pages = {}


def program():
    """The built program, which knows its commands."""
    names = [os.environ.get("SYNCMAKE_PROGRAM", ""), ".build/debug/syncmake", ".build/installed/bin/syncmake"]
    for name in filter(None, names):
        if os.access(PROJECT / name, os.X_OK):
            return PROJECT / name
    raise PluginError("the program is not built: `swift build --product syncmake`")


def described():
    """What the program says of its commands and options."""
    ended = subprocess.run([program(), "--experimental-dump-help"], capture_output=True, text=True, check=True)
    return json.loads(ended.stdout)["command"]


def fenced(name, text):
    """A file as a code block; the fence is longer than any in the text."""
    kinds = {".yaml": "yaml", ".yml": "yaml", ".json": "json", ".tsv": "text", "Makefile": "make"}
    kind = kinds.get(posixpath.splitext(name)[1] or name, "text")
    fence = "`" * max([3] + [len(run) + 1 for run in re.findall(r"`{3,}", text)])
    return f"{fence}{kind}\n{text.rstrip()}\n{fence}\n"


def example(folder):
    """The page of an example: its README, and each text file that a copy of it has."""
    parts = [(folder / "README.md").read_text()]
    ignore = folder / ".gitignore"
    # What a run has left in the example is no part of it.
    left = {line.strip("/ ") for line in ignore.read_text().split("\n")} if ignore.exists() else set()
    names = [path.relative_to(folder) for path in folder.rglob("*") if path.is_file() and path.stat().st_size <= 8000]
    for name in sorted(map(str, names), key=lambda name: (name != "syncmake.yaml", name)):
        path = folder / name
        if name == "README.md" or name.split("/")[0] in left | {".syncmake", ".gitignore"}:
            continue
        try:
            parts.append(f"## {name}\n\n{fenced(path.name, path.read_text())}")
        except UnicodeDecodeError:
            continue
    return "\n".join(parts)


def decisions(folder):
    """The list of all decisions."""
    lines = ["# Decisions\n", "Each page has a decision, the reasons, and the alternatives that were not taken.\n"]
    for path in sorted(folder.glob("*.md")):
        title = path.read_text().split("\n", 1)[0].lstrip("# ")
        lines.append(f"- [{title}]({path.name})")
    return "\n".join(lines) + "\n"


def on_files(files, config):
    """Adds the pages that are not in docs/, and completes the navigation."""
    wrong = errors.problems(errors.PAGE.read_text())
    if wrong:
        raise PluginError("docs/errors.md: " + "; ".join(wrong))
    for file in files:
        if file.is_documentation_page():
            sources[file.src_uri] = f"docs/{file.src_uri}"
        else:
            pages[f"docs/{file.src_uri}"] = file.src_uri

    def add(name, text, source):
        sources[name] = source
        files.append(File.generated(config, name, content=text))

    for name, source in ELSEWHERE.items():
        add(name, (PROJECT / source).read_text(), source)
    for folder in sorted(path.parent for path in (PROJECT / "examples").glob("*/README.md")):
        add(f"examples/{folder.name}.md", example(folder), f"examples/{folder.name}/README.md")
    add("decisions/index.md", decisions(PROJECT / "docs/decisions"), "docs/decisions/index.md")
    add("license.md", f"# License\n\n{fenced('LICENSE', (PROJECT / 'LICENSE').read_text())}", "LICENSE")
    schemas = sorted((PROJECT / "schema").glob("*.json"))
    add("json.md", documents.page(schemas), "docs/json.md")
    definitions.update(described())
    add("commands.md", commands.page(definitions), "docs/commands.md")
    for schema in schemas:
        files.append(File.generated(config, f"schema/{schema.name}", content=schema.read_text()))
        pages[f"schema/{schema.name}"] = f"schema/{schema.name}"
    pages.update({source: name for name, source in sources.items()})
    pages.update({posixpath.dirname(p): n for p, n in pages.items() if p.startswith("examples/")})
    pages.update({"docs/decisions": "decisions/index.md", "schema": "json.md", "docs": "index.md"})
    complete(config.nav, files)
    return files


def complete(nav, files):
    """Puts every example, every decision, and each page that has no place into the navigation."""
    sections = {title: entries for section in nav for title, entries in section.items()}
    named = {entry for entries in sections.values() for entry in entries}
    rest = sorted(page.src_uri for page in files.documentation_pages() if page.src_uri not in named)
    for title, folder in [("Examples", "examples/"), ("Decisions", "decisions/")]:
        own = [name for name in rest if name.startswith(folder)]
        own.sort(key=lambda name: (not name.endswith("index.md"), name))
        sections[title] += own
        rest = [name for name in rest if name not in own]
    sections["How to"] += rest


LINK = re.compile(r"(\]\()([^)\s#:]*)(#[^)\s]*)?(\))")
CODE = re.compile(r"^(`{3,}).*?^\1`*\s*$|^(?: {4,}|\t).*?$|`[^`\n]+`", re.MULTILINE | re.DOTALL)


def on_page_markdown(markdown, page, config, files):
    """Turns the links to the checkout's files into links to pages."""
    source = sources[page.file.src_uri]
    # What was decided or released once may have had other options; the contract has some that are not built yet.
    if source.startswith(("docs/", "README", "examples/")) and not source.startswith(
        ("docs/decisions/", "docs/contract")
    ):
        for problem in commands.problems(markdown, definitions):
            log.warning("%s: %s", source, problem)

    def link(match):
        opening, path, anchor, closing = match.groups()
        if not path:
            return match.group()
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        # Each file of an example is a section of its page.
        folder = posixpath.dirname(source) + "/"
        if target not in pages and folder.startswith("examples/") and target.startswith(folder):
            return f"{opening}#{slugify(target.removeprefix(folder), '-')}{closing}"
        if target not in pages:
            raise PluginError(f"{source}: the link to {path} leads to no page")
        place = posixpath.relpath(pages[target], posixpath.dirname(page.file.src_uri) or ".")
        return f"{opening}{place}{anchor or ''}{closing}"

    parts, end = [], 0
    for code in CODE.finditer(markdown):
        parts += [LINK.sub(link, markdown[end : code.start()]), code.group()]
        end = code.end()
    return "".join([*parts, LINK.sub(link, markdown[end:])])
