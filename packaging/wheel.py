#!/usr/bin/env python3
"""Packs the program as a Python wheel, so that `pip install` and `uvx` bring it.

usage: wheel.py --tree DIR --version VERSION --machine MACHINE --glibc VERSION --output DIR

DIR has `bin/syncmake` and `share`, as scripts/release lays them out. Nothing in the wheel is Python: pip puts the
program where it puts scripts. The tag says which glibc the program needs; an empty one stands for macOS. The bytes
depend on the arguments, the files and SOURCE_DATE_EPOCH only.
"""

import argparse
import base64
import hashlib
import os
import pathlib
import re
import time
import zipfile

METADATA = """\
Metadata-Version: 2.4
Name: syncmake
Version: {version}
Summary: Bring local files up to date with remote ones, as make brings objects up to date with sources
Home-page: https://github.com/syncmake/syncmake
License-Expression: Apache-2.0
License-File: LICENSE
Keywords: download,make,lock,checksum,ci
Classifier: Environment :: Console
Classifier: Topic :: Internet :: WWW/HTTP
Requires-Python: >=3.7
Description-Content-Type: text/markdown

This wheel contains the program `syncmake` and no Python code. It loads the system's libcurl for requests
(`libcurl4` on Debian and Ubuntu, `libcurl` on Fedora).

{readme}"""


# PEP 440's short forms.
STAGES = {"alpha": "a", "beta": "b"}


def python_version(version):
    """The version in PEP 440's form: 1.0.0-rc.1 is 1.0.0rc1."""
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)*)(?:-(a|alpha|b|beta|rc)\.?([0-9]+))?", version)
    if not match:
        raise SystemExit(f"{version} is no version for a wheel: 1.2.3, or with -alpha.N, -beta.N, -rc.N at its end")
    number, stage, count = match.groups()
    return number + (f"{STAGES.get(stage, stage)}{count}" if stage else "")


def platform_tag(machine, glibc):
    if not glibc:
        return "macosx_15_0_" + {"aarch64": "arm64"}.get(machine, machine)
    return "manylinux_{}_{}_{}".format(*glibc.split("."), machine)


def with_whole_links(readme, version):
    """The text with links to the project's pages of this version: on an index of packages there is nothing beside it."""
    page = f"https://github.com/syncmake/syncmake/blob/v{version}/"
    readme = re.sub(r"(!\[[^\]]*\]\()(?!\w+:|#)", r"\1" + page.replace("/blob/", "/raw/"), readme)
    return re.sub(r"((?<!!)\[[^\]]*\]\()(?!\w+:|#)", r"\1" + page, readme)


def digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def main():
    parser = argparse.ArgumentParser()
    for option in ["tree", "version", "machine", "glibc", "output"]:
        parser.add_argument("--" + option, required=True)
    options = parser.parse_args()

    tree = pathlib.Path(options.tree)
    version = python_version(options.version)
    tag = "py3-none-" + platform_tag(options.machine, options.glibc)
    info = f"syncmake-{version}.dist-info"
    data = f"syncmake-{version}.data"
    readme = with_whole_links((tree / "share/doc/syncmake/README.md").read_text(encoding="utf-8"), options.version)

    # Name in the wheel, content, mode.
    files = [(f"{data}/scripts/syncmake", (tree / "bin/syncmake").read_bytes(), 0o755)]
    for path in sorted((tree / "share").rglob("*")):
        if path.is_file() and "doc" not in path.relative_to(tree).parts:
            files.append((f"{data}/data/{path.relative_to(tree)}", path.read_bytes(), 0o644))
    licence = (tree / "share/doc/syncmake/LICENSE").read_bytes()
    wheel = f"Wheel-Version: 1.0\nGenerator: syncmake\nRoot-Is-Purelib: false\nTag: {tag}\n"
    files += [
        (f"{info}/METADATA", METADATA.format(version=version, readme=readme).encode(), 0o644),
        (f"{info}/WHEEL", wheel.encode(), 0o644),
        (f"{info}/licenses/LICENSE", licence, 0o644),
    ]
    record = "".join(f"{name},sha256={digest(content)},{len(content)}\n" for name, content, _ in files)
    files.append((f"{info}/RECORD", (record + f"{info}/RECORD,,\n").encode(), 0o644))

    moment = time.gmtime(max(int(os.environ["SOURCE_DATE_EPOCH"]), 315532800))[:6]
    target = pathlib.Path(options.output) / f"syncmake-{version}-{tag}.whl"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content, mode in files:
            entry = zipfile.ZipInfo(name, moment)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = (0o100000 | mode) << 16
            archive.writestr(entry, content)


main()
