"""Where two builds of one program differ."""

import itertools
import shutil
import struct

# So many differing places of a section are named; a shifted section differs everywhere.
PLACES_SHOWN = 3
AROUND = 8


class Section:
    """A part of an ELF file; `offset` is its place in the file."""

    def __init__(self, name, offset, data):
        self.name, self.offset, self.data = name, offset, data


def sections(program):
    """The sections of a little-endian ELF file of 64 bits, and its own tables."""
    if program[:6] != b"\x7fELF\2\1":
        return [Section("the file", 0, program)]
    (phoff, shoff) = struct.unpack_from("<QQ", program, 32)
    (phsize, phcount, shsize, shcount, names) = struct.unpack_from("<HHHHH", program, 54)
    found = [
        Section("the ELF header", 0, program[:64]),
        Section("the program headers", phoff, program[phoff : phoff + phsize * phcount]),
        Section("the section headers", shoff, program[shoff : shoff + shsize * shcount]),
    ]
    headers = [struct.unpack_from("<IIQQQQ", program, shoff + shsize * number) for number in range(shcount)]
    table = headers[names][4] if headers else 0
    for name, kind, _, _, offset, size in headers:
        text = program[table + name : program.index(b"\0", table + name)].decode(errors="replace")
        # 0 has nothing, and 8 only memory.
        if kind not in (0, 8):
            found.append(Section(text, offset, program[offset : offset + size]))
    return found


def described(section):
    """What the bytes of some small sections mean."""
    if section.name == ".note.gnu.build-id":
        return f" ({section.data[16:].hex()})"
    if section.name == ".comment":
        texts = [text.decode(errors="replace") for text in section.data.split(b"\0") if text]
        return f" ({', '.join(texts)})"
    return ""


def places(first, second):
    """The starts of the stretches that differ, and how many bytes do."""
    starts, count, before = [], 0, False
    for place, (a, b) in enumerate(zip(first, second)):
        differs = a != b
        count += differs
        if differs and not before:
            starts.append(place)
        before = differs
    if len(first) != len(second):
        shorter = min(len(first), len(second))
        count += abs(len(first) - len(second))
        if not before:
            starts.append(shorter)
    return starts, count


def compared(first, second):
    """A line for each section that differs, with its first differing places, and the bytes there."""
    lines = []
    seen = {}
    for number, program in enumerate((first, second)):
        for section in sections(program):
            # Sections may share a name, such as those of notes.
            same = sum(1 for key in seen if key[0] == section.name and number in seen[key])
            seen.setdefault((section.name, same), {})[number] = section
    for (name, _), pair in seen.items():
        if len(pair) < 2:
            lines.append(f"{name}: only in the {'first' if 0 in pair else 'second'}")
            continue
        one, other = pair[0], pair[1]
        if one.data == other.data:
            if one.offset != other.offset:
                lines.append(f"{name}: the same bytes, at {one.offset:#x} and {other.offset:#x} of the file")
            continue
        starts, count = places(one.data, other.data)
        lines.append(
            f"{name}: {count} bytes differ in {len(starts)} places;"
            f" {len(one.data)}{described(one)} and {len(other.data)}{described(other)} bytes"
        )
        for start in itertools.islice(starts, PLACES_SHOWN):
            there = [
                f"{section.data[max(0, start - AROUND) : start].hex()}[{section.data[start : start + AROUND].hex()}]"
                for section in (one, other)
            ]
            lines.append(f"  at {start:#x} ({one.offset + start:#x} of the file): {there[0]} and {there[1]}")
    if not lines and first != second:
        starts, count = places(first, second)
        lines.append(f"{count} bytes outside all sections differ, the first one at {starts[0]:#x} of the file")
    return lines


def require_same(first, second, kept):
    """Fails if the two files differ; then it copies both to the folder `kept`, and says so and where they differ."""
    bytes_of = [path.read_bytes() for path in (first, second)]
    if bytes_of[0] == bytes_of[1]:
        return
    kept.mkdir(parents=True, exist_ok=True)
    shutil.copy(first, kept / "first")
    shutil.copy(second, kept / "second")
    text = "\n".join(compared(*bytes_of))
    raise AssertionError(f"the two programs differ; both are in {kept}\n{text}")
