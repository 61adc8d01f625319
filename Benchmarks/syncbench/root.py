"""A project whose root every run fills anew."""

import os
import shutil
import subprocess
import time

from . import place
from .measure import Peer


class Root:
    """A root that is emptied before each run; one with many files is moved away.

    In `path` other files of the project can be; `make` writes its manifest into the root.
    """

    def __init__(self, name, has_many=False):
        self.path = place.folder(name, empty=True)
        self.root = os.path.join(self.path, "root")
        self.has_many = has_many

    def empty(self):
        if self.has_many and os.path.exists(self.root):
            place.move_away(self.root)
        shutil.rmtree(self.root, ignore_errors=True)
        os.makedirs(self.root)
        # What the last run wrote must not be written during this one.
        os.sync()
        time.sleep(0.3)

    def ours(self, name, syncmake, make, count, configuration, before=None, check=None):
        """A run that makes `count` files; `before` is called first, and `check` last."""

        def prepare():
            if before:
                before()
            self.empty()
            make(self.root)

        return Peer(
            name,
            [syncmake, "-C", self.root, "-s"],
            prepare=prepare,
            check=lambda: self.trouble(count) or (check() if check else None),
            environment={"SYNCMAKE_CONFIG": configuration},
        )

    def peer(self, name, command, count, **rest):
        return Peer(name, command, prepare=self.empty, check=lambda: self.trouble(count), **rest)

    def trouble(self, count):
        out = os.path.join(self.root, "out")
        found = len(os.listdir(out)) if os.path.isdir(out) else 0
        return None if found == count else f"{found} files"

    def run(self, syncmake, make, configuration):
        """Fills the root once, unmeasured."""
        self.empty()
        make(self.root)
        environment = {**os.environ, "SYNCMAKE_CONFIG": configuration}
        subprocess.run([syncmake, "-C", self.root, "-s"], check=True, env=environment)
