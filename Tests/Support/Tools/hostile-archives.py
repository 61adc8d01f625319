#!/usr/bin/env python3
"""Makes archives that must be refused, from descriptions of what is wrong with them.

usage: hostile-archives.py FOLDER

It writes one file for each archive, and `list.tsv` with a line for each: its file, its class, and the code with which
`unpack: {entry: want}` must refuse it. Each archive has a good entry `want`, so that only the fault can be the reason.
"""

import bz2
import gzip
import hashlib
import io
import lzma
import pathlib
import stat
import struct
import sys
import zipfile
import zlib

UNSAFE, CORRUPT, MISSING, LARGE = "archive-unsafe", "archive-corrupt", "entry-missing", "too-large"
GOOD = b"good\n"
archives = []


def add(kind, name, code, data):
    """Notes one archive; `name` has the ending of its format."""
    archives.append((kind, f"{len(archives):03}-{name}", code, data))


# --- tar ---------------------------------------------------------------------------------------------------------


def octal(number, width):
    return b"%0*o\0" % (width - 1, number)


def header(name, size=0, kind=b"0", link=b"", prefix=b"", size_field=None, magic=b"ustar\x0000", bad_sum=False):
    """A header block; `size_field` is the field's bytes if they are not the usual ones."""
    field = octal(size, 12) if size_field is None else size_field
    block = bytearray(512)
    block[0 : len(name)] = name
    block[100:108] = octal(0o644, 8)
    block[108:116] = octal(0, 8)
    block[116:124] = octal(0, 8)
    block[124:136] = field
    block[136:148] = octal(0, 12)
    block[156:157] = kind
    block[157 : 157 + len(link)] = link
    block[257 : 257 + len(magic)] = magic
    block[345 : 345 + len(prefix)] = prefix
    block[148:156] = b" " * 8
    total = sum(block) + (1 if bad_sum else 0)
    block[148:156] = b"%06o\0 " % total
    return bytes(block)


def padded(data):
    return data + b"\0" * (-len(data) % 512)


def entry(name, content=GOOD, **more):
    return header(name, len(content), **more) + padded(content)


def pax(records, kind=b"x"):
    """A block of attributes."""
    body = b""
    for key, value in records:
        text = b" " + key + b"=" + value + b"\n"
        length = len(text)
        while length != len(text) + len(str(length)):
            length = len(text) + len(str(length))
        body += str(length).encode() + text
    return header(b"pax", len(body), kind=kind) + padded(body)


def long_name(name, kind=b"L"):
    return header(b"././@LongLink", len(name) + 1, kind=kind) + padded(name + b"\0")


END = b"\0" * 1024
WANT = entry(b"want")


def tar(*parts, end=END):
    return WANT + b"".join(parts) + end


def add_names():
    names = {
        "absolute": b"/etc/passwd",
        "dots": b"../outside",
        "dots-inside": b"a/../../outside",
        "dots-at-end": b"a/..",
        "newline": b"a\nb",
        "escape": b"a\x1b[2Jb",
        "delete": b"a\x7f",
        "second-block": "a\u0085b".encode(),
        "empty": b"",
        "long-part": b"x" * 256,
        "long-path": b"/".join([b"y" * 200] * 21),
        "deep": b"/".join([b"d"] * 66),
    }
    for what, name in names.items():
        kind = "tar-name-" + what.split("-")[0]
        if len(name) < 100:
            add(kind, what + ".tar", UNSAFE, tar(entry(name)))
        add(kind, what + "-gnu.tar", UNSAFE, tar(long_name(name), entry(b"short")))
        add(kind, what + "-pax.tar", UNSAFE, tar(pax([(b"path", name)]), entry(b"short")))
    add("tar-name-nul", "nul-pax.tar", UNSAFE, tar(pax([(b"path", b"a\0b")]), entry(b"a")))
    long = header(b"././@LongLink", 4, kind=b"L") + padded(b"a\0b\0")
    add("tar-name-nul", "nul-gnu.tar", UNSAFE, tar(long, entry(b"a")))
    add("tar-name-dots", "prefix.tar", UNSAFE, tar(entry(b"b", prefix=b"../a")))
    add("tar-name-absolute", "prefix.tar", UNSAFE, tar(entry(b"b", prefix=b"/a")))


def add_kinds():
    for what, kind in (("character", b"3"), ("block", b"4"), ("fifo", b"6")):
        add("tar-special", what + ".tar", UNSAFE, tar(header(b"special", kind=kind)))
    for what, target in (
        ("absolute", b"/etc/passwd"),
        ("up", b"../x"),
        ("up-inside", b"a/../../x"),
        ("empty", b""),
        ("newline", b"a\nb"),
    ):
        add("tar-link", what + ".tar", UNSAFE, tar(header(b"link", kind=b"2", link=target)))
    add("tar-link", "pax.tar", UNSAFE, tar(pax([(b"linkpath", b"/etc")]), header(b"link", kind=b"2", link=b"a")))
    for what, target in (
        ("missing", b"nothing"),
        ("absolute", b"/etc/passwd"),
        ("outside", b"../x"),
        ("itself", b"hard"),
        ("folder", b"d"),
    ):
        parts = [header(b"d/", kind=b"5"), header(b"hard", kind=b"1", link=target)]
        add("tar-hard-link", what + ".tar", UNSAFE, tar(*parts))
    to_link = [header(b"soft", kind=b"2", link=b"want"), header(b"hard", kind=b"1", link=b"soft")]
    add("tar-hard-link", "to-a-link.tar", UNSAFE, tar(*to_link))
    add("tar-hard-link", "later.tar", UNSAFE, tar(header(b"hard", kind=b"1", link=b"later"), entry(b"later")))
    add("tar-under-link", "file.tar", UNSAFE, tar(header(b"d", kind=b"2", link=b"e"), entry(b"d/x")))
    add("tar-under-link", "deep.tar", UNSAFE, tar(header(b"a/d", kind=b"2", link=b"e"), entry(b"a/d/e/f/x")))
    add("tar-under-link", "file-of-file.tar", UNSAFE, tar(entry(b"want/x")))
    add("tar-other-kind", "link-after-file.tar", UNSAFE, tar(header(b"want", kind=b"2", link=b"x")))
    add("tar-other-kind", "folder-after-file.tar", UNSAFE, tar(header(b"want/", kind=b"5")))
    add("tar-other-kind", "file-after-folder.tar", UNSAFE, tar(entry(b"d/x"), entry(b"d")))
    add("tar-other-kind", "link-after-folder.tar", UNSAFE, tar(entry(b"d/x"), header(b"d", kind=b"2", link=b"e")))
    for what, kind in (("vendor", b"Q"), ("solaris", b"X"), ("dumpdir", b"D"), ("high", b"\xff")):
        add("tar-type", what + ".tar", UNSAFE, tar(header(b"odd", kind=kind)))
    for what, kind in (("folder", b"5"), ("link", b"2"), ("hard-link", b"1")):
        block = header(b"sized", 5, kind=kind, link=b"want")
        add("tar-size-of-empty", what + ".tar", UNSAFE, tar(block, padded(GOOD)))
    add("tar-size-of-empty", "old-folder.tar", UNSAFE, tar(header(b"old/", 5, magic=b""), padded(GOOD)))


def add_sizes():
    for what, size in (("smaller", b"1"), ("larger", b"1024"), ("zero", b"0")):
        add("tar-pax-size", what + ".tar", UNSAFE, tar(pax([(b"size", size)]), entry(b"x")))
    add("tar-pax-size", "small-of-zero.tar", UNSAFE, tar(pax([(b"size", b"5")]), header(b"x"), padded(GOOD)))
    add("tar-pax-size", "no-number.tar", UNSAFE, tar(pax([(b"size", b"-5")]), entry(b"x")))
    twice = pax([(b"path", b"a"), (b"path", b"b")])
    add("tar-pax-twice", "path.tar", UNSAFE, tar(twice, entry(b"x")))
    add("tar-pax-twice", "size.tar", UNSAFE, tar(pax([(b"size", b"5"), (b"size", b"6")]), entry(b"x")))
    one = pax([(b"path", b"a")])
    add("tar-pax-twice", "blocks.tar", UNSAFE, tar(one, one, entry(b"x")))
    add("tar-pax-twice", "gnu.tar", UNSAFE, tar(long_name(b"a"), pax([(b"path", b"b")]), entry(b"x")))
    add("tar-pax-twice", "gnu-twice.tar", UNSAFE, tar(long_name(b"a"), long_name(b"b"), entry(b"x")))
    for key in (b"path", b"linkpath", b"size"):
        name = key.decode() + ".tar"
        add("tar-pax-global", name, UNSAFE, tar(pax([(key, b"5")], kind=b"g"), entry(b"x")))
    broken = header(b"pax", 7, kind=b"x") + padded(b"12 a=b\n")
    add("tar-pax-broken", "length.tar", CORRUPT, tar(broken, entry(b"x")))
    broken = header(b"pax", 7, kind=b"x") + padded(b"x a=bc\n")
    add("tar-pax-broken", "no-length.tar", CORRUPT, tar(broken, entry(b"x")))
    add("tar-pax-broken", "without-entry.tar", CORRUPT, tar(pax([(b"path", b"a")])))
    add("tar-pax-broken", "huge.tar", CORRUPT, tar(header(b"pax", 2 << 20, kind=b"x")))
    for what, field in (("text", b"12345678xyz\0"), ("negative", b"\xff" * 12), ("huge", b"\x80" + b"\x7f" * 11)):
        add("tar-number", what + ".tar", CORRUPT, tar(header(b"x", size_field=field)))
    add("tar-number", "digits-after-end.tar", CORRUPT, tar(header(b"x", size_field=b"5\x000000000000")[:512]))
    add("tar-sparse", "gnu.tar", CORRUPT, tar(header(b"x", kind=b"S")))
    sparse = [(b"GNU.sparse.major", b"1"), (b"GNU.sparse.minor", b"0")]
    add("tar-sparse", "pax.tar", CORRUPT, tar(pax(sparse), entry(b"x")))
    add("tar-volumes", "continued.tar", CORRUPT, tar(header(b"x", kind=b"M")))


def add_ends():
    add("tar-end", "none.tar", CORRUPT, tar(end=b""))
    add("tar-end", "one-block.tar", CORRUPT, tar(end=b"\0" * 512))
    add("tar-end", "in-header.tar", CORRUPT, tar(end=header(b"x")[:100]))
    add("tar-end", "in-content.tar", CORRUPT, WANT + header(b"x", 4096) + b"x" * 1000)
    add("tar-end", "in-padding.tar", CORRUPT, WANT + header(b"x", 5) + GOOD)
    add("tar-end", "data-after.tar", CORRUPT, tar() + b"more")
    add("tar-end", "second-archive.tar", CORRUPT, tar() + tar())
    add("tar-end", "empty.tar", CORRUPT, b"")
    add("tar-end", "block-between.tar", UNSAFE, WANT + b"\0" * 512 + entry(b"x") + END)
    add("tar-sum", "wrong.tar", CORRUPT, tar(entry(b"x", bad_sum=True)))
    add("tar-sum", "first.tar", CORRUPT, entry(b"x", bad_sum=True) + tar())
    add("tar-sum", "no-tar.tar", CORRUPT, b"<!DOCTYPE html>" + b" " * 2000)
    whole = tar(entry(b"noise", bytes(range(256)) * 64))
    forms = (("gz", gzip.compress(whole, mtime=0)), ("xz", lzma.compress(whole)), ("bz2", bz2.compress(whole)))
    for form, packed in forms:
        half = len(packed) // 2
        add("compression", f"cut.tar.{form}", CORRUPT, packed[:half])
        add(
            "compression",
            f"flipped.tar.{form}",
            CORRUPT,
            packed[:half] + bytes([packed[half] ^ 255]) + packed[half + 1 :],
        )
        add("compression", f"data-after.tar.{form}", CORRUPT, packed + b"more")
        add("other-format", f"really-zip.tar.{form}", CORRUPT, zip_of([("want", GOOD)]))
    add("other-format", "really-gzip.tar", CORRUPT, forms[0][1])
    add("other-format", "page.zip", CORRUPT, b"<!DOCTYPE html>\n")


def add_choices():
    add("entry", "no-match.tar", MISSING, entry(b"wand") + END)
    add("entry", "two.tar", MISSING, tar(entry(b"a/want")))
    add("entry", "empty.tar", MISSING, END)
    add("entry", "link.tar", MISSING, header(b"want", kind=b"2", link=b"a") + entry(b"a") + END)
    add("entry", "folder.tar", MISSING, header(b"want/", kind=b"5") + END)
    add("entry", "no-match.zip", MISSING, zip_of([("wand", GOOD)]))
    add("entry", "two.zip", MISSING, zip_of([("want", GOOD), ("a/want", GOOD)]))


# --- zip ---------------------------------------------------------------------------------------------------------


def zip_of(members, method=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name), content)
    return out.getvalue()


class Member:
    """A member whose fields can be changed in its header (`local`) and in the directory (`central`)."""

    def __init__(self, name, content=GOOD, mode=stat.S_IFREG | 0o644, local=None, central=None, **more):
        packed = content
        if more.get("method", 0) == 8:
            packer = zlib.compressobj(9, zlib.DEFLATED, -15)
            packed = packer.compress(content) + packer.flush()
        self.packed = more.get("packed", packed)
        self.fields = {
            "name": name,
            "flags": 0,
            "method": 0,
            "crc": zlib.crc32(content),
            "packed_size": len(self.packed),
            "size": len(content),
            "extra": b"",
            "mode": mode,
            "system": 3,
            "disk": 0,
            "offset": None,
        }
        self.fields.update({key: value for key, value in more.items() if key in self.fields})
        self.local = {**self.fields, **(local or {})}
        self.central = {**self.fields, **(central or {})}
        self.after = more.get("after", b"")
        self.before = more.get("before", b"")

    def header(self):
        f = self.local
        return (
            struct.pack(
                "<IHHHHHIIIHH",
                0x04034B50,
                20,
                f["flags"],
                f["method"],
                0,
                0x21,
                f["crc"],
                f["packed_size"],
                f["size"],
                len(f["name"]),
                len(f["extra"]),
            )
            + f["name"]
            + f["extra"]
        )

    def entry(self, offset):
        f = self.central
        place = offset if f["offset"] is None else f["offset"]
        return (
            struct.pack(
                "<IBBHHHHHIIIHHHHHII",
                0x02014B50,
                20,
                f["system"],
                20,
                f["flags"],
                f["method"],
                0,
                0x21,
                f["crc"],
                f["packed_size"],
                f["size"],
                len(f["name"]),
                len(f["extra"]),
                0,
                f["disk"],
                0,
                (f["mode"] & 0xFFFF) << 16,
                place,
            )
            + f["name"]
            + f["extra"]
        )


def zip_raw(
    *members,
    before=b"",
    between=b"",
    after=b"",
    comment=b"",
    count=None,
    disk=0,
    size=None,
    offset=None,
    hidden=(),
    directory=None,
):
    """A zip of these members; `hidden` ones have a header but are not in the directory."""
    out = before
    entries = b""
    shown = [Member(b"want"), *members]
    for member in [*shown, *hidden]:
        out += member.before
        place = len(out)
        out += member.header() + member.packed + member.after
        if member not in hidden:
            entries += member.entry(place)
    out += between
    start = len(out)
    entries = entries if directory is None else directory(entries)
    number = len(shown) if count is None else count
    end = struct.pack(
        "<IHHHHIIH",
        0x06054B50,
        disk,
        disk,
        number,
        number,
        len(entries) if size is None else size,
        start if offset is None else offset,
        len(comment),
    )
    return out + entries + end + comment + after


def add_zip_names():
    names = {
        "absolute": b"/etc/passwd",
        "dots": b"../outside",
        "dots-inside": b"a/../../x",
        "backslash": b"a\\b",
        "backslash-dots": b"..\\x",
        "drive": b"C:/x",
        "newline": b"a\nb",
        "nul": b"a\0b",
        "escape": b"\x1b[2J",
        "empty": b"",
        "long": b"x" * 256,
    }
    for what, name in names.items():
        add("zip-name", what + ".zip", UNSAFE, zip_raw(Member(name)))
    add("zip-name", "not-utf8.zip", UNSAFE, zip_raw(Member(b"a\xff", flags=1 << 11)))
    second = struct.pack("<HHBI", 0x7075, 5 + 7, 1, zlib.crc32(b"safe")) + b"../evil"
    add("zip-name", "second-name.zip", UNSAFE, zip_raw(Member(b"safe", extra=second)))


def add_zip_kinds():
    for what, mode in (
        ("device", stat.S_IFCHR),
        ("block", stat.S_IFBLK),
        ("fifo", stat.S_IFIFO),
        ("socket", stat.S_IFSOCK),
    ):
        add("zip-special", what + ".zip", UNSAFE, zip_raw(Member(b"special", b"", mode=mode | 0o644)))
    for what, target in (("absolute", b"/etc"), ("up", b"../x"), ("empty", b""), ("newline", b"a\nb")):
        add("zip-link", what + ".zip", UNSAFE, zip_raw(Member(b"link", target, mode=stat.S_IFLNK | 0o777)))
    link = Member(b"d", b"e", mode=stat.S_IFLNK | 0o777)
    add("zip-link", "under.zip", UNSAFE, zip_raw(link, Member(b"d/x")))
    add("zip-kind", "folder-with-content.zip", UNSAFE, zip_raw(Member(b"d/", GOOD, mode=stat.S_IFDIR | 0o755)))
    add("zip-kind", "folder-without-slash.zip", UNSAFE, zip_raw(Member(b"d", b"", mode=stat.S_IFDIR | 0o755)))
    add("zip-kind", "file-with-slash.zip", UNSAFE, zip_raw(Member(b"d/", b"")))
    add("zip-twice", "other-bytes.zip", UNSAFE, zip_raw(Member(b"want", b"evil\n")))
    add("zip-twice", "other-size.zip", UNSAFE, zip_raw(Member(b"x"), Member(b"x", b"longer\n")))
    add("zip-twice", "dotted.zip", UNSAFE, zip_raw(Member(b"./want", b"evil\n")))


def add_zip_headers():
    changes = {
        "name": {"name": b"othr"},
        "method": {"method": 8},
        "crc": {"crc": 1},
        "size": {"size": 4},
        "packed-size": {"packed_size": 4},
        "encrypted": {"flags": 1},
        "descriptor": {"flags": 8},
        "utf8": {"flags": 1 << 11},
    }
    for what, change in changes.items():
        add("zip-headers", what + "-local.zip", UNSAFE, zip_raw(Member(b"name", local=change)))
        if what not in ("encrypted",):
            add("zip-headers", what + "-central.zip", UNSAFE, zip_raw(Member(b"name", central=change)))
    missing = Member(b"name", flags=8, local={"crc": 0, "size": 0, "packed_size": 0})
    add("zip-descriptor", "missing.zip", UNSAFE, zip_raw(missing))
    wrong = struct.pack("<IIII", 0x08074B50, 1, 5, 5)
    wrong = Member(b"name", flags=8, local={"crc": 0, "size": 0, "packed_size": 0}, after=wrong)
    add("zip-descriptor", "wrong.zip", UNSAFE, zip_raw(wrong))
    wide = struct.pack("<HH", 1, 0)
    add("zip-extra", "twice.zip", UNSAFE, zip_raw(Member(b"x", extra=wide + wide)))
    add("zip-extra", "too-short.zip", UNSAFE, zip_raw(Member(b"x", central={"size": 0xFFFFFFFF, "extra": wide})))
    add("zip-extra", "overlong.zip", UNSAFE, zip_raw(Member(b"x", extra=struct.pack("<HH", 9, 99))))


def add_zip_places():
    add("zip-overlap", "same.zip", UNSAFE, zip_raw(Member(b"want", central={"offset": 0})))
    inner = Member(b"x").header() + GOOD
    nested = Member(b"outer", inner)
    place = len(Member(b"want").header() + GOOD + nested.header())
    quine = zip_raw(nested, Member(b"x", central={"offset": place}))
    add("zip-overlap", "inside.zip", UNSAFE, quine)
    add("zip-stray", "before.zip", UNSAFE, zip_raw(Member(b"x"), before=b"PK\x03\x04 stray"))
    add("zip-stray", "program.zip", CORRUPT, zip_raw(Member(b"x"), before=b"#!/bin/sh\n"))
    add("zip-stray", "between.zip", UNSAFE, zip_raw(Member(b"x", before=b"bytes")))
    add("zip-stray", "before-directory.zip", UNSAFE, zip_raw(Member(b"x"), between=b"bytes"))
    add("zip-stray", "hidden.zip", UNSAFE, zip_raw(hidden=[Member(b"hidden")]))
    add("zip-stray", "hidden-twin.zip", UNSAFE, zip_raw(hidden=[Member(b"want", b"evil\n")]))
    add("zip-stray", "after-directory.zip", UNSAFE, zip_raw(directory=lambda entries: entries + b"bytes", size=50))
    comment = zip_raw()[-22:]
    add("zip-end", "twice.zip", UNSAFE, zip_raw(comment=comment))
    add("zip-end", "data-after.zip", CORRUPT, zip_raw(after=b"more"))
    add("zip-end", "none.zip", CORRUPT, zip_raw()[:-22])
    add("zip-end", "cut.zip", CORRUPT, zip_raw()[:-1])
    add("zip-end", "cut-comment.zip", CORRUPT, zip_raw(comment=b"comment")[:-3])
    add("zip-end", "empty.zip", CORRUPT, b"")
    add("zip-directory", "too-many.zip", CORRUPT, zip_raw(count=2))
    add("zip-directory", "too-few.zip", UNSAFE, zip_raw(Member(b"x"), count=1))
    add("zip-directory", "elsewhere.zip", UNSAFE, zip_raw(offset=0))
    add("zip-directory", "beyond.zip", CORRUPT, zip_raw(offset=1 << 30))
    add("zip-directory", "no-header.zip", CORRUPT, zip_raw(Member(b"x", central={"offset": 7})))
    add("zip-volumes", "disk.zip", CORRUPT, zip_raw(disk=1))
    add("zip-volumes", "member.zip", CORRUPT, zip_raw(Member(b"x", central={"disk": 3})))
    add("zip-volumes", "mark.zip", CORRUPT, b"PK\x07\x08" + zip_raw())


def add_zip_content():
    add("zip-encrypted", "flag.zip", CORRUPT, zip_raw(Member(b"x", flags=1)))
    add("zip-encrypted", "strong.zip", CORRUPT, zip_raw(Member(b"x", flags=1 | 1 << 6)))
    add("zip-encrypted", "aes.zip", CORRUPT, zip_raw(Member(b"x", method=99)))
    for method in (1, 6, 9, 12, 14, 93, 95):
        add("zip-method", f"{method}.zip", CORRUPT, zip_raw(Member(b"x", method=method)))
    whole = zip_of([("want", b"good" * 1000)])
    add("zip-content", "sum.zip", CORRUPT, broken_want(lambda packed: packed, crc=1))
    add("zip-content", "size.zip", CORRUPT, broken_want(lambda packed: packed, size=3999))
    add("zip-content", "larger-size.zip", CORRUPT, broken_want(lambda packed: packed, size=4001))
    add("zip-content", "flipped.zip", CORRUPT, broken_want(lambda packed: b"\xff" + packed[1:]))
    add("zip-content", "cut.zip", CORRUPT, broken_want(lambda packed: packed[:-2]))
    add("zip-content", "after.zip", CORRUPT, broken_want(lambda packed: packed + b"more"))
    add("zip-content", "flipped-header.zip", CORRUPT, b"PK\x03\x05" + whole[4:])


def broken_want(change, **fields):
    """A zip whose wanted member has other data, or other fields, than it should."""
    content = b"good" * 1000
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = change(packer.compress(content) + packer.flush())
    member = Member(b"want", content, method=8, packed=packed, **fields)
    out = member.header() + packed
    entries = member.entry(0)
    return out + entries + struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 1, 1, len(entries), len(out), 0)


# --- 7z and xar --------------------------------------------------------------------------------------------------

LZMA, LZMA2 = b"\3\1\1", b"\x21"
# A decoder's properties: dictionaries of 64 KiB, and of almost 4 GiB.
SMALL, HUGE = b"\x5d\0\0\1\0", b"\x5d\xff\xff\xff\xff"


def number(value):
    """A number of a 7z's directory."""
    return bytes([value]) if value < 0x80 else b"\xff" + struct.pack("<Q", value)


def streams(place, packed, content, method, properties, size=None):
    """The description of one packed stream at `place`; `size` is what it says of the content's size."""
    coder = bytes([0x20 | len(method)]) + method + number(len(properties)) + properties
    return (
        b"\6" + number(place) + b"\1\t" + number(len(packed)) + b"\0"
        b"\7\x0b\1\0\1"
        + coder
        + b"\x0c"
        + number(len(content) if size is None else size)
        + b"\x0a\1"
        + struct.pack("<I", zlib.crc32(content))
        + b"\0"
    )


def lzma_packed(content, method):
    kind = lzma.FILTER_LZMA1 if method == LZMA else lzma.FILTER_LZMA2
    return lzma.compress(content, lzma.FORMAT_RAW, filters=[{"id": kind, "dict_size": 1 << 16}])


def seven_zip(
    method, properties, directory=None, directory_size=None, count=1, content=GOOD, mode=stat.S_IFREG | 0o644
):
    """A 7z of one entry; `directory` are the properties of its packed directory's decoder."""
    body = lzma_packed(content, method)
    names = b"\0" + "want\0".encode("utf-16-le")
    attributes = b"\1\0" + struct.pack("<I", mode << 16 | 0x8000)
    entry = b"\5" + number(count) + b"\x11" + number(len(names)) + names
    entry += b"\x15" + number(len(attributes)) + attributes + b"\0"
    end = b"\1\4" + streams(0, body, content, method, properties) + b"\x08\0\0" + entry + b"\0"
    if directory is not None:
        packed = lzma_packed(end, LZMA)
        end = b"\x17" + streams(len(body), packed, end, LZMA, directory, directory_size) + b"\0"
        body += packed
    start = struct.pack("<QQI", len(body), len(end), zlib.crc32(end))
    return b"7z\xbc\xaf\x27\x1c\0\4" + struct.pack("<I", zlib.crc32(start)) + start + body + end


def xar(data, style, more="", length=None):
    """A xar of one file.

    `more` is further text of its table, in the file's element; `length` is what it says of the table's own length.
    """
    table = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<xar><toc>'
        '<checksum style="sha1"><offset>0</offset><size>20</size></checksum>'
        '<file id="1"><name>want</name><type>file</type><mode>0644</mode>'
        f"<data><offset>20</offset><length>{len(data)}</length><size>{len(GOOD)}</size>"
        f'<encoding style="application/{style}"/></data>{more}</file></toc></xar>'
    ).encode()
    packed = zlib.compress(table)
    start = b"xar!" + struct.pack(">HHQQI", 28, 1, length or len(packed), len(table), 1)
    return start + packed + hashlib.sha1(packed).digest() + data


def huge_xz():
    """Data of xz whose dictionary is almost 4 GiB."""
    data = bytearray(lzma.compress(GOOD, lzma.FORMAT_XZ))
    # The header of the first block: its length, flags, LZMA2, one byte of properties.
    end = 12 + data[12] * 4
    data[16] = 40
    data[end : end + 4] = struct.pack("<I", zlib.crc32(data[12:end]))
    return bytes(data)


def add_xars():
    add("xar", "empty.xar", CORRUPT, b"xar!")
    add("xar", "noise.xar", CORRUPT, b"xar!" + struct.pack(">HHQQI", 28, 1, 100, 100, 1) + b"x" * 100)
    huge = bytearray(lzma.compress(GOOD, lzma.FORMAT_ALONE))
    huge[1:5] = HUGE[1:]
    add("xar-memory", "lzma.xar", CORRUPT, xar(bytes(huge), "x-lzma"))
    add("xar-memory", "lzma-reference.xar", CORRUPT, xar(bytes(huge), "x-lzm&#97;"))
    add("xar-memory", "table-length.xar", CORRUPT, xar(bytes(huge), "x-lzma", length=1 << 42))
    add("xar-memory", "xz.xar", CORRUPT, xar(huge_xz(), "x-xz"))
    second = lzma.compress(b"", lzma.FORMAT_XZ) + huge_xz()
    add("xar-memory", "xz-second.xar", CORRUPT, xar(second, "x-xz"))
    # libarchive takes the place of the second and the method of the first.
    again = f"<data><offset>{20 + len(second) - len(huge_xz())}</offset></data>"
    add("xar-memory", "xz-again.xar", CORRUPT, xar(second, "x-xz", more=again))
    add("xar-size", "longer.xar", CORRUPT, xar(zlib.compress(GOOD + b"x" * 3_000_000), "x-gzip"))
    add("xar-size", "shorter.xar", CORRUPT, xar(zlib.compress(GOOD[:-1]), "x-gzip"))


def add_others():
    add("7z", "empty.7z", CORRUPT, b"7z\xbc\xaf\x27\x1c")
    start = b"7z\xbc\xaf\x27\x1c\0\4" + b"\0" * 4 + struct.pack("<QQI", 1000, 50, 0)
    add("7z", "cut.7z", CORRUPT, start + b"x" * 100)
    add("7z", "noise.7z", CORRUPT, start[:12] + struct.pack("<QQI", 0, 50, 0) + b"x" * 50)
    add("7z", "data-after.7z", CORRUPT, start[:12] + struct.pack("<QQI", 0, 5, 0) + b"x" * 50)
    add("7z-memory", "lzma.7z", CORRUPT, seven_zip(LZMA, HUGE))
    add("7z-memory", "lzma2.7z", CORRUPT, seven_zip(LZMA2, b"\x28"))
    add("7z-memory", "lzma-packed.7z", CORRUPT, seven_zip(LZMA, HUGE, directory=SMALL))
    add("7z-memory", "directory.7z", CORRUPT, seven_zip(LZMA, SMALL, directory=HUGE))
    add("7z-memory", "long-directory.7z", CORRUPT, seven_zip(LZMA, SMALL, directory=SMALL, directory_size=1 << 40))
    add("7z-memory", "many-entries.7z", CORRUPT, seven_zip(LZMA, SMALL, directory=SMALL, count=99_999_999))
    link = seven_zip(LZMA, SMALL, directory=SMALL, content=b"x" * (2 << 20), mode=stat.S_IFLNK | 0o777)
    add("7z-memory", "long-link.7z", CORRUPT, link)


def main():
    folder = pathlib.Path(sys.argv[1])
    for step in (
        add_names,
        add_kinds,
        add_sizes,
        add_ends,
        add_choices,
        add_zip_names,
        add_zip_kinds,
        add_zip_headers,
        add_zip_places,
        add_zip_content,
        add_others,
        add_xars,
    ):
        step()
    lines = []
    for kind, name, code, data in archives:
        (folder / name).write_bytes(data)
        lines.append(f"{name}\t{kind}\t{code}\n")
    (folder / "list.tsv").write_text("".join(lines))


if __name__ == "__main__":
    main()
