"""A journaled ext4 of our own, since what a small file costs depends on the file system most of all."""

import contextlib
import os
import subprocess

from . import place


@contextlib.contextmanager
def journaled(gibibytes):
    """Gives a folder and what it is on: a loop-mounted ext4 where root may, else the scratch folder."""
    image, mount = os.path.join(place.SCRATCH, "ext4.img"), place.folder("ext4")
    try:
        with contextlib.suppress(FileNotFoundError):
            os.remove(image)
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "check": True}
        subprocess.run(["truncate", "-s", f"{gibibytes}G", image], **quiet)
        subprocess.run(["mkfs.ext4", "-q", "-F", "-i", "8192", image], **quiet)
        subprocess.run(["mount", "-o", "loop", image, mount], **quiet)
    except (OSError, subprocess.CalledProcessError):
        yield place.folder("plain"), "the scratch folder's own file system (no loop mount possible here)"
        return
    try:
        yield mount, "a loop-mounted ext4 with a journal"
    finally:
        subprocess.run(["umount", mount], check=True)
        os.remove(image)
