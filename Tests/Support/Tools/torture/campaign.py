"""Plays many cases on several processors and counts the violations.

A part of `scripts/torture` has a list of cases and a function that plays one. This module does the rest: options, a
sandbox for each process, the closing line.
"""

import argparse
import multiprocessing
import os
import random
import shutil
import signal
import sys
import time
import traceback

import overlay
import scenarios
from sandbox import Sandbox, Violation, build_shim, working_folder

# The result of a case that does not apply; it is not counted.
NOT_REACHED, THE_SAME = "not reached", "the same as another"
# Enough to see the error; counting continues.
VIOLATIONS_SHOWN = 20

_worker = {}


def options(description, default_count=None):
    if not sys.platform.startswith("linux"):
        raise SystemExit("this part needs Linux")
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--count", type=int, default=default_count, metavar="N", help="at most so many cases")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="which ones, and all that is random")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="how many at a time")
    parser.add_argument("--scenarios", metavar="NAME,...", help="of these scenarios alone")
    parser.add_argument("--only", metavar="CASE", help="this case alone, as a violation names it")
    return parser.parse_args()


def _begin(folder, shim):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    mine = os.path.join(folder, f"worker-{os.getpid()}")
    _worker["sandbox"] = Sandbox(mine, shim)
    _worker["references"] = {}
    _worker["scenarios"] = {scenario.name: scenario for scenario in scenarios.all_scenarios()}


def reference(name):
    """The result of an undisturbed run of `name`, in this process."""
    references = _worker["references"]
    if name not in references:
        references[name] = _worker["sandbox"].reference(_worker["scenarios"][name])
    return references[name]


def _play(arguments):
    play, case = arguments
    try:
        notes = play(_worker["sandbox"], _worker["scenarios"], case)
        return case, None, notes
    except Violation as violation:
        struck = _worker["sandbox"].struck
        return case, f"{violation}" + (f"\n    at call {struck}" if struck else ""), None
    except Exception:
        return case, "the harness failed: " + traceback.format_exc(), None


class Campaign:
    """The cases of one part; each that is played counts as `cases_each`.

    `has_overlays`: scenarios on overlay mounts are among them, if this process may mount. `has_caches`: so are those
    with a cache, which is outside of the root.
    """

    def __init__(self, name, arguments, cases_each=1, has_overlays=False, has_caches=True):
        self.name, self.arguments, self.cases_each = name, arguments, cases_each
        self.folder = working_folder()
        self.shim = build_shim(self.folder)
        self.has_overlays = has_overlays and overlay.enter_namespace(self.folder)
        self.has_caches = has_caches
        self.began = time.monotonic()

    def scenarios(self):
        wanted = self.arguments.scenarios
        if self.arguments.only:
            wanted = self.arguments.only.split(":")[0]
        possible = [
            one
            for one in scenarios.all_scenarios()
            if (self.has_overlays or not one.overlay) and (self.has_caches or not one.cache)
        ]
        return [one for one in possible if wanted is None or one.name in wanted.split(",")]

    def survey(self, look):
        """The result of `look(sandbox, scenario)` for each scenario, by its name."""
        sandbox = Sandbox(os.path.join(self.folder, "survey"), self.shim)
        try:
            return {scenario.name: look(sandbox, scenario) for scenario in self.scenarios()}
        finally:
            sandbox.close()

    def choose(self, groups):
        """Cases of all groups, the same number from each if possible, in an order that the seed determines."""
        generator = random.Random(self.arguments.seed)
        groups = [list(group) for group in groups if group]
        if self.arguments.only:
            return [case for group in groups for case in group if show(case) == self.arguments.only]
        for group in groups:
            generator.shuffle(group)
        chosen = []
        while groups and (self.arguments.count is None or len(chosen) < self.arguments.count):
            chosen += [group.pop() for group in groups]
            groups = [group for group in groups if group]
        chosen = chosen[: self.arguments.count]
        generator.shuffle(chosen)
        return chosen

    def uncover(self):
        """Removes what the last case of each worker has mounted."""
        for name in os.listdir(self.folder):
            root = os.path.join(self.folder, name, "root")
            if os.path.ismount(root):
                overlay.uncover(root)

    def play(self, cases, play):
        """Plays the cases and ends the program, with status 1 if a promise did not hold."""
        violations, notes = 0, {}
        context = multiprocessing.get_context("fork")
        try:
            with context.Pool(self.arguments.jobs, _begin, (self.folder, self.shim)) as pool:
                for case, violation, note in pool.imap_unordered(_play, [(play, case) for case in cases]):
                    if violation:
                        violations += 1
                        if violations <= VIOLATIONS_SHOWN:
                            print(f"{show(case)}: {violation}", file=sys.stderr, flush=True)
                    for key, value in (note or {}).items():
                        notes[key] = notes.get(key, 0) + value
        finally:
            self.uncover()
            shutil.rmtree(self.folder, ignore_errors=True)
        seconds = time.monotonic() - self.began
        told = ", ".join(f"{value} {key}" for key, value in sorted(notes.items()))
        print(f"{self.name}: {seconds:.0f} s{'; ' if told else ''}{told}", file=sys.stderr)
        if violations:
            print(f"{self.name}: one again: scripts/torture.d/{self.name} --only CASE", file=sys.stderr)
        played = (len(cases) - notes.get(NOT_REACHED, 0) - notes.get(THE_SAME, 0)) * self.cases_each
        print(f"{self.name}: {played} cases, {violations} violations", flush=True)
        sys.exit(1 if violations or not played else 0)


def show(case):
    return ":".join(str(part) for part in case)
