"""action.yml, the hooks of pre-commit and GitLab's component, their steps run as a runner would run them."""

import json
import os
import re
import shutil
import unittest

import yaml
from support import DIST, PROJECT, FolderTest, archive, needs, run, sha256, version

FLEET = PROJECT / "examples/fleet"

# What an attacker would put into an input.
HOSTILE = [
    "'; touch ran; '\"; touch ran; \"$(touch ran)`touch ran`",
    "a\n::set-output name=changed::true\ntouch ran",
    "${{ github.token }}",
    "x<<EOF\nchanged=true\nEOF",
]


class PipelineTest(FolderTest):
    """A checkout with a manifest and its lock, a server with its files, and a PATH of stubs."""

    def setUp(self):
        super().setUp()
        self.files = self.folder / "served"
        self.files.mkdir()
        (self.files / "model.txt").write_text("one\n")
        # Dates of files have seconds: what a test writes next must have another one.
        os.utime(self.files / "model.txt", (1_700_000_000, 1_700_000_000))
        self.url = self.serve(self.folder).url
        self.checkout = self.folder / "check out"
        (self.checkout / "sub").mkdir(parents=True)
        self.program = self.folder / "program"
        run("tar", "-xzf", archive(), "-C", self.folder)
        (self.folder / archive().name.removesuffix(".tar.gz")).rename(self.program)
        self.write(
            "check out/sub/syncmake.yaml",
            f"version: 1\ntargets:\n  model: {{url: '{self.url}/served/model.txt', output: data/model.txt}}\n",
        )
        self.stubs = self.folder / "stubs"
        for name in ["gh", "apt-get"]:
            self.write(f"stubs/{name}", f"#!/bin/sh\nprintf '%s\\n' \"{name} $*\" >> '{self.folder}/calls'\n", 0o755)
        self.base = {
            "PATH": f"{self.stubs}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.folder),
            "CI": "true",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "LC_ALL": "C.UTF-8",
        }
        self.syncmake("lock")
        run("git", "init", "-q", "--bare", "-b", "main", self.folder / "origin")
        for line in [
            "git init -q -b main .",
            "git add sub/syncmake.yaml sub/syncmake.lock",
            "git -c user.name=t -c user.email=t@localhost commit -qm t",
            f"git remote add origin '{self.folder}/origin'",
            "git push -q origin main",
            "git -C ../origin config receive.advertisePushOptions true",
            "rm -rf sub/.syncmake sub/data",
        ]:
            run("bash", "-c", line, cwd=self.checkout, env=self.base)

    def syncmake(self, *words, check=True):
        return run(self.program / "bin/syncmake", "-C", self.checkout / "sub", *words, env=self.base, check=check)

    def calls(self):
        path = self.folder / "calls"
        return path.read_text() if path.exists() else ""

    def nothing_ran(self):
        self.assertEqual([str(p) for p in self.folder.rglob("ran")], [])

    def branches(self):
        return run("git", "-C", self.folder / "origin", "branch").stdout.split()


class ActionTests(PipelineTest):
    action = yaml.safe_load((PROJECT / "action.yml").read_text())

    def setUp(self):
        super().setUp()
        self.caches = []

    def expand(self, text, values):
        """The expressions of GitHub's in a text, of which the action uses only plain names."""
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda match: values.get(match[1], ""), text)

    def holds(self, condition, values):
        for term in condition.split(" && "):
            left, operator, right = term.split(" ")
            if (values.get(left, "") == right.strip("'")) != (operator == "=="):
                return False
        return True

    def run_action(self, **inputs):
        """Runs the steps. Returns the outputs, the status, the words, and the names of the steps that ran."""
        values = {"github.token": "secret-token"}
        for name, entry in self.action["inputs"].items():
            given = inputs.get(name.replace("-", "_"), self.expand(entry.get("default", ""), values))
            values[f"inputs.{name}"] = given
        unknown = set(inputs) - {name.replace("-", "_") for name in self.action["inputs"]}
        self.assertEqual(unknown, set())
        path_file = self.folder / "github-path"
        path_file.write_text("")
        temporary = self.folder / "runner temp"
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir()
        words, ran, status, self.cached = "", [], 0, {}
        for step in self.action["runs"]["steps"]:
            if not self.holds(step.get("if", "always == "), values):
                continue
            name = step["name"]
            if "uses" in step:
                ran.append(name)
                self.assertRegex(step["uses"], r"@[0-9a-f]{40}$")
                given = {key: self.expand(text, values) for key, text in step["with"].items()}
                self.assertTrue(given["path"], "the real one refuses an empty path")
                self.cached[name] = given
                if "/save@" in step["uses"]:
                    self.save(given)
                else:
                    values[f"steps.{step.get('id')}.outputs.cache-hit"] = self.restore(given)
                continue
            self.assertNotIn("${{", step["run"], "an expression in a command is an injection")
            output = self.folder / f"output-{name}"
            output.write_text("")
            environment = {
                **self.base,
                "GITHUB_ACTIONS": "true",
                "GITHUB_WORKSPACE": str(self.checkout),
                "GITHUB_ACTION_PATH": str(PROJECT),
                "GITHUB_OUTPUT": str(output),
                "GITHUB_STEP_SUMMARY": str(self.folder / "summary"),
                "GITHUB_PATH": str(path_file),
                "GITHUB_RUN_ID": "7",
                "GITHUB_RUN_ATTEMPT": "1",
                "RUNNER_TEMP": str(temporary),
                "RUNNER_OS": "Linux",
                "RUNNER_ARCH": "X64",
                "SYNCMAKE_FROM": str(DIST),
                **{key: self.expand(text, values) for key, text in step.get("env", {}).items()},
            }
            more = (
                path_file.read_text().split()[0:1]
                if not path_file.read_text().strip()
                else [path_file.read_text().strip()]
            )
            environment["PATH"] = ":".join([*more, environment["PATH"]])
            ended = run(
                "bash",
                "--noprofile",
                "--norc",
                "-e",
                "-o",
                "pipefail",
                "-c",
                step["run"],
                check=False,
                cwd=self.checkout,
                env=environment,
            )
            ran.append(name)
            words += ended.stdout + ended.stderr
            for key, text in self.outputs(output).items():
                values[f"steps.{step.get('id')}.outputs.{key}"] = text
            if ended.returncode != 0:
                status = ended.returncode
                break
        results = {name: self.expand(entry["value"], values) for name, entry in self.action["outputs"].items()}
        return results, status, words, ran

    def save(self, given):
        """As actions/cache does it: what is there under this key and with these paths stays."""
        if any((key, paths) == (given["key"], given["path"]) for key, paths, _ in self.caches):
            return
        folder = self.folder / f"cache-{len(self.caches)}"
        folder.mkdir()
        for number, path in enumerate(given["path"].splitlines()):
            if os.path.exists(path):
                run("cp", "-a", path, folder / str(number))
        self.caches.append((given["key"], given["path"], folder))

    def restore(self, given):
        """As actions/cache does it: only what was saved with the same paths is found, first under the key, then the newest
        under the prefix."""
        fitting = [(key, folder) for key, paths, folder in self.caches if paths == given["path"]]
        exact = [folder for key, folder in fitting if key == given["key"]]
        near = [folder for key, folder in fitting if key.startswith(given["restore-keys"])]
        for folder in exact or near[-1:]:
            for number, path in enumerate(given["path"].splitlines()):
                if (folder / str(number)).exists():
                    os.makedirs(os.path.dirname(path), exist_ok=True)
                    run("cp", "-aT", folder / str(number), path)
        return "true" if exact else "false" if near else ""

    def start_afresh(self):
        """What another runner has: the checkout only."""
        run("git", "clean", "-qfdx", "-e", "*.lock", cwd=self.checkout, env=self.base)

    def outputs(self, path):
        """As the runner reads the file."""
        found, lines = {}, path.read_text().splitlines()
        while lines:
            line = lines.pop(0)
            if "<<" in line and ("=" not in line or line.index("<<") < line.index("=")):
                name, mark = line.split("<<", 1)
                text = []
                while lines[0] != mark:
                    text.append(lines.pop(0))
                lines.pop(0)
                found[name] = "\n".join(text)
            else:
                name, _, text = line.partition("=")
                found[name] = text
        return found

    def test_a_run_installs_caches_and_tells_what_changed(self):
        digest = sha256(archive())
        results, status, words, ran = self.run_action(
            version=version(), sha256=digest, args="--locked", working_directory="sub"
        )
        self.assertEqual(status, 0, words)
        restoring = ["Restore the state", "Outputs before", "Restore the outputs"]
        saving = ["Outputs after", "Save the state", "Save the outputs"]
        self.assertEqual(ran, ["Install", "Prepare", *restoring, "Sync", *saving])
        self.assertEqual(results["changed"], "true")
        self.assertEqual(json.loads(results["updated"]), ["model"])
        self.assertEqual(json.loads(results["failed"]), [])
        self.assertEqual(json.loads(results["moved"]), [])
        self.assertEqual(results["cache-hit"], "")
        self.assertEqual((self.checkout / "sub/data/model.txt").read_text(), "one\n")
        folder = self.checkout / "sub"
        key = f"syncmake-Linux-X64-{sha256(folder / 'syncmake.lock')}"
        self.assertEqual(self.cached["Save the state"], {"path": f"{folder}/.syncmake", "key": f"state-{key}"})
        self.assertEqual(self.cached["Save the outputs"], {"path": f"{folder}/data/model.txt", "key": key})

        self.start_afresh()
        results, status, words, ran = self.run_action(working_directory="sub", args="--locked")
        self.assertEqual((status, results["changed"], results["cache-hit"]), (0, "false", "true"), words)
        self.assertEqual(ran[-1], "Sync")
        _, _, _, ran = self.run_action(working_directory="sub", cache="false")
        self.assertEqual(ran, ["Install", "Prepare", "Sync"])

    def test_without_a_lock_the_key_is_the_runs(self):
        (self.checkout / "sub/syncmake.lock").unlink()
        _, status, words, _ = self.run_action(working_directory="sub")
        self.assertEqual(status, 0, words)
        self.assertEqual(self.cached["Save the outputs"]["key"], "syncmake-Linux-X64-7-1")

    def test_the_files_of_a_list_are_restored_without_a_lock(self):
        """Their names are known to the state only, not to a fresh checkout."""
        (self.files / "SUMS").write_text(f"{sha256(self.files / 'model.txt')}  model.txt\n")
        self.write(
            "check out/sub/syncmake.yaml",
            "version: 1\ntargets:\n  all/${entry.key}:\n"
            f"    list: {{url: '{self.url}/served/SUMS', format: checksums}}\n    output: data/${{entry.key}}\n",
        )
        run("git", "-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "-qam", "t", cwd=self.checkout)
        (self.checkout / "sub/syncmake.lock").unlink()
        results, status, words, _ = self.run_action(working_directory="sub")
        self.assertEqual((status, json.loads(results["updated"])), (0, ["all/model.txt"]), words)
        self.start_afresh()
        self.assertFalse((self.checkout / "sub/data").exists())
        results, status, words, ran = self.run_action(working_directory="sub")
        self.assertEqual((status, results["changed"], results["cache-hit"]), (0, "false", "true"), words)
        self.assertEqual((self.checkout / "sub/data/model.txt").read_text(), "one\n")

    def test_a_folder_may_have_any_name(self):
        for name in ["R&D", "a|b", "c\\d"]:
            with self.subTest(name):
                (self.checkout / "sub").rename(self.checkout / name)
                _, status, words, _ = self.run_action(working_directory=name)
                self.assertEqual(status, 0, words)
                self.assertEqual(self.cached["Save the outputs"]["path"], f"{self.checkout}/{name}/data/model.txt")
                shutil.rmtree(self.checkout / name / "data")
                (self.checkout / name).rename(self.checkout / "sub")

    def test_a_failed_target_fails_the_step_and_is_named(self):
        (self.files / "model.txt").unlink()
        results, status, words, _ = self.run_action(working_directory="sub", args="--locked")
        self.assertEqual(status, 2, words)
        self.assertEqual(json.loads(results["failed"]), ["model"])
        self.assertIn("::error file=sub/syncmake.yaml,line=3", words)

    def test_a_broken_manifest_is_annotated_once(self):
        with (self.checkout / "sub/syncmake.yaml").open("a") as manifest:
            manifest.write("  new: {urrl: x}\n")
        for command in ["run", "plan", "update", "lock", "validate"]:
            with self.subTest(command):
                _, status, words, ran = self.run_action(working_directory="sub", command=command)
                self.assertEqual((status, ran[-1]), (3, "Sync"), words)
                self.assertEqual(words.count("::error"), 1, words)
                self.assertIn("::error file=sub/syncmake.yaml,line=4", words)

    def test_a_wrong_digest_installs_nothing(self):
        _, status, words, ran = self.run_action(working_directory="sub", sha256="0" * 64, version=version())
        self.assertEqual((status, ran), (1, ["Install"]), words)
        self.assertFalse((self.folder / "runner temp/syncmake/bin/syncmake").exists())

    def test_a_plan_tells_what_has_moved(self):
        self.run_action(working_directory="sub", args="--locked")
        (self.files / "model.txt").write_text("two, longer\n")
        results, status, words, _ = self.run_action(command="plan", working_directory="sub", args="--locked")
        self.assertEqual(status, 0, words)
        self.assertEqual(json.loads(results["moved"]), ["model"])

    def test_an_update_opens_a_pull_request_if_something_has_moved(self):
        options = {"command": "update", "working_directory": "sub", "pull_request": "true"}
        _, status, words, ran = self.run_action(**options)
        self.assertEqual(status, 0, words)
        self.assertEqual((self.branches(), self.calls()), (["*", "main"], ""))

        (self.files / "model.txt").write_text("two, longer\n")
        results, status, words, ran = self.run_action(**options, token="of an app")
        self.assertEqual(status, 0, words)
        self.assertEqual(json.loads(results["moved"]), ["model"])
        self.assertEqual(results["changed"], "true")
        self.assertEqual(ran[-2:], ["Sync", "Pull request"])
        self.assertEqual(self.caches, [], "the new files do not belong to the key of the old lock")
        self.assertIn("syncmake-update", self.branches())
        shown = run("git", "-C", self.folder / "origin", "show", "--stat", "--format=%an %s", "syncmake-update").stdout
        self.assertIn("syncmake Update remote files", shown)
        self.assertIn("sub/syncmake.lock", shown)
        self.assertIn("gh pr create --head syncmake-update --title Update remote files --body-file", self.calls())
        self.assertEqual((self.folder / "runner temp/syncmake-changes.md").read_text(), "- **model** moved\n")
        self.assertNotIn("of an app", words)

    def test_a_lock_that_is_new_is_proposed(self):
        run("git", "rm", "-q", "--cached", "sub/syncmake.lock", cwd=self.checkout)
        run("git", "-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "-qm", "t", cwd=self.checkout)
        (self.checkout / "sub/syncmake.lock").unlink()
        _, status, words, _ = self.run_action(command="update", working_directory="sub", pull_request="true")
        self.assertEqual(status, 0, words)
        shown = run("git", "-C", self.folder / "origin", "show", "--stat", "--format=%s", "syncmake-update").stdout
        self.assertIn("sub/syncmake.lock", shown)

    def test_a_git_that_fails_is_not_taken_for_an_unchanged_lock(self):
        (self.files / "model.txt").write_text("two, longer\n")
        (self.checkout / ".git").rename(self.folder / "away")
        _, status, words, ran = self.run_action(command="update", working_directory="sub", pull_request="true")
        self.assertEqual((status != 0, ran[-1]), (True, "Pull request"), words)
        self.assertIn("not a git repository", words)

    def test_the_outputs_of_the_manifest_that_the_arguments_name_are_cached(self):
        (self.checkout / "sub/syncmake.yaml").rename(self.checkout / "sub/other.yaml")
        for args in ["--file other.yaml", "-f\nother.yaml", "--file=other.yaml"]:
            with self.subTest(args):
                _, status, words, _ = self.run_action(working_directory="sub", args=args)
                self.assertEqual(status, 0, words)
                self.assertEqual(self.cached["Save the outputs"]["path"], f"{self.checkout}/sub/data/model.txt")
                shutil.rmtree(self.checkout / "sub/data")
                shutil.rmtree(self.checkout / "sub/.syncmake")
                while self.caches:
                    shutil.rmtree(self.caches.pop()[2])

    def test_an_update_without_pull_request_pushes_nothing(self):
        (self.files / "model.txt").write_text("two, longer\n")
        results, status, words, ran = self.run_action(command="update", working_directory="sub")
        self.assertEqual((status, json.loads(results["moved"])), (0, ["model"]), words)
        self.assertEqual(self.branches(), ["*", "main"])

    def test_arguments_are_words_or_lines(self):
        for given, expected in [("--locked   -s", 0), ("--locked\n-s\n", 0), ("no such target", 3), ("'model'", 3)]:
            with self.subTest(given):
                self.assertEqual(self.run_action(working_directory="sub", args=given)[1], expected)

    def test_hostile_inputs_run_nothing_and_set_no_output(self):
        for text in HOSTILE:
            for name in ["version", "sha256", "command", "working_directory", "args"]:
                with self.subTest(f"{name}: {text!r}"):
                    results, status, words, _ = self.run_action(**{"working_directory": "sub", name: text})
                    self.assertNotEqual(status, 0, words)
                    self.assertNotEqual(results["changed"], "true")
                    self.assertNotIn("\n::set-output", words)
                    self.nothing_ran()
        _, status, words, _ = self.run_action(working_directory="..")
        self.assertIn("outside of the workspace", words)
        _, status, words, _ = self.run_action(command="clean")
        self.assertIn("the input 'command' must be", words)

    def test_hostile_names_of_outputs_are_data(self):
        """What a manifest from a pull request can say reaches the runner's files as text."""
        self.write(
            "check out/sub/syncmake.yaml",
            'version: 1\ntargets:\n  a: {url: source, output: "b<<c"}\n  d: {url: source, output: "!e*"}\n',
        )
        (self.checkout / "sub/syncmake.lock").unlink()
        (self.checkout / "sub/source").write_text("s")
        results, status, words, _ = self.run_action(working_directory="sub")
        self.assertEqual(status, 0, words)
        folder = self.checkout / "sub"
        self.assertEqual(self.cached["Save the outputs"]["path"], f"{folder}/b<<c")


class HookTests(PipelineTest):
    """By the real pre-commit, which takes the hooks from a clone of this project."""

    @needs("pre-commit")
    def test_the_hooks(self):
        hooks = self.folder / "hooks"
        hooks.mkdir()
        shutil.copy(PROJECT / ".pre-commit-hooks.yaml", hooks)
        shutil.copytree(PROJECT / "packaging", hooks / "packaging", ignore=shutil.ignore_patterns("tests"))
        line = "git init -q -b main . && git add -A && git -c user.name=t -c user.email=t@localhost commit -qm t"
        run("bash", "-c", line, cwd=hooks, env=self.base)
        revision = run("git", "rev-parse", "HEAD", cwd=hooks).stdout.strip()
        self.write(
            "check out/.pre-commit-config.yaml",
            f"repos:\n- repo: {hooks}\n  rev: {revision}\n  hooks:\n"
            "  - id: syncmake-validate\n  - id: syncmake-lock-check\n",
        )
        run("git", "add", ".pre-commit-config.yaml", cwd=self.checkout)
        self.base["PATH"] = os.pathsep.join(
            [str(self.program / "bin"), os.path.dirname(shutil.which("pre-commit")), self.base["PATH"]]
        )
        self.base["PRE_COMMIT_HOME"] = str(self.folder / "pre-commit")

        ended = self.pre_commit()
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        self.assertEqual(ended.stdout.count("Passed"), 2, ended.stdout)

        manifest = self.checkout / "sub/syncmake.yaml"
        whole = manifest.read_text()
        manifest.write_text(whole + f"  new: {{url: '{self.url}/new'}}\n")
        ended = self.pre_commit()
        self.assertEqual(ended.returncode, 1, ended.stdout)
        self.assertRegex(ended.stdout, r"syncmake validate\.+Passed")
        self.assertRegex(ended.stdout, r"syncmake validate --locked\.+Failed")
        self.assertIn("new", ended.stdout)

        manifest.write_text(whole + "  new: {urrl: x}\n")
        ended = self.pre_commit()
        self.assertRegex(ended.stdout, r"syncmake validate\.+Failed")
        self.assertIn("syncmake.yaml:4:", ended.stdout)

        # A change of an included manifest is one of the manifest above it.
        manifest.write_text(whole)
        self.write(
            "check out/syncmake.yaml",
            "version: 1\ninclude: [sub/syncmake.yaml]\ntargets: {other: {url: x, output: sub/data/model.txt}}\n",
        )
        ended = self.pre_commit("--files", "sub/syncmake.yaml")
        self.assertRegex(ended.stdout, r"syncmake validate\.+Failed")
        self.assertIn('duplicate output "sub/data/model.txt"', ended.stdout)

        # One with another name is seen if the configuration names it, as docs/ci.md says.
        [pattern] = re.findall(r"^ +files: (\(.*)$", (PROJECT / "docs/ci.md").read_text(), re.M)
        config = self.checkout / ".pre-commit-config.yaml"
        config.write_text(
            config.read_text().replace("syncmake-validate\n", f"syncmake-validate\n    files: {pattern}\n")
        )
        run("git", "add", config, cwd=self.checkout)
        self.write("check out/syncmake.yaml", "version: 1\ninclude: [projects/a/data.yaml]\ntargets: {}\n")
        included = self.write("check out/projects/a/data.yaml", "version: 1\ntargets: {b: {url: x, output: b}}\n")
        ended = self.pre_commit("--files", "projects/a/data.yaml")
        self.assertRegex(ended.stdout, r"syncmake validate\.+Passed")
        included.write_text("version: 1\ntargets: {b: {urrl: x, output: b}}\n")
        ended = self.pre_commit("--files", "projects/a/data.yaml")
        self.assertRegex(ended.stdout, r"syncmake validate\.+Failed")
        self.assertIn("projects/a/data.yaml:2:", ended.stdout)
        (self.checkout / "syncmake.yaml").unlink()

        self.base["PATH"] = self.base["PATH"].replace(str(self.program / "bin") + ":", "")
        self.assertIn("syncmake is not in PATH", self.pre_commit().stdout)

    def test_the_folder_of_each_wrong_manifest_is_named(self):
        for folder in ["a", "-d", "-d/e"]:
            self.write(f"check out/{folder}/syncmake.yaml", "version: 1\ntargets: {b: {urrl: x, output: b}}\n")
        ended = self.script("sub/syncmake.yaml", "a/syncmake.yaml", "-d/syncmake.yaml", "-d/e/syncmake.yaml")
        self.assertEqual(ended.returncode, 1)
        self.assertEqual(ended.stderr.count('unknown key "urrl"'), 3, ended.stderr)
        said = re.findall("^syncmake validate failed in the folder (.*)$", ended.stderr, re.M)
        self.assertEqual(said, ["a", "-d", "-d/e"])
        ended = self.script("sub/syncmake.yaml")
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))

    def test_a_manifest_may_write_include_in_quotes(self):
        for folder in ["a", "-d"]:
            self.write(f"check out/{folder}/e/data.yaml", "version: 1\ntargets: {b: {urrl: x, output: b}}\n")
            for word in ["include", "include ", '"include"', "'include'", "'include' "]:
                with self.subTest(f"{word} in {folder}"):
                    text = f"version: 1\n{word}: [e/data.yaml]\ntargets: {{}}\n"
                    self.write(f"check out/{folder}/syncmake.yaml", text)
                    ended = self.script(f"{folder}/e/data.yaml")
                    self.assertEqual(ended.returncode, 1, ended.stderr)
                    self.assertIn('e/data.yaml:2:15: error: unknown key "urrl"', ended.stderr)
                    self.assertNotIn("grep", ended.stderr)
        self.write("check out/a/syncmake.yaml", "version: 1\n# include: none\ntargets: {included: {urrl: x}}\n")
        self.assertEqual(self.script("a/e/data.yaml").returncode, 0, "a manifest that includes nothing is not checked")

    def test_an_included_manifest_may_write_beside_its_folder(self):
        self.write("check out/a/b/syncmake.yaml", "version: 1\ntargets: {b: {url: x, output: ../../c/b}}\n")
        self.assertEqual(self.script("a/b/syncmake.yaml").returncode, 1)
        self.write("check out/a/syncmake.yaml", "{version: 1, include: [b/syncmake.yaml], targets: {}}\n")
        self.assertEqual(self.script("a/b/syncmake.yaml").returncode, 1)
        self.write("check out/syncmake.yaml", "version: 1\ninclude: ['*/syncmake.yaml']\ntargets: {}\n")
        ended = self.script("a/b/syncmake.yaml", "a/syncmake.yaml")
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        self.write("check out/syncmake.yaml", "version: 1\ninclude: ['sub/*.yaml']\ntargets: {}\n")
        self.assertEqual(self.script("a/b/syncmake.yaml").returncode, 1)

    def script(self, *words):
        """The hooks' script, without pre-commit."""
        environment = {**self.base, "PATH": f"{self.program}/bin:{self.base['PATH']}"}
        return run("sh", PROJECT / "packaging/pre-commit.sh", *words, cwd=self.checkout, env=environment, check=False)

    def pre_commit(self, *files):
        chosen = files or ["--all-files"]
        return run("pre-commit", "run", *chosen, cwd=self.checkout, env=self.base, check=False)


class ComponentTests(PipelineTest):
    """templates/syncmake.yml: GitLab puts the inputs into its values, then runs the scripts."""

    def jobs(self, **inputs):
        spec, jobs = yaml.safe_load_all((PROJECT / "templates/syncmake.yml").read_text())
        given = {name: (entry or {}).get("default") for name, entry in spec["spec"]["inputs"].items()}
        given.update(inputs)
        self.assertNotIn(None, given.values())

        def interpolated(value):
            if isinstance(value, dict):
                return {interpolated(key): interpolated(entry) for key, entry in value.items()}
            if isinstance(value, list):
                return [interpolated(entry) for entry in value]
            if isinstance(value, str):
                return re.sub(r"\$\[\[ inputs\.([a-z0-9_-]+) \]\]", lambda match: given[match[1]], value)
            return value

        return interpolated(jobs)

    def run_job(self, name, **inputs):
        jobs = self.jobs(
            **{
                "version": version(),
                "sha256": sha256(archive()),
                "from": f"{self.url}/releases",
                "directory": "sub",
                **inputs,
            }
        )
        base = jobs[".syncmake"]
        place = self.folder / "releases" / f"v{version()}"
        place.mkdir(parents=True, exist_ok=True)
        shutil.copy(archive(), place)
        (self.folder / "tmp").mkdir(exist_ok=True)
        for line in base["before_script"] + jobs[name]["script"]:
            self.assertNotIn("$[[", line)
        environment = {
            **self.base,
            "GITLAB_CI": "true",
            "TMPDIR": str(self.folder / "tmp"),
            "CI_PROJECT_DIR": str(self.checkout),
            "CI_SERVER_HOST": "gitlab.example",
            "CI_PROJECT_PATH": "group/data",
            "SYNCMAKE_TOKEN": "t",
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": f"url.{self.folder}/origin.insteadOf",
            "GIT_CONFIG_VALUE_0": "https://oauth2:t@gitlab.example/group/data.git",
            **{key: entry["value"] for key, entry in base["variables"].items()},
        }
        self.assertTrue(all(entry["expand"] is False for entry in base["variables"].values()))
        lines = "\n".join(base["before_script"] + jobs[name]["script"])
        self.assertEqual(jobs[name]["extends"], ".syncmake")
        return run("bash", "-e", "-o", "pipefail", "-c", lines, cwd=self.checkout, env=environment, check=False)

    def test_its_jobs_plan_run_and_update(self):
        ended = self.run_job("syncmake-plan")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("model", ended.stdout)
        self.assertFalse((self.checkout / "sub/data").exists())
        ended = self.run_job("syncmake-run")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("section_start:", ended.stdout)
        self.assertIn('tests="1"', (self.checkout / "reports/syncmake.xml").read_text())
        self.assertEqual(self.run_job("syncmake-update").returncode, 0)
        self.assertEqual(self.branches(), ["*", "main"])
        (self.files / "model.txt").write_text("two, longer\n")
        ended = self.run_job("syncmake-update")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("syncmake-update", self.branches())

    def test_it_takes_the_archive_of_the_runners_machine(self):
        self.write("stubs/uname", "#!/bin/sh\necho other\n", 0o755)
        ended = self.run_job("syncmake-plan", **{"from": f"file://{self.folder}/releases"})
        self.assertIn(f"syncmake-{version()}-other-unknown-linux-gnu.tar.gz", ended.stderr)

    def test_a_wrong_digest_runs_nothing(self):
        ended = self.run_job("syncmake-run", sha256="0" * 64)
        self.assertNotEqual(ended.returncode, 0)
        self.assertFalse((self.checkout / "sub/data").exists())

    def test_hostile_inputs_are_data(self):
        for name in ["version", "from", "directory", "sha256"]:
            for text in HOSTILE:
                with self.subTest(f"{name}: {text!r}"):
                    self.assertNotEqual(self.run_job("syncmake-run", **{name: text}).returncode, 0)
                    self.nothing_ran()


def documented_blocks():
    """The pipelines in docs/ci.md, each by the name in its first line."""
    text = (PROJECT / "docs/ci.md").read_text()
    return re.findall(r"^```(?:yaml|groovy)\n(.*?)^```$", text, re.M | re.S)


class RecipeTests(PipelineTest):
    """The command lines of the short recipes in docs/ci.md, as the platforms' shells run them."""

    def recipe(self, name):
        [block] = [block for block in documented_blocks() if block.splitlines()[0].endswith(f" {name}")]
        return block

    def run_lines(self, lines, **variables):
        sub = self.checkout / "sub"
        shutil.copy(PROJECT / "packaging/install.sh", sub)
        local = self.folder / ".local"
        # Root would install into /usr/local.
        environment = {**self.base, "SYNCMAKE_PREFIX": str(local), **variables}
        environment["PATH"] = f"{local}/bin:{environment['PATH']}"
        for line in lines:
            line = line.replace("--version 0.1.0", f"--version {version()}")
            run("bash", "-eo", "pipefail", "-c", line, cwd=sub, env=environment)
        self.assertEqual((sub / "data/model.txt").read_text(), "one\n")
        return sub

    def place(self):
        return {"SYNCMAKE_FROM": str(DIST), "SYNCMAKE_SHA256": sha256(archive())}

    def test_circleci(self):
        steps = yaml.safe_load(self.recipe(".circleci/config.yml"))["jobs"]["sync"]["steps"]
        sub = self.run_lines([step["run"] for step in steps if "run" in step], **self.place())
        [results] = [step["store_test_results"]["path"] for step in steps if "store_test_results" in step]
        self.assertTrue((sub / results / "junit.xml").exists())
        [saved] = [step["save_cache"]["paths"] for step in steps if "save_cache" in step]
        self.assertEqual([path for path in saved if not (sub / path).is_dir()], [])

    def test_jenkins(self):
        text = self.recipe("Jenkinsfile")
        sub = self.run_lines(re.findall(r"\bsh '(.*?)'", text), **self.place())
        self.assertTrue((sub / re.search(r"\bjunit '(.*?)'", text)[1]).exists())
        self.assertIn("timeout(", text)

    def test_forgejo(self):
        workflow = yaml.safe_load(self.recipe(".forgejo/workflows/files.yml"))
        [job] = workflow["jobs"].values()
        # Only what the workflow names is in the environment.
        variables = {
            name: re.sub(r"\$\{\{ vars\.(\w+) \}\}", lambda match: self.place()[match[1]], text)
            for name, text in job["env"].items()
        }
        self.run_lines([step["run"] for step in job["steps"] if "run" in step], **variables)
        self.assertEqual(set(variables), set(self.place()))
        self.assertEqual((workflow["permissions"], job["timeout-minutes"]), ({"contents": "read"}, 30))

    def test_azure(self):
        [job] = yaml.safe_load(self.recipe("azure-pipelines.yml"))["jobs"]
        sub = self.run_lines([step["script"] for step in job["steps"] if "script" in step], **self.place())
        tasks = [(step["task"], step["inputs"]) for step in job["steps"] if "task" in step]
        cached = [inputs["path"] for task, inputs in tasks if task == "Cache@2"]
        self.assertEqual(cached, [".syncmake", "data"])
        self.assertTrue(all((sub / path).is_dir() for path in cached))
        [results] = [inputs["testResultsFiles"] for task, inputs in tasks if task == "PublishTestResults@2"]
        self.assertTrue((sub / results).exists())
        self.assertEqual(job["timeoutInMinutes"], "30")


class ReleaseWorkflowTests(FolderTest):
    """Steps of .github/workflows/release.yml that need no service of GitHub's."""

    def test_the_parts_of_both_machines_are_gathered(self):
        for machine in ["x86_64", "aarch64"]:
            part = f"parts/dist-{machine}"
            for name in [f"syncmake-0.1.0-{machine}.tar.gz", "install.sh", "SHA256SUMS"]:
                self.write(f"{part}/{name}", "the same" if name == "install.sh" else machine)
        workflow = yaml.safe_load((PROJECT / ".github/workflows/release.yml").read_text())
        [script] = [step["run"] for step in workflow["jobs"]["publish"]["steps"] if step.get("name") == "Gather"]
        run("bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script, cwd=self.folder)
        expected = ["install.sh", "syncmake-0.1.0-aarch64.tar.gz", "syncmake-0.1.0-x86_64.tar.gz"]
        self.assertEqual(self.tree("dist"), ["SHA256SUMS", *expected])
        self.assertEqual(run("sha256sum", "-c", "SHA256SUMS", cwd=self.folder / "dist").stdout.count(": OK"), 3)


class FormulaTests(FolderTest):
    """Homebrew's formula, without Homebrew: its environment reaches the builder, and nothing is installed with apt."""

    formula = PROJECT / "packaging/homebrew/syncmake.rb"

    def environment(self):
        found = dict(re.findall(r'^    ENV\["(\w+)"\] = "(.*)"$', self.formula.read_text(), re.M))
        return {**os.environ, **found, "PATH": f"{self.folder}/stubs:/usr/bin:/bin"}

    def stub(self, name, script=""):
        self.write(f"stubs/{name}", f"#!/bin/sh\necho \"{name} $*\" >> '{self.folder}/calls'\n{script}", 0o755)

    @needs("ruby")
    def test_it_is_ruby(self):
        run("ruby", "-c", self.formula)

    def test_it_pins_the_commit_of_its_tag(self):
        self.assertRegex(self.formula.read_text(), r'tag: +"v.*",\n +revision: "[0-9a-f]{40}"')

    def test_swift_builds_without_a_sandbox_of_its_own(self):
        (self.folder / "scripts").mkdir()
        shutil.copy(PROJECT / "scripts/common.sh", self.folder / "scripts")
        self.stub("swift")
        command = ["bash", "-euc", "source scripts/common.sh; build_release stripped"]
        run(*command, cwd=self.folder, env=self.environment())
        build = (self.folder / "calls").read_text().splitlines()[0]
        self.assertRegex(build, r"^swift build .*--disable-sandbox( |$)")
        (self.folder / "calls").unlink()
        plain = {**self.environment(), "SYNCMAKE_BUILD_OPTIONS": ""}
        run(*command, cwd=self.folder, env=plain)
        self.assertNotIn("sandbox", (self.folder / "calls").read_text())

    def test_missing_packages_are_named_and_not_installed(self):
        for name in ["apt-get", "apt-cache", "sudo"]:
            self.stub(name)
        self.stub("pkg-config", "exit 1\n")
        ended = run(PROJECT / "scripts/setup", check=False, env=self.environment())
        self.assertEqual(ended.returncode, 1, ended.stderr)
        self.assertIn("libyaml-dev", ended.stderr)
        calls = (self.folder / "calls").read_text()
        self.assertEqual({line.split(" ")[0] for line in calls.splitlines()}, {"pkg-config"})


class WorkflowTests(unittest.TestCase):
    def test_jobs_in_a_container_tell_git_that_the_checkout_is_theirs(self):
        """The checkout has another owner there, and git refuses to read it."""
        for path in sorted((PROJECT / ".github/workflows").glob("*.yml")):
            for name, job in yaml.safe_load(path.read_text())["jobs"].items():
                if "container" in job:
                    scripts = "".join(step.get("run", "") for step in job["steps"])
                    self.assertIn('safe.directory "$GITHUB_WORKSPACE"', scripts, f"{path.name}: {name}")


class LintTests(FolderTest):
    """What reads workflows finds nothing."""

    def workflows(self):
        """The files that are linted, those in the documents written out."""
        found = [PROJECT / "action.yml", *sorted((PROJECT / ".github/workflows").glob("*.yml")), FLEET / "github.yml"]
        found.append(PROJECT / "examples/strangers/pull-requests.yml")
        for block in documented_blocks():
            if block.startswith("# .github/workflows/"):
                name = block.splitlines()[0].removeprefix("# .github/workflows/")
                path = self.folder / ".github/workflows" / f"{len(found)}-{name}"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(block)
                found.append(path)
        return found

    @needs("zizmor")
    def test_zizmor_finds_nothing(self):
        ended = run("zizmor", "--offline", "--no-progress", *self.workflows(), check=False)
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)

    @needs("check-jsonschema")
    def test_they_fit_their_schemas(self):
        def check(schema, *paths):
            # Azure's schema has patterns that are none of ECMAScript's newer kind.
            variant = ["--regex-variant", "nonunicode"] if schema == "azure-pipelines" else []
            ended = run("check-jsonschema", *variant, "--builtin-schema", f"vendor.{schema}", *paths, check=False)
            self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)

        check("github-actions", PROJECT / "action.yml")
        check("github-workflows", *self.workflows()[1:])
        _, jobs = (PROJECT / "templates/syncmake.yml").read_text().split("\n---\n")
        check("gitlab-ci", self.write("component.yml", jobs), FLEET / "gitlab.yml")
        schemas = {
            ".gitlab-ci.yml": "gitlab-ci",
            ".circleci/config.yml": "circle-ci",
            "azure-pipelines.yml": "azure-pipelines",
        }
        seen = set()
        for number, block in enumerate(documented_blocks()):
            name = block.splitlines()[0].removeprefix("# ")
            if name in schemas:
                check(schemas[name], self.write(f"{number}.yml", block))
                seen.add(name)
        self.assertEqual(seen, set(schemas))

    @needs("check-jsonschema")
    def test_the_checks_find_something_in_a_bad_file(self):
        bad = self.write("bad.yml", "jobs: 3\n")
        for schema in ["github-workflows", "circle-ci"]:
            ended = run("check-jsonschema", "--builtin-schema", f"vendor.{schema}", bad, check=False)
            self.assertNotEqual(ended.returncode, 0)

    @needs("kubernetes-validate")
    def test_the_indexed_job_fits_its_schema(self):
        job = FLEET / "kubernetes.yaml"
        ended = run("kubernetes-validate", "--strict", job, check=False)
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        bad = self.write("job.yaml", job.read_text().replace("completionMode", "completionsMode"))
        self.assertNotEqual(run("kubernetes-validate", "--strict", bad, check=False).returncode, 0)


if __name__ == "__main__":
    unittest.main()
