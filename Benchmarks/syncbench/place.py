"""The places of the project, the scratch folder and the compiled floors."""

import os
import shutil
import subprocess
import sys

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FLOORS = os.path.join(PROJECT, "Benchmarks", "floors")
SCRATCH = os.environ.get("SYNCMAKE_BENCH_DIR", "/tmp/syncmake-bench")


def say(text):
    """Prints progress to standard error; only the tables go to standard output."""
    print(f"==> {text}", file=sys.stderr, flush=True)


def folder(name, empty=False):
    """The subfolder `name` of the scratch folder, which is created if it is missing."""
    path = os.path.join(SCRATCH, name)
    if empty:
        shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path, exist_ok=True)
    return path


def move_away(path):
    """Makes room at `path` without deleting: for minutes, ext4 looks for a new inode past all those that were deleted."""
    number = 1
    while os.path.exists(f"{path}-earlier{number}"):
        number += 1
    os.rename(path, f"{path}-earlier{number}")


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def loop_in_c():
    """The floor `cmulti`, with its option -s if OpenSSL's headers are installed."""
    return compiled("cmulti", "-DHAVE_CRYPTO", "-pthread", "-lcurl", "-lcrypto") or compiled(
        "cmulti", "-pthread", "-lcurl"
    )


def compiled(name, *flags):
    """The path of a floor, compiled if it is older than its source; None if it cannot be compiled."""
    source = os.path.join(FLOORS, name + ".c")
    program = os.path.join(folder("bin"), name)
    if os.path.exists(program) and os.path.getmtime(program) >= os.path.getmtime(source):
        return program
    command = ["cc", "-O2", "-Wall", "-Wextra", "-o", program, source, *flags]
    try:
        ended = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    except FileNotFoundError:
        return None
    return program if ended.returncode == 0 else None
