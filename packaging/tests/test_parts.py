"""What scripts/release has made, read by the tools of those who will take it."""

import importlib.util
import json
import os
import re
import shutil
import sys
import tarfile
import unittest
import zipfile

from programs import require_same
from support import (
    DIST,
    PROJECT,
    FolderTest,
    archive,
    has_namespaces,
    needs,
    only_full,
    part,
    run,
    run_for_long,
    sha256,
    version,
)

LARGEST_PROGRAM = 25_000_000


class PartTests(FolderTest):
    def unpacked(self):
        run("tar", "-xzf", archive(), "-C", self.folder)
        return self.folder / archive().name.removesuffix(".tar.gz")

    def test_the_archive_has_a_stripped_program_and_all_that_belongs_to_it(self):
        tree = self.unpacked()
        self.assertEqual(
            self.tree(tree),
            [
                "bin/syncmake",
                "share/bash-completion/completions/syncmake",
                "share/doc/syncmake/CHANGELOG.md",
                "share/doc/syncmake/LICENSE",
                "share/doc/syncmake/README.md",
                "share/fish/vendor_completions.d/syncmake.fish",
                "share/man/man1/syncmake.1",
                "share/syncmake/syncmake.schema.json",
                "share/zsh/site-functions/_syncmake",
            ],
        )
        program = tree / "bin/syncmake"
        self.assertLessEqual(program.stat().st_size, LARGEST_PROGRAM)
        self.assertNotIn(".symtab", run("objdump", "-h", program).stdout)
        with tarfile.open(archive()) as entries:
            for entry in entries:
                self.assertEqual((entry.uid, entry.gid, entry.uname, entry.gname), (0, 0, "", ""), entry.name)
                self.assertEqual(entry.mode & 0o7777, 0o755 if entry.isdir() or "/bin/" in entry.name else 0o644)
                self.assertTrue(entry.name.startswith(tree.name))

    def test_the_program_is_linked_to_the_c_library_only(self):
        needed = re.findall(r"NEEDED +(\S+)", run("objdump", "-p", self.unpacked() / "bin/syncmake").stdout)
        self.assertEqual(
            [name for name in needed if not re.match(r"(libc|libm|libpthread|libdl|ld-linux)[.-]", name)], []
        )

    def test_the_program_does_not_say_where_it_was_built(self):
        content = (self.unpacked() / "bin/syncmake").read_bytes()
        self.assertNotIn(str(PROJECT).encode(), content)

    def test_the_installer_states_the_oldest_glibc(self):
        stated = re.search(r"^oldest_glibc=(\S+)$", (PROJECT / "packaging/install.sh").read_text(), re.M)[1]
        symbols = run("objdump", "-T", self.unpacked() / "bin/syncmake").stdout
        asked = [tuple(map(int, found.split("."))) for found in re.findall(r"GLIBC_([0-9.]+)", symbols)]
        self.assertEqual(max(asked), tuple(map(int, stated.split("."))))
        for document in ["docs/install.md", "docs/decisions/0025-what-is-linked-in.md", "README.md", "CHANGELOG.md"]:
            self.assertEqual(set(re.findall(r"glibc (2\.\d+)", (PROJECT / document).read_text())), {stated}, document)

    def test_the_digests_are_those_of_all_files(self):
        self.assertIn("OK", run("sha256sum", "-c", "SHA256SUMS", cwd=DIST).stdout)
        named = {line.split("  ")[1] for line in (DIST / "SHA256SUMS").read_text().splitlines()}
        self.assertEqual(named, {path.name for path in DIST.iterdir()} - {"SHA256SUMS"})
        self.assertEqual((DIST / "install.sh").read_bytes(), (PROJECT / "packaging/install.sh").read_bytes())

    @needs("lintian")
    def test_lintian_finds_no_error_in_the_debian_package(self):
        package = part("*.deb")
        # A root's home and no user's profile.
        ended = run(
            "lintian", "--allow-root", "--fail-on", "error,warning", "--tag-display-limit", "0", package, check=False
        )
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        fields = run("dpkg-deb", "-f", package).stdout
        self.assertIn("libcurl4 | libcurl4t64", fields)
        self.assertIn(f"Version: {version()}\n", fields)

    @needs("rpmlint")
    def test_rpmlint_finds_no_error_in_the_rpm_package(self):
        ended = run("rpmlint", "-c", PROJECT / "packaging/rpm/rpmlint.toml", part("*.rpm"), check=False)
        self.assertIn(" 0 errors", ended.stdout, ended.stdout + ended.stderr)

    @needs("rpm")
    def test_the_rpm_package_declares_what_it_needs(self):
        needed = run("rpm", "-qp", "--requires", part("*.rpm")).stdout
        self.assertIn("libcurl.so.4()(64bit)", needed)
        self.assertIn("libc.so.6(GLIBC_", needed)
        self.assertNotIn("libyaml", needed)

    def test_the_wheel_is_as_its_record_says(self):
        wheel = part("*.whl")
        with zipfile.ZipFile(wheel) as content:
            self.assertIsNone(content.testzip())
            record = content.read(f"syncmake-{version()}.dist-info/RECORD").decode().splitlines()
            self.assertEqual({line.split(",")[0] for line in record}, set(content.namelist()))
            program = content.getinfo(f"syncmake-{version()}.data/scripts/syncmake")
            self.assertEqual(program.external_attr >> 16, 0o100755)

    def test_the_links_of_the_wheels_text_name_pages_of_this_version(self):
        with zipfile.ZipFile(part("*.whl")) as content:
            text = content.read(f"syncmake-{version()}.dist-info/METADATA").decode()
        links = re.findall(r"\]\(([^)#][^)]*)\)", text)
        self.assertTrue(any(link.endswith("/docs/install.md") and f"/v{version()}/" in link for link in links), links)
        self.assertEqual([link for link in links if not link.startswith("https://")], [])

    @unittest.skipUnless(importlib.util.find_spec("packaging"), "needs Python's packaging")
    def test_the_wheels_metadata_is_valid(self):
        known = importlib.import_module("packaging").__version__
        if tuple(map(int, known.split(".")[:2])) < (24, 2):
            self.skipTest(f"packaging {known} does not know version 2.4 of metadata")
        metadata = importlib.import_module("packaging.metadata")
        with zipfile.ZipFile(part("*.whl")) as content:
            text = content.read(f"syncmake-{version()}.dist-info/METADATA")
        self.assertEqual(metadata.Metadata.from_email(text).license_expression, "Apache-2.0")

    @needs("auditwheel")
    def test_the_wheels_tag_is_true(self):
        wheel = part("*.whl")
        shown = " ".join(run("auditwheel", "show", wheel).stdout.split())
        tag = re.search(r"manylinux_2_\d+_\w+", wheel.name)[0]
        self.assertIn(f'is consistent with the following platform tag: "{tag}"', shown)

    @needs("uv")
    def test_uvx_runs_the_wheel_without_installing_it(self):
        environment = {
            **os.environ,
            "UV_CACHE_DIR": str(self.folder / "cache"),
            "UV_TOOL_DIR": str(self.folder / "tools"),
            "UV_OFFLINE": "1",
            "UV_PYTHON_DOWNLOADS": "never",
        }
        command = ["uv", "tool", "run", "--from", part("*.whl"), "syncmake", "--version"]
        self.assertEqual(run(*command, env=environment, cwd=self.folder).stdout.strip(), f"syncmake {version()}")
        self.assertFalse((self.folder / "tools/syncmake").exists())

    @needs("pyspdxtools")
    def test_the_bill_of_materials_is_spdx(self):
        path = part("*.spdx.json")
        run("pyspdxtools", "-i", path)
        document = json.loads(path.read_text())
        packages = {entry["name"]: entry for entry in document["packages"]}
        self.assertEqual(packages["syncmake"]["versionInfo"], version())
        self.assertEqual(
            packages["syncmake"]["checksums"][0]["checksumValue"], sha256(self.unpacked() / "bin/syncmake")
        )
        for name in ["swift-crypto", "swift-argument-parser", "libyaml", "zlib", "sqlite", "swift-runtime"]:
            self.assertIn("versionInfo", packages[name], name)
        # All that the Debian package says is in the program.
        said = (PROJECT / "packaging/deb/copyright").read_text().replace(" the Swift runtime", " swift-runtime")
        contents = re.search(r"also contains (.*?)\. The SBOM", said.replace("\n", " "))[1]
        names = re.split(r", | and ", re.sub(r" *\(.*?\)", "", contents))
        self.assertGreaterEqual(len(names), 8)
        listed = {name.lower() for name in packages}
        self.assertEqual([name for name in map(str.strip, names) if name.lower() not in listed], [])


class ReleaseTests(FolderTest):
    """scripts/release itself, with a program that is already built."""

    def setUp(self):
        super().setUp()
        run("tar", "-xzf", archive(), "-C", self.folder)
        self.program = self.folder / archive().name.removesuffix(".tar.gz") / "bin/syncmake"

    def release(self, *options, check=True, project=PROJECT, **variables):
        environment = {**os.environ, "SYNCMAKE": str(self.program), "SOURCE_DATE_EPOCH": "1700000000", **variables}
        return run(project / "scripts/release", *options, check=check, env=environment, cwd=self.folder)

    def test_a_tag_that_is_not_the_version_is_refused(self):
        for tag in ["v9.9.9", version(), "v" + version() + "-rc.1"]:
            ended = self.release("--output", "out", "--tag", tag, check=False)
            self.assertEqual(ended.returncode, 1)
            self.assertIn(f"the tag is {tag}, but the program says {version()}", ended.stderr)
            self.assertFalse((self.folder / "out").exists())

    def test_a_program_for_another_glibc_than_is_stated_is_refused(self):
        copy = self.folder / "copy"
        ignored = shutil.ignore_patterns(".build*", ".git", "Tests")
        shutil.copytree(PROJECT, copy, ignore=ignored)
        run("git", "init", "-q", copy)
        installer = copy / "packaging/install.sh"
        for stated in ["2.17", "2.99"]:
            installer.write_text(re.sub(r"(?m)^oldest_glibc=.*", f"oldest_glibc={stated}", installer.read_text()))
            ended = self.release("--output", "out", check=False, project=copy)
            self.assertEqual(ended.returncode, 1)
            self.assertIn(f"but packaging/install.sh says {stated}", ended.stderr)

    @needs("cc", "dpkg", "dpkg-deb", "rpm", "rpmbuild")
    def test_the_packages_of_a_candidate_come_before_those_of_its_release(self):
        candidate = "7.0.0-rc.1"
        source = self.write(
            "candidate.c",
            "#include <stdio.h>\n"
            'char digest[8] __attribute__((section(".swift_modhash"))) = "digest";\n'
            f'int main(void) {{ puts("syncmake {candidate}"); return 0; }}\n',
        )
        self.program = self.folder / "candidate"
        run("cc", "-Wl,--build-id", "-o", self.program, source)
        symbols = run("objdump", "-T", self.program).stdout
        asked = max((tuple(map(int, found.split("."))) for found in re.findall(r"GLIBC_([0-9.]+)", symbols)))
        copy = self.checkout()
        installer = copy / "packaging/install.sh"
        stated = f"oldest_glibc={'.'.join(map(str, asked))}"
        installer.write_text(re.sub("(?m)^oldest_glibc=.*", stated, installer.read_text()))
        self.release("--output", "out", "--tag", f"v{candidate}", project=copy, SYNCMAKE_PARTS="deb rpm")
        out = self.folder / "out"
        [debian], [rpm] = out.glob(f"syncmake_{candidate}_*.deb"), out.glob(f"syncmake-{candidate}-1.*.rpm")
        told = run("dpkg-deb", "-f", debian, "Version").stdout.strip()
        run("dpkg", "--compare-versions", told, "lt", "7.0.0")
        # A tilde means the same to RPM.
        self.assertEqual(run("rpm", "-qp", "--queryformat", "%{VERSION}", rpm).stdout, told)

    def test_another_folder_and_another_moment_give_the_same_bytes(self):
        copy = self.folder / "another folder"
        shutil.copytree(PROJECT, copy, ignore=shutil.ignore_patterns(".build*", ".git", "Tests"))
        run("git", "init", "-q", copy)
        (copy / ".build").mkdir()
        if (PROJECT / ".build/archives").exists():
            shutil.copytree(PROJECT / ".build/archives", copy / ".build/archives", symlinks=True)
        noted = ".build/checkouts/swift-crypto/Sources/CCryptoBoringSSL/hash.txt"
        if (PROJECT / noted).exists():
            (copy / noted).parent.mkdir(parents=True)
            shutil.copy(PROJECT / noted, copy / noted)
        # Another umask, another zone; the files of the copy have other times.
        command = f"umask 077; exec '{copy}/scripts/release' --output second --tag v{version()}"
        environment = {
            **os.environ,
            "SYNCMAKE": str(self.program),
            "TZ": "Asia/Tokyo",
            "LC_ALL": "C.UTF-8",
            "SOURCE_DATE_EPOCH": str(int((DIST / "SHA256SUMS").stat().st_mtime)),
        }
        run("bash", "-c", command, env=environment, cwd=self.folder)
        self.assertEqual(self.tree("second"), self.tree(DIST))
        differing = [
            path.name
            for path in DIST.iterdir()
            if path.read_bytes() != (self.folder / "second" / path.name).read_bytes()
        ]
        self.assertEqual(differing, [])

    def test_another_system_than_linux_is_refused(self):
        self.write("stubs/uname", "#!/bin/sh\ncase $1 in -m) echo arm64 ;; *) echo Darwin ;; esac\n", 0o755)
        path = f"{self.folder}/stubs:{os.environ['PATH']}"
        ended = self.release("--output", "out", check=False, PATH=path)
        self.assertEqual(ended.returncode, 1)
        self.assertIn("releases are not built on Darwin arm64", ended.stderr)

    def test_changes_in_the_checkout_are_refused_before_anything_is_built(self):
        copy = self.checkout()
        (copy / "README.md").write_text("changed")
        ended = self.build(copy)
        self.assertEqual(ended.returncode, 1)
        self.assertIn("the checkout has changes", ended.stderr)

    def test_a_wrong_tag_is_refused_before_anything_is_built(self):
        copy = self.checkout(setup="exit 9")
        self.assertEqual(self.build(copy).returncode, 9)
        self.assertEqual(self.build(copy, "--tag", f"v{version()}").returncode, 9)
        file = "Sources/Syncmake/Working/LibraryVersion.swift"
        ended = self.build(copy, "--tag", "v9.9.9")
        self.assertEqual(ended.returncode, 1)
        self.assertIn(f"the tag is v9.9.9, but {file} says {version()}\n", ended.stderr)
        run("git", "-C", copy, "tag", "v9.9.8")
        ended = self.build(copy)
        self.assertEqual(ended.returncode, 1)
        self.assertIn(f"the tag is v9.9.8, but {file} says {version()}\n", ended.stderr)
        self.assertEqual(self.build(copy, "--tag", f"v{version()}").returncode, 9)

    def checkout(self, setup=None):
        """A copy of the project with a commit, and maybe with another scripts/setup, which a build begins with."""
        copy = self.folder / "copy"
        shutil.copytree(PROJECT, copy, ignore=shutil.ignore_patterns(".build*", ".git", "Tests"))
        if setup:
            (copy / "scripts/setup").write_text(f"#!/bin/sh\n{setup}\n")
        line = "git init -q . && git add -A && git -c user.name=t -c user.email=t@localhost commit -qm t"
        run("bash", "-c", line, cwd=copy)
        return copy

    def build(self, copy, *options):
        """The end of a release that builds its program."""
        environment = {name: text for name, text in os.environ.items() if name != "SYNCMAKE"}
        return run(copy / "scripts/release", *options, check=False, env=environment)

    @only_full
    def test_two_builds_in_two_folders_give_the_same_program(self):
        """The second one is a release of a tagged commit."""
        if not shutil.which("swift"):
            self.skipTest("no swift")
        first = self.released("first")
        second = self.released("another place", tag=f"v{version()}")
        require_same(first, second, PROJECT / ".build/differing-programs")

    def released(self, name, tag=None):
        """Builds a release in a clone with this name; returns the program."""
        clone = self.folder / name
        run("git", "clone", "-q", PROJECT, clone)
        if tag:
            run("git", "-C", clone, "tag", tag)
        shutil.copy(PROJECT / "Package.resolved", clone)
        (clone / ".build").mkdir()
        for part_name in ["checkouts", "repositories", "artifacts", "workspace-state.json"]:
            source = PROJECT / ".build" / part_name
            if source.is_dir():
                shutil.copytree(source, clone / ".build" / part_name, symlinks=True)
            elif source.exists():
                shutil.copy(source, clone / ".build" / part_name)
        environment = {name: text for name, text in os.environ.items() if name != "SYNCMAKE"}
        output = self.folder / f"from {name}"
        # All that is needed is here: the packages that Package.resolved names, and the system's libraries.
        offline = ["unshare", "--net"] if os.geteuid() == 0 and has_namespaces() else []
        log = self.folder / f"{name}.log"
        # Beside the dots of the tests, at once.
        print(f"\nbuilding a release in {clone}; its messages are in {log}", file=sys.stderr, flush=True)
        command = [*offline, clone / "scripts/release", "--output", output]
        run_for_long(*command, log=log, timeout=3600, env=environment)
        shutil.rmtree(clone)
        run("tar", "-xzf", next(output.glob("*.tar.gz")), "-C", output)
        return next(output.glob("*/bin/syncmake"))


if __name__ == "__main__":
    unittest.main()
