"""A manifest whose files change between runs, for random-kills."""

import bz2
import functools
import gzip
import io
import zipfile

from scenarios import NEW_TIME, Scenario, manifest, noise, sidecar, tar_of, text, zipped
from server import SignedRedirect

# The last version is reached only if every kill follows a change.
VERSIONS = 12

MANIFEST = manifest(
    'plain: {url: "${base}/plain.txt"}',
    'dated: {url: "${base}/dated.bin", output: data/dated.bin, freshness: mtime}',
    'still: {url: "${base}/still.txt", output: data/still.txt}',
    'big: {url: "${base}/big.bin", output: data/big.bin}',
    'zipped: {url: "${base}/zipped.gz", output: data/zipped, steps: [gunzip]}',
    # As GitHub's releases and Hugging Face's files come.
    'released: {url: "${base}/latest/released.bin", output: data/released.bin}',
    'packed: {url: "${base}/latest/packed.gz", output: data/packed, steps: [gunzip]}',
    'squeezed: {url: "${base}/squeezed.bz2", output: data/squeezed, steps: [bunzip2]}',
    'inside: {url: "${base}/inside.tar.gz", output: data/inside, steps: [{unpack: {entry: "*/inside"}}]}',
    'enclosed: {url: "${base}/enclosed.zip", output: data/enclosed, steps: [{unpack: {entry: "*/enclosed"}}]}',
    'docs: {url: "${base}/docs.tar.gz", output: data/docs/, steps: [unpack]}',
    'checked: {url: "${base}/checked.gz", output: data/checked,'
    ' steps: [{verify: {sha256: {url: "${base}/checked.gz.sha256"}}}, gunzip]}',
    'summed: {url: "${base}/checked.gz", output: data/summed.gz,'
    ' freshness: {sha256: {url: "${base}/checked.gz.sha256"}}}',
    "unpacked: {from: summed, output: data/unpacked, steps: [gunzip]}",
    "copied: {from: unpacked, output: copies/unpacked, needs: [plain]}",
    *(f'small{number}: {{url: "${{base}}/small/{number}.txt", output: small/{number}.txt}}' for number in range(6)),
)


def zip_of(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return out.getvalue()


def docs(number):
    """The files of a folder output: one of 100 changes, one leaves, and one comes with its folder."""
    files = {f"part{file % 7}/{file}.txt": text(f"doc{file}", 3) for file in range(98)}
    files["changing.txt"] = text(f"changing{number}", 3)
    files[f"new{number}/only.txt"] = text(f"only{number}", 3)
    return files


@functools.cache
def version(number):
    """The server's files, and the expected content of the outputs."""
    checked = text(f"checked{number}", 900)
    packed = zipped(checked)
    zipped_text = text(f"zipped{number}", 2500)
    files = {
        "/plain.txt": text(f"plain{number}", 20),
        "/dated.bin": noise(f"dated{number}", 30_000),
        "/still.txt": text("still", 5),
        "/big.bin": noise(f"big{number}", 600_000),
        "/latest/released.bin": SignedRedirect("/store/released.bin"),
        "/store/released.bin": noise(f"released{number}", 500_000),
        "/latest/packed.gz": SignedRedirect("/store/packed.gz"),
        "/store/packed.gz": zipped(zipped_text),
        "/zipped.gz": zipped(zipped_text),
        "/squeezed.bz2": bz2.compress(zipped_text),
        "/inside.tar.gz": gzip.compress(
            tar_of({"d/other": zipped_text, "d/inside": noise(f"inside{number}", 400_000)}), mtime=0
        ),
        "/enclosed.zip": zip_of({"d/enclosed": noise(f"enclosed{number}", 400_000), "d/other": zipped_text}),
        "/docs.tar.gz": gzip.compress(tar_of(docs(number)), mtime=0),
        "/checked.gz": packed,
        "/checked.gz.sha256": sidecar(packed, "checked.gz"),
    }
    outputs = {
        "plain.txt": files["/plain.txt"],
        "data/dated.bin": files["/dated.bin"],
        "data/still.txt": files["/still.txt"],
        "data/big.bin": files["/big.bin"],
        "data/zipped": zipped_text,
        "data/squeezed": zipped_text,
        "data/packed": zipped_text,
        "data/inside": noise(f"inside{number}", 400_000),
        "data/enclosed": noise(f"enclosed{number}", 400_000),
        "data/released.bin": files["/store/released.bin"],
        "data/checked": checked,
        "data/summed.gz": packed,
        "data/unpacked": checked,
        "copies/unpacked": checked,
    }
    outputs |= {f"data/docs/{path}": data for path, data in docs(number).items()}
    for small in range(6):
        # These change only sometimes.
        files[f"/small/{small}.txt"] = text(f"small{small} {(number + small) // 3}", 8)
        outputs[f"small/{small}.txt"] = files[f"/small/{small}.txt"]
    return files, outputs


# The folder output, somebody's file in it, and the paths in it of files that never change.
FOLDER = "data/docs"
OWN = {"notes/own.txt": b"mine\n"}
UNCHANGED = {f"part{file % 7}/{file}.txt" for file in range(98)} | set(OWN)


def folder(number):
    """What is in the folder output."""
    return docs(number) | OWN


def at_version_zero(exchanges):
    """A scenario that stays at the first version; its preparation creates the first outputs."""
    files, outputs = version(0)
    return Scenario(
        "flux",
        MANIFEST,
        files,
        files,
        outputs,
        outputs,
        unasked=("summed",),
        folder=FOLDER,
        own={f"{FOLDER}/{path}": data for path, data in OWN.items()},
        exchanges=exchanges,
    )


def time_of(number):
    return NEW_TIME + 60 * number
