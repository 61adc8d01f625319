"""The attacked scenarios: manifests, and the server's files before and after.

A scenario's targets have an `old` state, which may be empty, and a `new` one, which the attacked run must produce.
All data come from a seed, so that they are the same in every process.
"""

import email.utils
import gzip
import hashlib
import io
import lzma
import random
import tarfile

OLD_TIME = 1_600_000_000
NEW_TIME = 1_650_000_000


def noise(name, size):
    return random.Random(name).randbytes(size)


def text(name, lines):
    generator = random.Random(name)
    return "".join(f"{name} {number} {generator.random()}\n" for number in range(lines)).encode()


def zipped(data):
    return gzip.compress(data, 6, mtime=0)


def tar_of(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def sidecar(data, name):
    return f"{hashlib.sha256(data).hexdigest()}  {name}\n".encode()


class Scenario:
    """One manifest.

    `old` and `new` map URL paths to bodies; `outputs_old` and `outputs_new` map outputs to their content.
    With `cut`, an earlier run has left a partial download of this number of bytes of `cut_path`. Targets in `unasked`
    are decided by a digest, the lock's or another: without their records no server is asked, so no validator is
    known. `command` is the attacked command, by default a run; a file that it writes counts as an output.
    In a `settled` scenario earlier runs have found everything unchanged, so that the attacked run uses their
    snapshot; files that are equal in `old` and `new` have equal times. `note` is a text that was added to the
    manifest since then. An `all_or_nothing` command changes all outputs that differ, or none; its `old` has all of them.
    `folder` is the path of a folder output; its files are among the outputs, and those of `own` are put there before
    the attacked run, by somebody else. The outputs in `together` change in one step, or none of them does; other outputs
    are made from them. Without `exchanges`, the system cannot exchange two folders: the preloaded library
    refuses it or, with `overlay`, the root is on an overlay mount (overlay.py). With `cache`, runs use a cache outside of
    the root: "empty", or "full" with what another root has fetched from the new server.
    """

    def __init__(
        self,
        name,
        manifest,
        old,
        new,
        outputs_old,
        outputs_new,
        cut_path=None,
        cut=None,
        unasked=(),
        command=(),
        settled=False,
        note="",
        all_or_nothing=False,
        folder=None,
        own=(),
        exchanges=True,
        overlay=False,
        together=(),
        cache=None,
    ):
        self.cache = cache
        self.overlay = overlay
        self.together = set(together)
        self.folder, self.own, self.exchanges = folder, dict(own), exchanges
        self.unasked = unasked
        self.all_or_nothing = all_or_nothing
        self.command = command
        self.settled = settled
        self.note = note
        self.name = name
        self.manifest = manifest
        self.old, self.new = old, new
        self.outputs_old, self.outputs_new = outputs_old, outputs_new
        self.cut_path, self.cut = cut_path, cut

    def output_of(self, url_path):
        """The output of an `all_or_nothing` scenario, a file or the folder, that is made from the file at a path."""

        def stem(path):
            return path.rsplit("/", 1)[-1].split(".")[0]

        outputs = [self.folder] if self.folder else []
        return next(output for output in outputs + list(self.outputs_new) if stem(output) == stem(url_path))

    @property
    def changing(self):
        """The files that differ between the old outputs and the new ones."""
        both = self.outputs_old.keys() | self.outputs_new.keys()
        return {output for output in both if self.outputs_old.get(output) != self.outputs_new.get(output)}


def manifest(*targets):
    lines = ["version: 1", "vars: {base: '${env:BASE}'}", "defaults: {retries: 1}", "targets:"]
    return "\n".join(lines + ["  " + target for target in targets]) + "\n"


def first_fetch():
    a, b, c = text("a1", 40), noise("b1", 50_000), noise("c1", 3000)
    return Scenario(
        "first-fetch",
        manifest(
            'a: {url: "${base}/a.txt"}',
            'b: {url: "${base}/b.bin", output: data/deep/b.bin, freshness: mtime}',
            f'c: {{url: "${{base}}/c.bin", output: data/c.bin, mode: "0600",'
            f" freshness: {{sha256: {hashlib.sha256(c).hexdigest()}}}}}",
        ),
        {},
        {"/a.txt": a, "/b.bin": b, "/c.bin": c},
        {},
        {"a.txt": a, "data/deep/b.bin": b, "data/c.bin": c},
        unasked=("c",),
    )


def cached(name, cache):
    a, b, c = text("a1", 40), noise("b1", 400_000), noise("c1", 3000)
    return Scenario(
        name,
        manifest(
            'a: {url: "${base}/a.txt"}',
            'b: {url: "${base}/b.bin.gz", output: data/b.bin, steps: [gunzip]}',
            f'c: {{url: "${{base}}/c.bin", output: data/c.bin, freshness: {{sha256: {hashlib.sha256(c).hexdigest()}}}}}',
        ),
        {},
        {"/a.txt": a, "/b.bin.gz": zipped(b), "/c.bin": c},
        {},
        {"a.txt": a, "data/b.bin": b, "data/c.bin": c},
        unasked=("c",),
        cache=cache,
    )


def into_cache():
    return cached("into-cache", "empty")


def from_cache():
    return cached("from-cache", "full")


def update():
    a, a2, b, b2, c = text("a1", 40), text("a2", 50), noise("b1", 50_000), noise("b2", 60_000), text("c", 9)
    return Scenario(
        "update",
        manifest(
            'a: {url: "${base}/a.txt"}',
            'b: {url: "${base}/b.bin", output: data/b.bin, freshness: mtime}',
            'c: {url: "${base}/c.txt", output: data/c.txt, needs: [a]}',
        ),
        {"/a.txt": a, "/b.bin": b, "/c.txt": c},
        {"/a.txt": a2, "/b.bin": b2, "/c.txt": c},
        {"a.txt": a, "data/b.bin": b, "data/c.txt": c},
        {"a.txt": a2, "data/b.bin": b2, "data/c.txt": c},
    )


def unzip():
    old, new = text("old", 400), text("new", 3000)
    new_z = zipped(new)
    return Scenario(
        "gunzip",
        manifest('genes: {url: "${base}/genes.tsv.gz", output: genes.tsv, steps: [gunzip]}'),
        {"/genes.tsv.gz": zipped(old)},
        {"/genes.tsv.gz": new_z},
        {"genes.tsv": old},
        {"genes.tsv": new},
    )


def resume():
    old, new = noise("old", 2000), noise("new", 400_000)
    return Scenario(
        "resume",
        manifest('big: {url: "${base}/big.bin", retries: 0}'),
        {"/big.bin": old},
        {"/big.bin": new},
        {"big.bin": old},
        {"big.bin": new},
        cut_path="/big.bin",
        cut=250_000,
    )


def resume_unzip():
    new = noise("new", 400_000)
    return Scenario(
        "resume-gunzip",
        manifest(
            f'big: {{url: "${{base}}/big.bin.gz", retries: 0, steps: [gunzip,'
            f" {{verify: {{sha256: {hashlib.sha256(new).hexdigest()}}}}}]}}"
        ),
        {},
        {"/big.bin.gz": zipped(new)},
        {},
        {"big.bin": new},
        cut_path="/big.bin.gz",
        cut=250_000,
    )


def resume_unxz():
    """Several streams, of which the partial download ends inside one."""
    new = noise("new", 400_000)
    packed = b"".join(lzma.compress(new[start : start + 90_000]) for start in range(0, len(new), 90_000))
    return Scenario(
        "resume-unxz",
        manifest('big: {url: "${base}/big.bin.xz", retries: 0, steps: [unxz]}'),
        {},
        {"/big.bin.xz": packed},
        {},
        {"big.bin": new},
        cut_path="/big.bin.xz",
        cut=250_000,
    )


def large():
    """The unpacked output is large enough to bypass the page cache, and ends within a page."""
    new = text("large", 100) * 3200
    new_z = zipped(new)
    return Scenario(
        "large",
        manifest('large: {url: "${base}/large.gz", output: large, steps: [gunzip]}'),
        {},
        {"/large.gz": new_z},
        {},
        {"large": new},
    )


def many():
    old = {f"/{number}.txt": text(f"old{number}", 5) for number in range(15)}
    new = {f"/{number}.txt": text(f"new{number}", 6) for number in range(30)}

    def output(path):
        return f"out{int(path[1:-4]) % 3}{path}"

    return Scenario(
        "many",
        manifest(
            *(
                f't{number}: {{url: "${{base}}/{number}.txt", output: out{number % 3}/{number}.txt}}'
                for number in range(30)
            )
        ),
        # Only some of the targets are selected in the first run, so that the others are missing.
        old,
        new,
        {output(path): data for path, data in old.items()},
        {output(path): data for path, data in new.items()},
    )


def verified():
    old, new = zipped(text("old", 300)), zipped(text("new", 500))
    return Scenario(
        "sidecar",
        manifest(
            'genes: {url: "${base}/genes.gz", output: genes,'
            ' steps: [{verify: {sha256: {url: "${base}/genes.gz.sha256"}}}, gunzip]}',
            'raw: {url: "${base}/genes.gz", freshness: {sha256: {url: "${base}/genes.gz.sha256"}}}',
        ),
        {"/genes.gz": old, "/genes.gz.sha256": sidecar(old, "genes.gz")},
        {"/genes.gz": new, "/genes.gz.sha256": sidecar(new, "genes.gz")},
        {"genes": gzip.decompress(old), "genes.gz": old},
        {"genes": gzip.decompress(new), "genes.gz": new},
        unasked=("raw",),
    )


def chain():
    old, new = text("old", 200), text("new", 300)
    old_z, new_z = zipped(old), zipped(new)
    return Scenario(
        "from-chain",
        manifest(
            'sums: {url: "${base}/SUMS"}',
            'packed: {url: "${base}/genes.gz", output: in/genes.gz,'
            " steps: [{verify: {sha256: {target: sums, entry: genes.gz}}}]}",
            "genes: {from: packed, output: out/genes, steps: [gunzip]}",
            "copy: {from: genes, output: copy/genes}",
        ),
        {"/SUMS": sidecar(old_z, "genes.gz"), "/genes.gz": old_z},
        {"/SUMS": sidecar(new_z, "genes.gz"), "/genes.gz": new_z},
        {"SUMS": sidecar(old_z, "genes.gz"), "in/genes.gz": old_z, "out/genes": old, "copy/genes": old},
        {"SUMS": sidecar(new_z, "genes.gz"), "in/genes.gz": new_z, "out/genes": new, "copy/genes": new},
    )


def settled(name, changed, note=""):
    """Everything exists and is recorded; the sources in `changed` have new versions since then."""
    old = {f"/{number}.txt": text(f"old{number}", 5) for number in range(8)}
    new = {path: text(f"new{path}", 3000) if path in changed else data for path, data in old.items()}
    targets = [f't{number}: {{url: "${{base}}/{number}.txt", output: out/{number}.txt}}' for number in range(8)]

    def outputs(files):
        return {f"out{path}": data for path, data in files.items()}

    return Scenario(name, manifest(*targets), old, new, outputs(old), outputs(new), settled=True, note=note)


def all_confirmed():
    return settled("all-confirmed", ())


def commented():
    """Makes the snapshot valid for the present manifest."""
    return settled("commented", (), note="# edited\n")


def value_changed():
    """The same after a target got a setting that does not affect it."""
    files = {f"/{number}.txt": text(f"file{number}", 5) for number in range(5)}

    def lines(number):
        return (
            f"t{number}:",
            f'    url: "${{base}}/{number}.txt"',
            f"    output: out/{number}.txt",
            "    freshness: once",
        )

    outputs = {f"out{path}": data for path, data in files.items()}
    return Scenario(
        "value-changed",
        manifest(*("\n".join(lines(number)) for number in range(5))),
        files,
        files,
        outputs,
        outputs,
        unasked=[f"t{number}" for number in range(5)],
        settled=True,
        note="    retries: 3\n",
    )


def some_changed():
    return settled("some-changed", ("/2.txt", "/6.txt"))


def lock_text(modified, targets):
    """The lock of targets that are served with the time `modified`; each has a name, URL path, body and output.

    The output of a folder is a dictionary of its files.
    """
    lines = ["# Written by `syncmake lock` and `syncmake update`; commit it, do not edit it.", "version: 1", "targets:"]
    for name, path, download, output in targets:
        # The server's address is a secret in these manifests, so that the lock is the same for every server.
        lines += [f'  "{name}":', f'    url: "***{path}"']
        if isinstance(output, dict):
            lines += ['    steps: "unpack"']
        elif output != download:
            lines += ['    steps: "gunzip"']
        for key, data in (("download", download), ("output", output)):
            kind, size = "sha256", len(data)
            if isinstance(data, dict):
                kind, size, data = "tree", sum(map(len, data.values())), listing_text(data)
            lines += [f"    {key}:", f"      size: {size}", f'      {kind}: "{hashlib.sha256(data).hexdigest()}"']
        etag = hashlib.sha256(download).hexdigest()[:16]
        lines += [f'    etag: "\\"{etag}\\""', f'    last_modified: "{email.utils.formatdate(modified, usegmt=True)}"']
    return "\n".join(lines + [""]).encode()


def listing_text(files):
    """The text whose sha256 is the tree digest of a folder with these files."""
    lines = sorted((path.encode(), hashlib.sha256(data).hexdigest(), len(data)) for path, data in files.items())
    return b"".join(f"f {digest} {size} ".encode() + path + b"\n" for path, digest, size in lines)


def locked(name, command, old, new, all_or_nothing=False):
    """`command` writes the lock of a plain and of a compressed file; `old` may be empty."""

    def served(version):
        return {"/a.txt": version[0], "/b.gz": zipped(version[1])} if version else {}

    def outputs(version, modified):
        if not version:
            return {}
        a, b = version
        targets = [("a", "/a.txt", a, a), ("b", "/b.gz", zipped(b), b)]
        return {"a.txt": a, "data/b": b, "syncmake.lock": lock_text(modified, targets)}

    targets = manifest(
        'a: {url: "${base}/a.txt", output: a.txt}', 'b: {url: "${base}/b.gz", output: data/b, steps: [gunzip]}'
    )
    return Scenario(
        name,
        targets.replace("env:BASE", "secret:BASE"),
        served(old),
        served(new),
        outputs(old, OLD_TIME),
        outputs(new, NEW_TIME),
        unasked=("a", "b"),
        command=(command,),
        all_or_nothing=all_or_nothing,
    )


def first_lock():
    return locked("first-lock", "lock", None, (text("a", 40), text("b", 300)))


def updated_lock():
    return locked(
        "updated-lock",
        "update",
        (text("a1", 40), text("b1", 300)),
        (text("a2", 50), text("b2", 400)),
        all_or_nothing=True,
    )


def unpacked(name, old, new, **more):
    """An archive with the files `old`, or none, and then with the files `new`, is unpacked into a folder."""

    def served(files):
        return {"/docs.tar.gz": zipped(tar_of(files))} if files else {}

    def outputs(files):
        return {f"vendor/docs/{path}": data for path, data in files.items()}

    return Scenario(
        name,
        manifest('docs: {url: "${base}/docs.tar.gz", output: vendor/docs/, steps: [unpack]}'),
        served(old),
        served(new),
        outputs(old),
        outputs(new),
        folder="vendor/docs",
        **more,
    )


def many_files(count):
    return {f"part{number % 7}/{number}.txt": text(f"doc{number}", 3) for number in range(count)}


# Files in the folder that nobody recorded.
OWN = {"vendor/docs/own.txt": b"mine\n", "vendor/docs/notes/deep/own.txt": b"mine, too\n"}


def first_tree():
    return unpacked("first-tree", {}, many_files(60))


def one_of_many(name, **more):
    old = many_files(100)
    return unpacked(name, old, {**old, "part3/10.txt": text("changed", 4)}, **more)


def updated_tree():
    return one_of_many("updated-tree")


def updated_tree_by_journal():
    return one_of_many("updated-tree-by-journal", exchanges=False)


def updated_tree_on_overlay():
    return one_of_many("updated-tree-on-overlay", exchanges=False, overlay=True)


def some_removed(name, **more):
    """Some files leave the archive, one of them with its folder, and one is new."""
    files = many_files(20)
    removed = ("part2/9.txt", "part4/11.txt")
    new = {path: data for path, data in files.items() if path not in removed} | {"part5/new/1.txt": text("new", 3)}
    return unpacked(name, files | {"gone/1.txt": text("gone", 3)}, new, own=OWN, **more)


def pruned_tree():
    return some_removed("pruned-tree")


def pruned_tree_by_journal():
    return some_removed("pruned-tree-by-journal", exchanges=False)


def updated_folder_by(name, **more):
    """An `update` changes a folder, in which some files stay and one leaves, and a file."""
    files = many_files(20)
    old = files | {"gone/1.txt": text("gone", 3)}
    new = files | {"part3/10.txt": text("changed", 4), "part5/new/1.txt": text("new", 3)}

    def served(files, index):
        return {"/docs.tar.gz": zipped(tar_of(files)), "/index.txt": index}

    def outputs(files, index, modified):
        targets = [
            ("docs", "/docs.tar.gz", zipped(tar_of(files)), files),
            ("index", "/index.txt", index, index),
        ]
        made = {f"vendor/docs/{path}": data for path, data in files.items()}
        return made | {"index.txt": index, "syncmake.lock": lock_text(modified, targets)}

    index = [text(f"index{version}", 9) for version in range(2)]
    targets = manifest(
        'docs: {url: "${base}/docs.tar.gz", output: vendor/docs/, steps: [unpack]}',
        'index: {url: "${base}/index.txt"}',
    )
    return Scenario(
        name,
        targets.replace("env:BASE", "secret:BASE"),
        served(old, index[0]),
        served(new, index[1]),
        outputs(old, index[0], OLD_TIME),
        outputs(new, index[1], NEW_TIME),
        unasked=("docs", "index"),
        command=("update",),
        all_or_nothing=True,
        folder="vendor/docs",
        own=OWN,
        **more,
    )


def updated_folder():
    return updated_folder_by("updated-folder")


def updated_folder_by_journal():
    return updated_folder_by("updated-folder-by-journal", exchanges=False)


def published_together(name, old, new, by_value=False, **more):
    """A file, one that is made from it, and a folder are published together; another file is made from one of them.

    `old` and `new` are the numbers of versions, with 0 for none; each file differs between two versions. With `by_value`,
    the folder's URL has a value of another output: while that is read, the folder's target is not known.
    """
    stamp = {"/stamp.txt": b"docs\n"} if by_value else {}

    def files(version):
        return {path: text(f"{version} {path}", 4) for path in many_files(12)}

    def served(version):
        if not version:
            return {}
        packed = {"/a.gz": zipped(text(f"a{version}", 400)), "/docs.tar.gz": zipped(tar_of(files(version)))}
        return packed | stamp

    def outputs(version):
        if not version:
            return {}
        packed = zipped(text(f"a{version}", 400))
        made = {"a.gz": packed, "data/a": gzip.decompress(packed), "copy/a": gzip.decompress(packed)}
        made |= {path[1:]: data for path, data in stamp.items()}
        return made | {f"vendor/docs/{path}": data for path, data in files(version).items()}

    docs = "${name}" if by_value else "docs"
    lines = [
        "late: {from: plain, output: copy/a}",
        f'docs: {{url: "${{base}}/{docs}.tar.gz", output: vendor/docs/, steps: [unpack]}}',
        'packed: {url: "${base}/a.gz"}',
        "plain: {from: packed, output: data/a, steps: [gunzip]}",
    ]
    if by_value:
        lines.append('stamp: {url: "${base}/stamp.txt", freshness: once}')
    targets = manifest(*lines)
    if by_value:
        targets = targets.replace("vars: {", "vars: {name: {target: stamp, line: 1}, ")
    return Scenario(
        name,
        targets + "groups:\n  release: {targets: [docs, packed, plain], together: true}\n",
        served(old),
        served(new),
        outputs(old),
        outputs(new),
        folder="vendor/docs",
        together=[output for output in outputs(new) if output not in ("copy/a", "stamp.txt")],
        unasked=["stamp"] if by_value else [],
        **more,
    )


def first_together():
    return published_together("first-together", 0, 1)


def updated_together():
    return published_together("updated-together", 1, 2)


def updated_together_by_journal():
    return published_together("updated-together-by-journal", 1, 2, exchanges=False)


def updated_together_on_overlay():
    return published_together("updated-together-on-overlay", 1, 2, exchanges=False, overlay=True)


def updated_together_by_value():
    return published_together("updated-together-by-value", 1, 2, by_value=True)


def files_together():
    """Without a folder, a unit can also be taken back."""
    old, new = ({f"/{number}.txt": text(f"{version}{number}", 5) for number in range(4)} for version in ("old", "new"))
    targets = [
        f't{number}: {{url: "${{base}}/{number}.txt", output: out{number % 2}/{number}.txt}}' for number in range(4)
    ]

    def outputs(files):
        return {f"out{number % 2}/{number}.txt": files[f"/{number}.txt"] for number in range(4)}

    return Scenario(
        "files-together",
        manifest(*targets) + "groups:\n  release: {targets: [t0, t1, t2, t3], together: true}\n",
        old,
        new,
        outputs(old),
        outputs(new),
        together=outputs(new),
    )


ALL = [
    first_fetch,
    into_cache,
    from_cache,
    update,
    unzip,
    resume,
    resume_unzip,
    resume_unxz,
    large,
    verified,
    chain,
    many,
    all_confirmed,
    commented,
    value_changed,
    some_changed,
    first_lock,
    updated_lock,
    first_tree,
    updated_tree,
    updated_tree_by_journal,
    updated_tree_on_overlay,
    pruned_tree,
    pruned_tree_by_journal,
    first_together,
    updated_together,
    updated_together_by_journal,
    updated_together_on_overlay,
    updated_together_by_value,
    files_together,
    updated_folder,
    updated_folder_by_journal,
]


def all_scenarios():
    return [make() for make in ALL]
