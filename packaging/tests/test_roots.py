"""The release in bare roots, as a user meets it: no compiler, no Swift, no library but what is said.

A short form builds a root from this system's C library and busybox. The full form has Debian's roots by debootstrap,
kept in .build/roots: `bare` is what minbase has, `ready` has libcurl, certificates and Python beside it.
"""

import os
import pathlib
import re
import shutil
import sys
import tempfile
import textwrap
import time
import unittest

from support import (
    DIST,
    EARLIER,
    PROJECT,
    FolderTest,
    archive,
    earlier_release,
    needs,
    needs_namespaces,
    needs_root,
    only_full,
    part,
    run,
    version,
)

ROOTS = PROJECT / ".build/roots"
SUITES = ["bookworm", "trixie"]


class Root:
    """A folder that commands take for the root; without /proc unless it is asked for."""

    def __init__(self, test, path):
        self.test = test
        self.path = pathlib.Path(path)

    def run(self, script, check=True, proc=False):
        """The end of a script, run by the root's shell in namespaces of its own."""
        environment = {
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": "/root",
            "LC_ALL": "C",
        }
        # The mount goes with its namespace.
        mount = f"mount -t proc proc '{self.path}/proc' && " if proc else ""
        command = f"{mount}exec chroot '{self.path}' /bin/sh -ec \"$1\""
        return run(
            "unshare",
            "--mount",
            "--pid",
            "--fork",
            "sh",
            "-ec",
            command,
            "sh",
            textwrap.dedent(script),
            check=check,
            env=environment,
        )

    def content(self):
        """All files, links and folders, but for what the system writes about itself."""
        skipped = (
            "proc",
            "dev",
            "sys",
            "tmp",
            "var/cache",
            "var/log",
            "var/lib/dpkg",
            "var/lib/apt",
            "etc/ld.so.cache",
            "release",
            "work",
        )
        found = set()
        for folder, names, files in os.walk(self.path):
            relative = os.path.relpath(folder, self.path)
            names[:] = [name for name in names if not os.path.normpath(f"{relative}/{name}").startswith(skipped)]
            found.update(os.path.normpath(f"{relative}/{name}") for name in names + files)
        return {name for name in found if not name.startswith(skipped)}

    def add_release(self, *earlier):
        """The release, and these parts of an earlier one in a folder of their own."""
        shutil.copytree(DIST, self.path / "release")
        if earlier:
            shutil.copytree(earlier_release(*earlier), self.path / "release/earlier")

    def add_quickstart(self):
        source = PROJECT / "examples/quickstart"
        shutil.copytree(source, self.path / "work/quickstart", ignore=shutil.ignore_patterns(".syncmake", "data"))


class RootTest(FolderTest):
    def first_steps(self, root, url, proc=False, program="syncmake", number=None):
        """What a user does first: init, add, run, and once more."""
        script = f"""
            mkdir -p /work/first && cd /work/first
            {program} init
            {program} add {url}/file.txt --output data/file.txt
            {program} --version
            """
        shown = root.run(script, proc=proc).stdout
        self.assertIn(f"syncmake {number or version()}\n", shown)
        ended = root.run(f"cd /work/first && {program}", proc=proc)
        self.assertIn("1 new", ended.stdout)
        self.assertEqual((root.path / "work/first/data/file.txt").read_text(), "from the server\n")
        self.assertIn("up to date", root.run(f"cd /work/first && {program}", proc=proc).stdout)

    def still_up_to_date(self, root, program="syncmake"):
        """After an upgrade: it is another version, and it knows what the earlier one has recorded."""
        ended = root.run(f"cd /work/first && {program} --version && {program} -q && {program}")
        self.assertIn(f"syncmake {version()}\n", ended.stdout)
        self.assertIn("up to date", ended.stdout)

    def served(self):
        (self.folder / "served").mkdir(exist_ok=True)
        (self.folder / "served/file.txt").write_text("from the server\n")
        return self.serve(self.folder / "served").url


def host_root(path, libraries):
    """A root from this system's files: the C library, busybox, and what `libraries` are."""
    for folder in ["bin", "lib64", "tmp", "dev", "root", "etc", "usr/bin", "proc"]:
        (path / folder).mkdir(parents=True)
    (path / "tmp").chmod(0o1777)
    busybox = shutil.which("busybox")
    wanted = {busybox, shutil.which("getconf")}
    for library in ["libc.so.6", "libm.so.6", "libnss_files.so.2", "libnss_dns.so.2", "libresolv.so.2"] + libraries:
        found = [line.split(" => ")[1] for line in run("ldconfig", "-p").stdout.splitlines() if f"\t{library} " in line]
        assert found, f"no {library} on this system"
        wanted.add(found[0])
    for file in sorted(wanted):
        for line in run("ldd", file, check=False).stdout.splitlines():
            found = re.search(r"(/\S+) \(0x", line)
            if found:
                wanted = wanted | {found[1]}
    for file in wanted:
        target = path / file.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(os.path.realpath(file), target)
    shutil.copy(busybox, path / "bin/busybox")
    for name in run(busybox, "--list").stdout.split():
        if name not in ("busybox", "getconf") and not (path / "bin" / name).exists():
            (path / "bin" / name).symlink_to("busybox")
    (path / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
    run("mknod", "-m", "666", path / "dev/null", "c", "1", "3")
    run("mknod", "-m", "666", path / "dev/urandom", "c", "1", "9")
    run("ldconfig", "-r", path)


@needs_namespaces
@needs("busybox", "mknod")
class ShortTests(RootTest):
    """A root of this system's C library and busybox, without /proc."""

    def test_install_first_steps_upgrade_and_removal(self):
        root = Root(self, self.folder / "root")
        host_root(root.path, ["libcurl.so.4"])
        root.add_release("archive")
        before = root.content()
        self.assertFalse((root.path / "proc/self").exists())
        ended = root.run("sh /release/install.sh --from /release/earlier")
        self.assertIn(f"installed syncmake {EARLIER}", ended.stderr)
        self.first_steps(root, self.served(), number=EARLIER)
        ended = root.run("sh /release/install.sh --from /release")
        self.assertIn(f"installed syncmake {version()}", ended.stderr)
        self.still_up_to_date(root)
        root.run("sh /release/install.sh --uninstall")
        self.assertEqual(root.content() - before, set())

    def test_without_libcurl_the_package_is_named(self):
        root = Root(self, self.folder / "root")
        host_root(root.path, [])
        root.add_release()
        root.add_quickstart()
        ended = root.run("sh /release/install.sh --from /release")
        self.assertIn("note: requests need libcurl: install libcurl4", ended.stderr)
        # Nothing of the quickstart needs it.
        self.assertIn("6 new", root.run("cd /work/quickstart && syncmake").stdout)
        script = "mkdir -p /work/web && cd /work/web && printf 'version: 1\\ntargets: {a: {url: \"http://127.0.0.1:1/a\"}}\\n' > syncmake.yaml"
        ended = root.run(script + "; syncmake", check=False)
        self.assertEqual(ended.returncode, 2, ended.stdout + ended.stderr)
        self.assertIn("the library libcurl.so.4 is needed to send requests and cannot be loaded", ended.stderr)
        self.assertIn("libcurl4 on Debian and Ubuntu", ended.stderr)
        # Nor are the decoders there.
        (root.path / "work/web/a.xz").write_bytes(b"\xfd7zXZ\0" + bytes(20))
        (root.path / "work/web/syncmake.yaml").write_text("version: 1\ntargets: {a: {url: a.xz, steps: [unxz]}}\n")
        ended = root.run("cd /work/web && syncmake", check=False)
        self.assertEqual(ended.returncode, 2)
        self.assertIn("unxz needs the library liblzma.so.5", ended.stderr)
        self.assertIn("liblzma5 on Debian and Ubuntu", ended.stderr)


def debian_root(suite, kind):
    """The folder of a root, made at its first use and never changed after; a minute each."""
    made = ROOTS / f"{suite}-{kind}"
    if made.exists():
        return made
    ROOTS.mkdir(parents=True, exist_ok=True)
    work = ROOTS / f"{suite}-{kind}.new"
    shutil.rmtree(work, ignore_errors=True)
    if kind == "bare":
        run("debootstrap", "--variant=minbase", suite, work)
    else:
        run("cp", "-a", debian_root(suite, "bare"), work)
        shutil.copy("/etc/resolv.conf", work / "etc/resolv.conf")
        script = (
            "apt-get update -qq; apt-get install -y -qq --no-install-recommends libcurl4 ca-certificates python3-venv"
        )
        run("chroot", work, "/bin/sh", "-ec", script, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
    work.rename(made)
    return made


@only_full
@needs_namespaces
@needs("debootstrap")
class DebianTests(RootTest):
    """Debian 12 and 13 as debootstrap makes them."""

    def root(self, suite, kind, *earlier):
        made = debian_root(suite, kind)
        layer = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        path = layer / "root"
        for name in ["root", "changes", "work"]:
            (layer / name).mkdir()
        # What a test changes lies in a layer of its own, if the system has such file systems.
        options = f"lowerdir={made},upperdir={layer}/changes,workdir={layer}/work"
        if run("mount", "-t", "overlay", "-o", options, "overlay", path, check=False).returncode == 0:
            self.addCleanup(run, "umount", path)
        else:
            run("cp", "-a", f"{made}/.", path)
        root = Root(self, path)
        root.add_release(*earlier)
        return root

    def test_one_command_installs_and_the_next_syncs_the_quickstart(self):
        for suite in SUITES:
            with self.subTest(suite):
                root = self.root(suite, "bare")
                root.add_quickstart()
                for tool in ["cc", "swift", "make", "curl"]:
                    self.assertNotEqual(root.run(f"command -v {tool}", check=False).returncode, 0)
                before = root.content()
                begin = time.monotonic()
                root.run("sh /release/install.sh --from /release")
                ended = root.run("cd /work/quickstart && syncmake")
                seconds = time.monotonic() - begin
                self.assertIn("6 new", ended.stdout)
                self.assertLess(seconds, 10)
                print(f"\n{suite}: installed and synced in {seconds:.1f} s")
                root.run("sh /release/install.sh --uninstall")
                self.assertEqual(root.content() - before, set())

    def test_the_archive_with_and_without_proc(self):
        for suite in SUITES:
            for proc in [True, False]:
                with self.subTest(f"{suite}, proc: {proc}"):
                    root = self.root(suite, "ready")
                    root.run("mkdir /opt/s && tar -xzf /release/*.tar.gz -C /opt/s --strip-components=1")
                    self.first_steps(root, self.served(), proc=proc, program="/opt/s/bin/syncmake")

    def test_the_debian_package(self):
        for suite in SUITES:
            with self.subTest(suite):
                root = self.root(suite, "ready", "deb", "wheel")
                before = root.content()
                root.run("dpkg --install /release/earlier/*.deb")
                self.first_steps(root, self.served(), proc=True, number=EARLIER)
                root.run("dpkg --install /release/*.deb")
                self.still_up_to_date(root)
                root.run("dpkg --purge syncmake")
                self.assertEqual(root.content() - before, set())
                self.assertEqual((root.path / "work/first/data/file.txt").read_text(), "from the server\n")

    def test_the_debian_package_asks_for_libcurl(self):
        root = self.root("bookworm", "bare")
        ended = root.run("dpkg --install /release/*.deb", check=False)
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn("libcurl4", ended.stderr)

    def test_the_wheel(self):
        for suite in SUITES:
            with self.subTest(suite):
                root = self.root(suite, "ready", "deb", "wheel")
                program = "/venv/bin/syncmake"
                root.run("python3 -m venv /venv", proc=True)
                before = root.content()
                root.run("/venv/bin/pip install --no-index /release/earlier/*.whl", proc=True)
                self.first_steps(root, self.served(), proc=True, program=program, number=EARLIER)
                root.run("/venv/bin/pip install --no-index --upgrade /release/*.whl", proc=True)
                self.still_up_to_date(root, program=program)
                root.run("/venv/bin/pip uninstall -y syncmake", proc=True)
                # pip leaves empty folders of every wheel, and what Python compiled of pip itself.
                left = [name for name in root.content() - before if not (root.path / name).is_dir()]
                self.assertEqual([name for name in left if "__pycache__" not in name], [])

    def test_the_steps_of_the_container(self):
        """Its RUN lines in a root, and what it starts, as the user that it names."""
        root = self.root("trixie", "bare")
        shutil.copy("/etc/resolv.conf", root.path / "etc/resolv.conf")
        text = re.sub(r"\\\n", " ", (PROJECT / "packaging/Containerfile").read_text())
        self.assertIn("FROM ${BASE}", text)
        for line in text.splitlines():
            word, _, rest = line.partition(" ")
            if word == "COPY":
                pattern, place = rest.split()
                shutil.copy(part(pattern), root.path / place.lstrip("/"))
            elif word == "RUN":
                root.run(rest, proc=True)
        user, folder = re.search(r"^USER (.*)$", text, re.M)[1], re.search(r"^WORKDIR (.*)$", text, re.M)[1]
        self.assertNotEqual(root.run(f"id -u {user}").stdout.strip(), "0")
        url = self.served()
        script = f"cd {folder} && syncmake init && id -un && syncmake add {url}/file.txt && syncmake && cat file.txt"
        ended = root.run(f"setpriv --reuid={user} --regid={user} --init-groups sh -ec '{script}'", proc=True)
        self.assertIn("from the server", ended.stdout)
        self.assertEqual(list((root.path / "tmp").iterdir()), [])
        certificates = (root.path / "etc/ssl/certs/ca-certificates.crt").read_text()
        self.assertGreater(certificates.count("BEGIN CERTIFICATE"), 50)


@needs_namespaces
@needs("setpriv")
class WithoutRightsTests(unittest.TestCase):
    def test_a_root_that_may_not_mount_leaves_the_tests_of_roots_out(self):
        command = ["setpriv", "--bounding-set=-sys_admin", sys.executable, "-m", "unittest", "test_roots.ShortTests"]
        ended = run(*command, cwd=pathlib.Path(__file__).parent)
        self.assertIn("OK (skipped=", ended.stderr)


@needs_root
@needs("rpm")
class RpmTests(FolderTest):
    def test_it_installs_into_an_empty_root_and_leaves_it_empty(self):
        root = self.folder / "root"
        root.mkdir()
        # An empty root has no C library either: what the package needs is declared, and looked at elsewhere.
        run("rpm", "--root", root, "--initdb")
        run("rpm", "--root", root, "--install", "--nodeps", "--ignorearch", "--ignoreos", part("*.rpm"))
        run("tar", "-xzf", archive(), "-C", self.folder)
        packed = self.folder / archive().name.removesuffix(".tar.gz") / "bin/syncmake"
        self.assertEqual((root / "usr/bin/syncmake").read_bytes(), packed.read_bytes())
        self.assertIn("/usr/share/man/man1/syncmake.1.gz", run("rpm", "--root", root, "-ql", "syncmake").stdout)
        self.assertEqual(run("rpm", "--root", root, "-V", "--nodeps", "syncmake").stdout, "")
        missing = run("rpm", "--root", root, "--install", "--test", "--force", part("*.rpm"), check=False)
        self.assertIn("libcurl.so.4()(64bit) is needed by syncmake", missing.stderr)
        run("rpm", "--root", root, "--erase", "syncmake")
        self.assertEqual([name for name in self.tree(root) if "rpmdb" not in name], [])


if __name__ == "__main__":
    unittest.main()
