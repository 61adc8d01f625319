"""What the tests of the packaging share, where it can fail by itself."""

import os
import select
import signal
import subprocess
import unittest
from unittest import mock

from support import FolderTest, run_for_long


class LongRunTests(FolderTest):
    def setUp(self):
        super().setUp()
        self.log = self.folder / "log"
        # All processes of the command hold the one end: the other one ends with the last of them.
        self.reading, self.held = os.pipe()
        self.addCleanup(os.close, self.reading)

    def run_script(self, script, timeout=600):
        try:
            run_for_long("sh", "-c", script, log=self.log, timeout=timeout, pass_fds=[self.held])
        finally:
            os.close(self.held)

    def nothing_goes_on(self):
        ready, _, _ = select.select([self.reading], [], [], 30)
        self.assertEqual(ready, [self.reading])
        self.assertEqual(os.read(self.reading, 1), b"")

    def test_both_outputs_are_in_the_log(self):
        self.run_script("echo one; echo two >&2")
        self.assertEqual(self.log.read_text(), "one\ntwo\n")

    def test_a_failure_has_its_status_and_the_end_of_the_log(self):
        with self.assertRaisesRegex(AssertionError, "(?s): 7\n.*no such package"):
            self.run_script("echo no such package >&2; exit 7")

    def test_what_takes_too_long_is_ended_with_all_that_it_began(self):
        with self.assertRaisesRegex(AssertionError, "not ready after 0.1 s"):
            self.run_script("sleep 600 & sleep 600; wait", timeout=0.1)
        self.nothing_goes_on()

    def test_an_end_of_the_tests_ends_all_that_it_began(self):
        before = signal.getsignal(signal.SIGTERM)
        with self.assertRaises(KeyboardInterrupt):
            self.run_script("sleep 600 & kill -TERM $PPID; wait")
        self.nothing_goes_on()
        self.assertEqual(signal.getsignal(signal.SIGTERM), before)

    def test_an_end_while_the_command_begins_ends_it(self):
        begin = subprocess.Popen

        def begin_and_end(*arguments, **more):
            process = begin(*arguments, **more)
            os.kill(os.getpid(), signal.SIGTERM)
            return process

        with mock.patch("subprocess.Popen", begin_and_end), self.assertRaises(KeyboardInterrupt):
            self.run_script("sleep 600 & sleep 600; wait")
        self.nothing_goes_on()


if __name__ == "__main__":
    unittest.main()
