#!/usr/bin/env python3
"""Makes an archive, always the same bytes for the same entries.

usage: make-archive.py OUTPUT FORMAT ENTRY...

FORMAT is tar, tar.gz, tar.xz, tar.zst, tar.bz2, zip, zip-stored, 7z or xar. An entry is one of

    PATH=FILE     a file with the content of FILE
    PATH/         a folder
    PATH->TARGET  a symbolic link
    PATH=>TARGET  a hard link (tar)
    PATH!fifo     a named pipe (tar)

tar.zst needs the program zstd, 7z the program 7z, and xar the program bsdtar.
"""

import bz2
import gzip
import io
import lzma
import os
import pathlib
import stat
import subprocess
import sys
import tarfile
import tempfile
import zipfile


def parse(text):
    """The path, the kind and the rest of an entry."""
    if text.endswith("/"):
        return text, "folder", ""
    for mark, kind in (("=>", "hard link"), ("->", "link"), ("!", "special"), ("=", "file")):
        path, found, rest = text.partition(mark)
        if found:
            return path, kind, rest
    raise SystemExit(f"no entry: {text}")


def tar(entries):
    """A tar in the form of pax where ustar does not suffice."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, kind, rest in entries:
            info = tarfile.TarInfo(path.rstrip("/") if kind == "folder" else path)
            content = b""
            if kind == "folder":
                info.type, info.mode = tarfile.DIRTYPE, 0o755
            elif kind == "link":
                info.type, info.linkname = tarfile.SYMTYPE, rest
            elif kind == "hard link":
                info.type, info.linkname = tarfile.LNKTYPE, rest
            elif kind == "special":
                info.type = tarfile.FIFOTYPE
            else:
                content = pathlib.Path(rest).read_bytes()
                info.size, info.mode = len(content), 0o755
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def compress(data, form):
    """The tar as this form of compression has it."""
    if form == "tar.gz":
        return gzip.compress(data, mtime=0)
    if form == "tar.xz":
        return lzma.compress(data)
    if form == "tar.bz2":
        return bz2.compress(data)
    if form == "tar.zst":
        return subprocess.run(["zstd", "-q", "-c"], input=data, stdout=subprocess.PIPE, check=True).stdout
    return data


def zip_file(entries, method):
    """A zip as Unix programs write it."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for path, kind, rest in entries:
            info = zipfile.ZipInfo(path)
            info.create_system = 3
            info.compress_type = method
            if kind == "folder":
                info.external_attr = (stat.S_IFDIR | 0o755) << 16
                archive.writestr(info, b"")
            elif kind == "link":
                info.external_attr = (stat.S_IFLNK | 0o777) << 16
                archive.writestr(info, rest)
            else:
                info.external_attr = (stat.S_IFREG | 0o755) << 16
                archive.writestr(info, pathlib.Path(rest).read_bytes())
    return out.getvalue()


def by_program(entries, form, output):
    """An archive that another program makes of files."""
    target = os.path.abspath(output)
    with tempfile.TemporaryDirectory() as folder:
        for path, kind, rest in entries:
            place = pathlib.Path(folder, path)
            place.parent.mkdir(parents=True, exist_ok=True)
            if kind == "folder":
                place.mkdir(exist_ok=True)
            elif kind == "link":
                place.symlink_to(rest)
            else:
                place.write_bytes(pathlib.Path(rest).read_bytes())
            if kind != "link":
                os.utime(place, (0, 0))
        names = sorted(os.listdir(folder))
        command = (
            ["7z", "a", "-bd", "-y", "-snl", target] if form == "7z" else ["bsdtar", "-c", "--format=xar", "-f", target]
        )
        subprocess.run(command + names, cwd=folder, stdout=subprocess.DEVNULL, check=True)


def main():
    output, form, *texts = sys.argv[1:]
    entries = [parse(text) for text in texts]
    if form in ("7z", "xar"):
        by_program(entries, form, output)
    elif form.startswith("zip"):
        method = zipfile.ZIP_STORED if form == "zip-stored" else zipfile.ZIP_DEFLATED
        pathlib.Path(output).write_bytes(zip_file(entries, method))
    else:
        pathlib.Path(output).write_bytes(compress(tar(entries), form))


if __name__ == "__main__":
    main()
