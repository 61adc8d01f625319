"""The peers: which of them are installed, and in which version."""

import glob
import os
import shutil
import subprocess

from . import place

# The Debian package that holds each program.
PACKAGES = {
    "make": "make",
    "ninja": "ninja-build",
    "aria2c": "aria2",
    "wget2": "wget2",
    "curl": "curl",
    "rclone": "rclone",
    "nginx": "nginx",
    "openssl": "openssl",
    "gunzip": "gzip",
    "sha256sum": "coreutils",
    "xz": "xz-utils",
    "zstd": "zstd",
    "bzip2": "bzip2",
    "strace": "strace",
}
VERSION_OPTION = {"nginx": "-v", "openssl": "version", "rclone": "version", "bzip2": "--help"}


def install():
    """Installs missing peers if the system allows it; those that it does not provide stay absent."""
    missing = [package for program, package in PACKAGES.items() if not shutil.which(program)]
    headers = {
        "/usr/include/*/curl/curl.h": "libcurl4-openssl-dev",
        "/usr/include/zlib.h": "zlib1g-dev",
        "/usr/include/isa-l/igzip_lib.h": "libisal-dev",
    }
    missing += [package for pattern, package in headers.items() if not glob.glob(pattern)]
    if missing and shutil.which("apt-get") and os.geteuid() == 0:
        place.say("installing " + " ".join(missing))
        subprocess.run(["apt-get", "install", "-y", "-q", *missing], stdout=subprocess.DEVNULL, check=False)
    python = os.path.join(place.folder("python"), "bin", "python")
    if not os.path.exists(python):
        place.say("installing pooch")
        subprocess.run(["python3", "-m", "venv", place.folder("python")], check=False)
        if os.path.exists(python):
            subprocess.run([python, "-m", "pip", "install", "-q", "pooch"], check=False)


def pooch():
    """A Python with the module pooch, or None."""
    python = os.path.join(place.SCRATCH, "python", "bin", "python")
    if not os.path.exists(python):
        return None
    tried = subprocess.run([python, "-c", "import pooch"], capture_output=True, check=False)
    return python if tried.returncode == 0 else None


def version(program):
    """The first line of its version output, or None if it is absent."""
    path = shutil.which(program)
    if not path:
        return None
    ended = subprocess.run(
        [path, VERSION_OPTION.get(program, "--version")], capture_output=True, text=True, check=False
    )
    lines = (ended.stdout + ended.stderr).splitlines()
    return lines[0].strip() if lines else "unknown"


def described():
    """A Markdown list of all peers that names the absent ones."""
    lines = [
        f"- {program}: {version(program) or '**absent**, and so not in the tables'}"
        for program in PACKAGES
        if program not in ("gunzip", "sha256sum")
    ]
    lines.append(f"- pooch: {'present' if pooch() else '**absent**, and so not in the tables'}")
    return "\n".join(lines)
