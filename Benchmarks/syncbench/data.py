"""The files of the workloads."""

import hashlib
import os
import random
import shutil
import subprocess

from . import place

SMALL = 4096
MODIFIED = 1700000000
# nginx makes ETags from time and size, so all these files have the same one.
ETAG = f'"{MODIFIED:x}-{SMALL:x}"'


def name(number):
    return f"f{number:06d}"


def served():
    return place.folder("served")


def listing_of(label):
    """The file with the digests of the files served under `label`, one per line."""
    return os.path.join(place.SCRATCH, label + ".sha256")


def small_files(count):
    """A served folder with `count` files of 4 KiB of random bytes; returns its name and the digest of each."""
    label = f"small{count}"
    path, listing = os.path.join(served(), label), listing_of(label)
    if not os.path.exists(listing):
        os.makedirs(path, exist_ok=True)
        noise = random.Random(count)
        digests = []
        for number in range(count):
            body = noise.randbytes(SMALL)
            file = os.path.join(path, name(number))
            with open(file, "wb") as out:
                out.write(body)
            os.utime(file, (MODIFIED, MODIFIED))
            digests.append(hashlib.sha256(body).hexdigest())
        place.write(listing, "\n".join(digests))
    with open(listing, encoding="utf-8") as file:
        return label, file.read().split()


def large_noise(size):
    """One served file that cannot be compressed; returns its name and digest."""
    return made(f"noise{size}", lambda path: noise(path, size))


def large_gzip(size):
    """A log-like text of `size` bytes, compressed about 4 to 1; returns its name and the compressed bytes' digest."""
    packer = "pigz" if shutil.which("pigz") else "gzip"
    return made(f"text{size}.gz", lambda path: packed_text(path, size, [packer, "-n", "-6"]))


def large_packed(size, packer, suffix):
    """The same text, compressed by the command `packer`; returns its name and the digest of the compressed bytes."""
    label = f"text{size}{''.join(packer)}.{suffix}"
    return made(label, lambda path: packed_text(path, size, packer))


def made(label, make):
    path = os.path.join(served(), label)
    listing = listing_of(label)
    if not os.path.exists(listing):
        place.say(f"making {label}")
        make(path)
        digest = hashlib.sha256()
        with open(path, "rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
        place.write(listing, digest.hexdigest())
    with open(path, "rb") as file:
        # Reads them into the page cache, so that the server's disk has no effect.
        while file.read(1 << 20):
            pass
    with open(listing, encoding="utf-8") as file:
        return label, file.read().strip()


def noise(path, size):
    random_bytes = random.Random(size)
    with open(path, "wb") as file:
        for start in range(0, size, 1 << 20):
            file.write(random_bytes.randbytes(min(1 << 20, size - start)))


def log_lines(size):
    """About `size` bytes of lines as in logs: a few frequent words, and numbers that change."""
    chance = random.Random(7)
    words = [
        "".join(chance.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(chance.randint(3, 10))) for _ in range(4000)
    ]
    lines, length = [], 0
    while length < size:
        some = " ".join(words[min(3999, int(chance.paretovariate(0.55)) - 1)] for _ in range(9))
        line = (
            f"2024-0{chance.randint(1, 9)}-1{chance.randint(0, 9)}T0{chance.randint(0, 9)}:"
            f"{chance.randint(10, 59)}Z id={chance.randint(0, 99999)} {some}\n"
        )
        lines.append(line)
        length += len(line)
    return "".join(lines).encode()[:size]


def packed_text(path, size, packer):
    block = log_lines(min(size, 64 << 20))
    with open(path, "wb") as out, subprocess.Popen([*packer, "-c"], stdin=subprocess.PIPE, stdout=out) as process:
        # The block is repeated only at a distance larger than the compressor's window.
        for start in range(0, size, len(block)):
            process.stdin.write(block[: size - start])
        process.stdin.close()
