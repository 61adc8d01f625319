"""A separate ext4 with a journal, since the cost of a small file depends mostly on the file system."""

import contextlib
import os
import subprocess

from . import place


@contextlib.contextmanager
def journaled(gibibytes):
    """Returns a folder and its file system: a loop-mounted ext4 if the user may mount it, else the scratch folder."""
    image, mount = os.path.join(place.SCRATCH, "ext4.img"), place.folder("ext4")
    try:
        with contextlib.suppress(FileNotFoundError):
            os.remove(image)
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "check": True}
        subprocess.run(["truncate", "-s", f"{gibibytes}G", image], **quiet)
        subprocess.run(["mkfs.ext4", "-q", "-F", "-i", "8192", image], **quiet)
        subprocess.run(["mount", "-o", "loop", image, mount], **quiet)
        # Otherwise each page that is written is copied once more, to the image's own pages.
        device = subprocess.run(["findmnt", "-no", "SOURCE", mount], capture_output=True, text=True, check=True)
        subprocess.run(["losetup", "--direct-io=on", device.stdout.strip()], **{**quiet, "check": False})
    except (OSError, subprocess.CalledProcessError):
        yield place.folder("plain"), "the scratch folder's own file system (no loop mount possible here)"
        return
    try:
        yield mount, "a loop-mounted ext4 with a journal"
    finally:
        subprocess.run(["umount", mount], check=True)
        os.remove(image)
