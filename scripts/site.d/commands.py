"""The page of the command line, from the program's own definitions."""

import re


def page(command):
    """The whole page; `command` is the program's description of itself."""
    text = ["# Command line\n", f"{command['abstract']}\n", discussion(command)]
    shown = [sub for sub in command["subcommands"] if sub.get("shouldDisplay", True)]
    for sub in shown:
        text += [f"## syncmake {sub['commandName']}\n", f"{cell(sub['abstract'])}\n", discussion(sub), options(sub)]
    return "\n".join(filter(None, text))


def discussion(command):
    """The paragraphs after the abstract; those with examples keep their layout."""
    parts = []
    for paragraph in command.get("discussion", "").split("\n\n"):
        lines = paragraph.split("\n")
        plain = [line for line in lines if not line.startswith("  ")]
        if not paragraph.strip():
            continue
        if len(plain) == len(lines):
            parts.append(" ".join(lines) + "\n")
        else:
            code = "\n".join(line[2:] if line.startswith("  ") else line for line in lines if line.startswith("  "))
            parts += [f"{line}\n" for line in plain] + [f"```text\n{code}\n```\n"]
    return "\n".join(parts)


def options(command):
    """A table for each group of options, in the order of the definitions."""
    groups = {}
    for argument in command.get("arguments", []):
        names = [name["name"] for name in argument.get("names", [])]
        if argument.get("shouldDisplay", True) and not {"help", "version"} & set(names):
            groups.setdefault(argument.get("sectionTitle", "Options"), []).append(argument)
    parts = []
    for title, arguments in groups.items():
        parts.append(f"| {title} | |\n|---|---|")
        parts += [f"| {spelling(argument)} | {meaning(argument)} |" for argument in arguments]
        parts.append("")
    return "\n".join(parts)


def spelling(argument):
    """How the option is typed: `-j`, `--jobs N`."""
    value = argument.get("valueName", "").upper()
    if argument["kind"] == "positional":
        return f"`{value}{'…' if argument.get('isRepeating') else ''}`"
    typed = [spelled(name) for name in sorted(argument["names"], key=lambda name: name["kind"] != "short")]
    if argument["kind"] == "option":
        typed[-1] += f" {value}"
    return ", ".join(f"`{name}`" for name in typed)


def meaning(argument):
    """The option's description with its default."""
    text = cell(argument.get("abstract", ""))
    default = argument.get("defaultValue")
    return f"{text} (default: `{default}`)" if default else text


def cell(text):
    """A text for a table: nothing in it is markup, except names in backticks."""
    return re.sub(r"([*_<\[\]|])", r"\\\1", text) if "`" not in text else text.replace("|", "\\|")


# A command in a code block or in backticks, up to what belongs to the shell.
TYPED = re.compile(
    r"(?:^[ \t]*(?:\$ |then |run: )?|`|&& |\|\| |; )syncmake((?: (?![#|&;<>`])[^\s`;|&]+)*)", re.MULTILINE
)
# Words that stand for something else, as in `syncmake COMMAND`.
PLACEHOLDER = re.compile(r"[A-Z…\[<${(]")


def problems(text, command):
    """The commands and options in a page that the program does not have, a sentence each."""
    subcommands = {sub["commandName"]: sub for sub in command["subcommands"]}
    found = []
    for match in TYPED.finditer(text):
        words = match.group(1).split()
        name = words[0] if words and words[0] in subcommands else "run"
        known = {spelled(option) for option in names(subcommands[name])} | {"-h", "--help", "--version"}
        for word in words:
            option = word.rstrip(".,:)").split("=")[0]
            if not option.startswith("-") or option in known or set(option) == {"-"} or PLACEHOLDER.search(option[:2]):
                continue
            # Several short ones in one word, the last perhaps with its value.
            if option[1] == "-" or f"-{option[1]}" not in known:
                found.append(f"`syncmake {' '.join(words)}`: {name} has no option {option}")
    return found


def names(command):
    """Every name of the command's options."""
    return [name for argument in command.get("arguments", []) for name in argument.get("names", [])]


def spelled(name):
    """As it is typed."""
    return ("-" if name["kind"] == "short" else "--") + name["name"]
