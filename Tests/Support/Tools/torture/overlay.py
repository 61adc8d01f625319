"""A root on an overlay mount, as a container has it: the old files are in a layer below, which is never written to.

There a folder of the lower layer can neither be renamed nor exchanged (EXDEV), and a file that is written, linked or
renamed is first copied up. Only root may mount; the mounts are in a namespace of this process and its children.
"""

import ctypes
import os
import shutil
import subprocess
import tempfile

CLONE_NEWNS = 0x20000
MS_REC, MS_PRIVATE = 0x4000, 1 << 18


def enter_namespace(folder):
    """Whether overlays can be mounted below `folder` from now on."""
    libc = ctypes.CDLL(None, use_errno=True)
    if os.geteuid() != 0 or libc.unshare(CLONE_NEWNS) or libc.mount(None, b"/", None, MS_REC | MS_PRIVATE, None):
        return False
    trial = tempfile.mkdtemp(dir=folder)
    try:
        os.mkdir(os.path.join(trial, "root"))
        cover(os.path.join(trial, "root"), os.path.join(trial, "layers"))
        uncover(os.path.join(trial, "root"))
        return True
    except subprocess.CalledProcessError:
        return False
    finally:
        shutil.rmtree(trial, ignore_errors=True)


def cover(root, layers):
    """Makes the folder `root` the lower layer of a mount in its place; `layers` is a folder for the layers."""
    shutil.rmtree(layers, ignore_errors=True)
    os.mkdir(layers)
    lower, upper, work = (os.path.join(layers, name) for name in ("lower", "upper", "work"))
    os.rename(root, lower)
    for folder in (upper, work, root):
        os.mkdir(folder)
    options = f"lowerdir={lower},upperdir={upper},workdir={work}"
    subprocess.run(["mount", "-t", "overlay", "overlay", "-o", options, root], check=True, stderr=subprocess.DEVNULL)


def uncover(root):
    subprocess.run(["umount", root], check=True)
