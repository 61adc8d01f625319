"""packaging/install.sh, as users call it, with a release on a loopback server."""

import os
import re
import shutil
import unittest

from support import DIST, PROJECT, FolderTest, archive, needs, needs_namespaces, run, version

INSTALLER = PROJECT / "packaging/install.sh"
MACHINE = os.uname().machine
# All that an installation calls.
TOOLS = [
    "cat",
    "chmod",
    "cp",
    "curl",
    "dirname",
    "getconf",
    "gzip",
    "head",
    "id",
    "mkdir",
    "mktemp",
    "mv",
    "rm",
    "rmdir",
]
TOOLS += ["sed", "sha256sum", "sort", "tar", "uname"]
SHELLS = [words for words in (["dash"], ["busybox", "sh"], ["bash", "--posix"]) if shutil.which(words[0])]


class InstallerTests(FolderTest):
    def setUp(self):
        super().setUp()
        self.release = self.folder / "release"
        self.release.mkdir()
        for name in [archive().name, "SHA256SUMS"]:
            shutil.copy(DIST / name, self.release / name)
        self.prefix = self.folder / "a prefix"
        self.url = self.serve(self.release).url

    def install(self, *options, shell=("dash",), environment=None, prefix=None, user=None, installer=INSTALLER):
        command = [
            shutil.which(shell[0]),
            *shell[1:],
            str(installer),
            "--prefix",
            str(prefix or self.prefix),
            "--from",
            self.url,
            *options,
        ]
        variables = {"PATH": os.environ["PATH"], "HOME": str(self.folder), **(environment or {})}
        if user:
            command = [shutil.which("setpriv"), f"--reuid={user}", f"--regid={user}", "--clear-groups", *command]
        return run(*command, check=False, env=variables, cwd=self.folder)

    def refuses(self, words, *options, **more):
        before = self.snapshot()
        ended = self.install(*options, **more)
        self.assertEqual(ended.returncode, 1, ended.stderr)
        self.assertIn(words, ended.stderr)
        self.assertEqual(self.snapshot(), before, "nothing may be half-installed")

    def snapshot(self):
        if not self.prefix.exists():
            return None
        paths = {name: self.prefix / name for name in self.tree(self.prefix)}
        files = {name: os.readlink(path) if path.is_symlink() else path.read_bytes() for name, path in paths.items()}
        return files, self.folders(self.prefix)

    def old_program(self):
        """An earlier version that is installed."""
        path = self.prefix / "bin/syncmake"
        path.parent.mkdir(parents=True)
        path.write_text("#!/bin/sh\necho syncmake 0.0.1\n")
        path.chmod(0o755)

    def test_it_installs_over_an_old_one_and_removes_all_of_it(self):
        self.assertTrue(SHELLS)
        for shell in SHELLS:
            with self.subTest(shell):
                self.old_program()
                (self.prefix / "bin/other").write_text("not ours")
                ended = self.install(shell=shell)
                self.assertEqual(ended.returncode, 0, ended.stderr)
                self.assertEqual(run(self.prefix / "bin/syncmake", "--version").stdout, f"syncmake {version()}\n")
                self.assertTrue((self.prefix / "share/man/man1/syncmake.1").read_text().startswith(".Dd "))
                self.assertIn(f"note: {self.prefix}/bin is not in PATH", ended.stderr)
                self.assertEqual([n for n in self.tree(self.prefix) if ".new" in n], [])
                # All that the archive has.
                names = run("tar", "-tzf", archive()).stdout.splitlines()
                names = {name.split("/", 1)[1] for name in names if not name.endswith("/")}
                names |= {"bin/other", "share/syncmake/made-folders"}
                self.assertEqual(set(self.tree(self.prefix)), names)

                self.assertEqual(self.install("--uninstall", shell=shell).returncode, 0)
                self.assertEqual((self.tree(self.prefix), self.folders(self.prefix)), (["bin/other"], ["bin"]))
                shutil.rmtree(self.prefix)

    def test_a_file_that_cannot_be_replaced_leaves_all_as_they_were(self):
        self.assertEqual(self.install().returncode, 0)
        for name in self.tree(self.prefix):
            (self.prefix / name).write_bytes(b"old")
        real = shutil.which("mv")
        for last in ["share/fish/vendor_completions.d/syncmake.fish", "bin/syncmake"]:
            self.write(
                "tools/mv",
                f'#!/bin/sh\nfor last; do :; done\ncase $last in\n*/{last}) case $2 in *.new.*) exit 1 ;; esac ;;\nesac\nexec {real} "$@"\n',
                0o755,
            )
            path = f"{self.folder}/tools:{os.environ['PATH']}"
            self.refuses("everything is as it was", environment={"PATH": path})

    def test_a_temporary_folder_may_forbid_programs(self):
        self.write("tmp/keep", "")
        # As on a file system that is mounted with noexec: what is copied there is not executable.
        self.write(
            "tools/tar", f'#!/bin/sh\n{shutil.which("tar")} "$@" && chmod -R a-x,a+X syncmake-*/bin/syncmake\n', 0o755
        )
        path = f"{self.folder}/tools:{os.environ['PATH']}"
        ended = self.install(environment={"PATH": path, "TMPDIR": str(self.folder / "tmp")})
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertTrue(os.access(self.prefix / "bin/syncmake", os.X_OK))

    def test_removing_what_is_not_installed_is_an_error(self):
        (self.prefix / "bin").mkdir(parents=True)
        (self.prefix / "bin/other").write_text("")
        self.refuses("nothing is installed in", "--uninstall")

    def test_removal_takes_the_folders_that_installing_made_and_no_others(self):
        for shell in SHELLS:
            with self.subTest(shell):
                for _ in range(2):
                    self.assertEqual(self.install(shell=shell).returncode, 0)
                self.assertEqual(self.install("--uninstall", shell=shell).returncode, 0)
                self.assertFalse(self.prefix.exists())
                # As Debian's /usr/local is.
                (self.prefix / "bin").mkdir(parents=True)
                (self.prefix / "share/man").mkdir(parents=True)
                for _ in range(2):
                    self.assertEqual(self.install(shell=shell).returncode, 0)
                (self.prefix / "share/zsh/site-functions/_other").write_text("of another program")
                self.assertEqual(self.install("--uninstall", shell=shell).returncode, 0)
                left = ["bin", "share", "share/man", "share/zsh", "share/zsh/site-functions"]
                self.assertEqual(self.folders(self.prefix), left)
                shutil.rmtree(self.prefix)

    def test_removal_takes_the_folders_above_the_prefix_that_installing_made(self):
        parent = self.folder / "p fx"
        for shell in SHELLS:
            for given in [parent / "a/b", "p fx/a/b", f"{parent}/a/b/"]:
                with self.subTest(f"{shell}, {given}"):
                    parent.mkdir()
                    for _ in range(2):
                        ended = self.install(shell=shell, prefix=given)
                        self.assertEqual(ended.returncode, 0, ended.stderr)
                    self.assertEqual(self.install("--uninstall", shell=shell, prefix=given).returncode, 0)
                    self.assertEqual(list(parent.iterdir()), [])
                    # One that something else has come into stays.
                    self.assertEqual(self.install(shell=shell, prefix=given).returncode, 0)
                    (parent / "a/other").mkdir()
                    self.assertEqual(self.install("--uninstall", shell=shell, prefix=given).returncode, 0)
                    self.assertEqual(self.folders(parent), ["a", "a/other"])
                    shutil.rmtree(parent)

    def test_the_script_that_builds_also_removes_all_that_the_installer_made(self):
        self.assertEqual(self.install().returncode, 0)
        self.assertIn("share/syncmake/made-folders", self.tree(self.prefix))
        run(PROJECT / "scripts/install", "--uninstall", "--prefix", self.prefix)
        self.assertFalse(self.prefix.exists())

    def test_a_prefix_is_known_in_path_however_it_is_written(self):
        path = f"{self.prefix}/bin:{os.environ['PATH']}"
        for given in [f"{self.prefix}/", f"./{self.prefix.name}", self.prefix.name + "//"]:
            with self.subTest(given):
                ended = self.install(prefix=given, environment={"PATH": path})
                self.assertEqual(ended.returncode, 0, ended.stderr)
                self.assertNotIn("not in PATH", ended.stderr)

    def test_a_folder_in_the_place_of_a_file_is_refused(self):
        for name in ["bin/syncmake", "share/man/man1/syncmake.1"]:
            with self.subTest(name):
                (self.prefix / name).mkdir(parents=True)
                self.refuses(f"{self.prefix}/{name} is a folder")
                self.refuses(f"{self.prefix}/{name} is a folder", "--uninstall")
                (self.prefix / name).rmdir()
                (self.prefix / name).symlink_to(self.folder)
                self.refuses(f"{self.prefix}/{name} is a folder")
                shutil.rmtree(self.prefix)
                environment = {**os.environ, "SYNCMAKE": str(DIST / "program")}
                (self.prefix / name).mkdir(parents=True)
                ended = run(PROJECT / "scripts/install", "--prefix", self.prefix, check=False, env=environment)
                self.assertEqual(ended.returncode, 1)
                self.assertIn(f"{self.prefix}/{name} is a folder", ended.stderr)
                shutil.rmtree(self.prefix)

    def test_a_version_and_a_digest_can_be_given(self):
        (self.release / "SHA256SUMS").unlink()
        digest = run("sha256sum", archive()).stdout.split()[0]
        for given, expected in [(version(), digest), ("v" + version(), digest.upper())]:
            ended = self.install("--version", given, environment={"SYNCMAKE_SHA256": expected})
            self.assertEqual(ended.returncode, 0, ended.stderr)

    @unittest.skipUnless(shutil.which("curl") and shutil.which("openssl"), "no curl or no openssl")
    def test_https_does_not_lead_to_http(self):
        certificate = self.folder / "certificate.pem"
        names = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
        made = run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", certificate, *names)
        certificate.write_text(certificate.read_text() + made.stdout)
        plain = self.url
        url = self.serve(self.release, certificate=certificate).url
        trusting = {"CURL_CA_BUNDLE": str(certificate)}
        self.assertEqual(self.install("--from", url, environment=trusting).returncode, 0)
        for name in [archive().name, "SHA256SUMS"]:
            with self.subTest(name):
                redirects = {f"/{name}": f"{plain}/{name}"}
                url = self.serve(self.release, certificate=certificate, redirects=redirects).url
                self.refuses(f"cannot fetch {name}", "--from", url, environment=trusting)
                # From http it may go on.
                url = self.serve(self.release, redirects=redirects).url
                self.assertEqual(self.install("--from", url).returncode, 0)

    def test_a_folder_takes_the_place_of_the_server(self):
        ended = self.install("--from", str(self.release))
        self.assertEqual(ended.returncode, 0, ended.stderr)

    def test_a_tampered_or_cut_off_archive_is_refused(self):
        self.old_program()
        path = self.release / archive().name
        content = path.read_bytes()
        # A digest that the user has counts beside the published one.
        self.refuses("not with " + 64 * "0", "--sha256", 64 * "0")
        for damaged in [content[:-1], content[: len(content) // 2], b"", content[:100] + b"x" + content[101:]]:
            path.write_bytes(damaged)
            self.refuses("damaged, cut off or not the published one")
            self.refuses("damaged, cut off", "--version", version(), "--sha256", 64 * "0")
        path.unlink()
        self.refuses(f"cannot fetch {path.name}")

    def test_an_archive_that_is_as_published_and_broken_is_refused(self):
        self.old_program()
        path = self.release / archive().name
        for content in [b"no archive", path.read_bytes()[:1_000_000]]:
            path.write_bytes(content)
            self.sign_off()
            self.refuses("cannot be unpacked")

    def test_an_archive_without_a_program_that_runs_is_refused(self):
        self.old_program()
        path = self.release / archive().name
        name = path.name.removesuffix(".tar.gz")
        run("tar", "-xzf", path, "-C", self.folder)
        self.write(f"{name}/bin/syncmake", "#!/bin/sh\necho no such library >&2; exit 127\n", 0o755)
        run("tar", "-czf", path, "-C", self.folder, name)
        self.sign_off()
        self.refuses("the program does not run here: no such library")
        self.write(f"{name}/bin/syncmake", "#!/bin/sh\necho syncmake 9\n", 0o755)
        (self.folder / name / "share/man/man1/syncmake.1").unlink()
        run("tar", "-czf", path, "-C", self.folder, name)
        self.sign_off()
        self.refuses("lacks share/man/man1/syncmake.1")

    def sign_off(self):
        sums = run("sha256sum", archive().name, cwd=self.release).stdout
        (self.release / "SHA256SUMS").write_text(sums)

    def test_a_list_of_digests_that_names_no_archive_is_refused(self):
        (self.release / "SHA256SUMS").write_text("<html>\n")
        self.refuses(f"has no archive for {MACHINE}-unknown-linux-gnu")
        self.refuses("has no line for", "--version", version())
        (self.release / "SHA256SUMS").unlink()
        self.refuses("cannot fetch SHA256SUMS")

    @needs("minisign")
    def test_a_signature_is_checked_if_there_is_a_key(self):
        for name in ["a", "b"]:
            run("minisign", "-G", "-W", "-f", "-p", self.folder / f"{name}.pub", "-s", self.folder / f"{name}.key")
        key = (self.folder / "a.pub").read_text().splitlines()[1]
        self.old_program()
        self.refuses("cannot fetch SHA256SUMS.minisig", "--key", key)
        run("minisign", "-S", "-s", self.folder / "b.key", "-m", self.release / "SHA256SUMS")
        self.refuses("is not signed with the key", "--key", key)
        run("minisign", "-S", "-s", self.folder / "a.key", "-m", self.release / "SHA256SUMS")
        self.assertEqual(self.install("--key", key).returncode, 0)
        # A digest of the user's own does not replace the signature.
        (self.release / "SHA256SUMS").write_text((self.release / "SHA256SUMS").read_text() + "\n")
        digest = run("sha256sum", archive()).stdout.split()[0]
        self.refuses("is not signed", "--key", key, "--version", version(), "--sha256", digest)

    def test_a_key_without_minisign_is_refused(self):
        self.refuses("there is no minisign", "--key", "k", environment={"PATH": self.path_with(TOOLS)})

    def test_an_empty_variable_does_not_replace_the_key_in_the_installer(self):
        text = re.sub("(?m)^key=.*$", "key=of-the-maintainers", INSTALLER.read_text(), count=1)
        installer = self.write("installer with a key.sh", text)
        (self.release / "SHA256SUMS.minisig").write_text("no signature")
        stub = "case $* in *'-P of-the-maintainers '*) echo a stub has seen the key ;; esac; exit 1"
        for value in ["", None]:
            environment = {"PATH": self.path_with([], minisign=stub)}
            if value is not None:
                environment["SYNCMAKE_KEY"] = value
            self.refuses("a stub has seen the key", environment=environment, installer=installer)

    def test_wget_and_shasum_do_as_well(self):
        for missing, needed in [("curl", "wget"), ("sha256sum", "shasum")]:
            with self.subTest(missing):
                tools = [tool for tool in TOOLS if tool != missing] + [needed]
                ended = self.install(environment={"PATH": self.path_with(tools)})
                self.assertEqual(ended.returncode, 0, ended.stderr)
                shutil.rmtree(self.prefix)

    def test_wget_refuses_what_is_missing_and_takes_no_page_for_it(self):
        (self.release / archive().name).unlink()
        tools = [tool for tool in TOOLS if tool != "curl"] + ["wget"]
        self.refuses(f"cannot fetch {archive().name}", environment={"PATH": self.path_with(tools)})

    def test_missing_tools_are_named(self):
        self.old_program()
        for missing, words in [
            ("curl", "there is neither curl nor wget"),
            ("sha256sum", "there is neither sha256sum nor shasum"),
            ("gzip", "cannot be unpacked"),
            ("tar", "cannot be unpacked"),
        ]:
            with self.subTest(missing):
                tools = [tool for tool in TOOLS if tool != missing]
                self.refuses(words, environment={"PATH": self.path_with(tools)})

    def test_a_place_for_temporary_files_that_is_missing_is_named(self):
        environment = {"PATH": os.environ["PATH"], "TMPDIR": str(self.folder / "missing")}
        self.refuses(f"install.sh: error: cannot make a folder in {self.folder}/missing", environment=environment)

    @needs_namespaces
    def test_a_full_disk_leaves_the_old_program(self):
        """A disk for the prefix that has no room for the program, and one for the archive that has none, either."""
        for place, size in [("prefix", "10m"), ("temporary", "1m"), ("temporary", "15m")]:
            with self.subTest(f"{place}, {size}"):
                mounted = self.folder / "mounted"
                mounted.mkdir()
                script = f"""
                    mount -t tmpfs -o size={size} none '{mounted}'
                    prefix='{mounted if place == "prefix" else self.folder}/p'
                    mkdir -p "$prefix/bin"
                    echo old > "$prefix/bin/syncmake"
                    status=0
                    dash '{INSTALLER}' --prefix "$prefix" --from '{self.release}' || status=$?
                    cat "$prefix/bin/syncmake"
                    find "$prefix" -mindepth 1 | wc -l
                    ls '{mounted}' | wc -l
                    exit $status
                    """
                temporary = mounted if place == "temporary" else self.folder / "temporary"
                temporary.mkdir(exist_ok=True)
                environment = {"PATH": os.environ["PATH"], "TMPDIR": str(temporary)}
                ended = run("unshare", "--mount", "sh", "-ec", script, check=False, env=environment)
                self.assertEqual(ended.returncode, 1, ended.stderr)
                self.assertRegex(ended.stderr, "install.sh: error: .*cannot ")
                # bin and the program; in the mounted folder the prefix, or nothing.
                self.assertEqual(ended.stdout.split(), ["old", "2", "1" if place == "prefix" else "0"], ended.stderr)
                shutil.rmtree(mounted)
                shutil.rmtree(self.folder / "p", ignore_errors=True)

    @needs_namespaces
    def test_a_full_disk_leaves_no_folder_above_the_prefix(self):
        mounted = self.folder / "mounted"
        mounted.mkdir()
        script = f"""
            mount -t tmpfs -o size=10m none '{mounted}'
            status=0
            dash '{INSTALLER}' --prefix '{mounted}/p/q' --from '{self.release}' || status=$?
            find '{mounted}' -mindepth 1
            exit $status
            """
        environment = {"PATH": os.environ["PATH"], "TMPDIR": str(self.folder)}
        ended = run("unshare", "--mount", "sh", "-ec", script, check=False, env=environment)
        self.assertEqual((ended.returncode, ended.stdout), (1, ""), ended.stderr)
        self.assertIn("install.sh: error: cannot write to", ended.stderr)

    def path_with(self, tools, **stubs):
        """A PATH with these tools and no others, and stubs in the place of some."""
        folder = self.folder / f"tools-{len(os.listdir(self.folder))}"
        folder.mkdir()
        for tool in tools:
            (folder / tool).symlink_to(shutil.which(tool))
        for name, text in stubs.items():
            (folder / name).write_text("#!/bin/sh\n" + text + "\n")
            (folder / name).chmod(0o755)
        return f"{folder}" if tools else f"{folder}:{os.environ['PATH']}"

    def test_unknown_systems_and_old_ones_are_named(self):
        for stubs, words in [
            ({"uname": "case $1 in -s) echo Linux;; *) echo riscv64;; esac"}, "no release for Linux on riscv64"),
            ({"uname": "echo FreeBSD"}, "no release for FreeBSD"),
            ({"uname": "case $1 in -s) echo Darwin;; *) echo arm64;; esac"}, "no release for Darwin on aarch64"),
            ({"getconf": "echo glibc 2.31"}, "has glibc 2.31, but the program needs 2."),
            ({"getconf": "exit 1", "ldd": "echo 'musl libc (x86_64)'; exit 1"}, "no GNU C library"),
            ({"getconf": "exit 1", "ldd": "echo 'ldd (Debian GLIBC 2.28-10) 2.28'"}, "has glibc 2.28, but"),
            ({"getconf": "exit 1", "ldd": "echo 'ldd (Ubuntu GLIBC 2.35-0ubuntu3.8) 2.35'"}, None),
        ]:
            with self.subTest(str(stubs)):
                environment = {"PATH": self.path_with([], **stubs)}
                if words:
                    self.refuses(words, environment=environment)
                else:
                    ended = self.install(environment=environment)
                    self.assertEqual(ended.returncode, 0, ended.stderr)

    def test_a_release_without_this_system_is_named(self):
        other = "x86_64" if MACHINE == "aarch64" else "aarch64"
        stub = f"case $1 in -s) echo Linux;; *) echo {other};; esac"
        self.refuses(
            f"has no archive for {other}-unknown-linux-gnu", environment={"PATH": self.path_with([], uname=stub)}
        )

    def test_a_prefix_that_cannot_be_written_is_named(self):
        (self.folder / "file").write_text("")
        self.refuses("is not a folder", prefix=self.folder / "file/in/it")
        if os.geteuid() == 0:
            self.folder.chmod(0o755)
            locked = self.folder / "locked"
            (locked / "bin").mkdir(parents=True)
            ended = self.install(prefix=locked, user=65534)
            self.assertEqual(ended.returncode, 1)
            self.assertIn(f"cannot write to {locked}", ended.stderr)
            self.assertEqual(self.tree(locked), [])
            # The folder of one of the files only.
            open_one = self.folder / "open"
            (open_one / "share/fish").mkdir(parents=True)
            for folder in [open_one, open_one / "share"]:
                os.chown(folder, 65534, 65534)
            ended = self.install(prefix=open_one, user=65534)
            self.assertEqual(ended.returncode, 1)
            self.assertIn(f"cannot write to {open_one}/share/fish", ended.stderr)
            self.assertEqual(self.folders(open_one), ["share", "share/fish"])

    def test_an_options_value_may_follow_an_equals_sign(self):
        other = self.folder / "a = prefix"
        ended = self.install(f"--prefix={other}")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertTrue((other / "bin/syncmake").exists())
        self.assertFalse(self.prefix.exists())

    def test_wrong_options_change_nothing(self):
        self.refuses("unknown option '--frm'", "--frm")
        self.refuses("--version takes a value", "--version", "")
        self.refuses("--version takes a value", "--version=")
        self.refuses("is not a version", "--version", "../../x")
        self.refuses("is not a version", "--version", "0.1.0 $(touch ran)")
        self.assertFalse((self.folder / "ran").exists())

    def test_an_end_by_a_signal_leaves_the_old_program(self):
        """Each moment at which a step may be ended: one command after the other ends the installer, and then works."""
        self.old_program()
        before = self.snapshot()
        for command in ["curl", "sha256sum", "gzip", "tar", "mkdir", "cp", "chmod"]:
            for shell in SHELLS:
                with self.subTest(f"{command}, {shell}"):
                    ended = self.interrupted(command, shell)
                    self.assertEqual(ended.returncode, 1, ended.stderr)
                    self.assertIn("nothing has changed", ended.stderr)
                    self.assertEqual(self.snapshot(), before)
                    self.assertEqual(os.listdir(self.folder / "temporary"), [])

    def test_a_signal_after_the_first_file_was_replaced_does_not_leave_two_versions(self):
        self.old_program()
        for shell in SHELLS:
            with self.subTest(shell):
                ended = self.interrupted("mv", shell, when='case $* in *.new.*) ;; *) exec {tool} "$@" ;; esac')
                self.assertEqual(ended.returncode, 0, ended.stderr)
                self.assertIn("installed syncmake", ended.stderr)
                self.assertEqual(run(self.prefix / "bin/syncmake", "--version").stdout, f"syncmake {version()}\n")
                self.assertEqual([name for name in self.tree(self.prefix) if ".new." in name], [])

    def interrupted(self, command, shell, when=""):
        """The end of an installation in which a command sends SIGTERM to the installer, before it does its work."""
        # Some commands run in a subshell: its parent is the installer.
        stub = f"""
            {when}
            parent=$PPID
            while ! grep -qz -x {INSTALLER} /proc/$parent/cmdline; do parent=$(cut -d ' ' -f 4 /proc/$parent/stat); done
            first=$parent
            while parent=$(cut -d ' ' -f 4 /proc/$first/stat) && grep -qz -x {INSTALLER} /proc/$parent/cmdline; do
              first=$parent
            done
            kill -TERM $first
            exec {{tool}} "$@"
            """.replace("{tool}", shutil.which(command))
        (self.folder / "temporary").mkdir(exist_ok=True)
        environment = {
            "PATH": self.path_with([], **{command: stub}),
            "TMPDIR": str(self.folder / "temporary"),
        }
        return self.install(shell=shell, environment=environment)


if __name__ == "__main__":
    unittest.main()
