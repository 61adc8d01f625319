"""What the tests of the packaging share."""

import atexit
import functools
import hashlib
import http.server
import os
import pathlib
import re
import shutil
import signal
import ssl
import subprocess
import tempfile
import threading
import unittest

PROJECT = pathlib.Path(__file__).resolve().parents[2]
DIST = pathlib.Path(os.environ.get("SYNCMAKE_DIST", PROJECT / ".build/dist")).resolve()
EARLIER = "0.0.9"
# Debian's roots, and builds; minutes each.
FULL = os.environ.get("SYNCMAKE_FULL") == "1"


def part(pattern):
    """The one file of the release whose name fits."""
    found = sorted(DIST.glob(pattern))
    assert len(found) == 1, f"{DIST} has {len(found)} files {pattern}; scripts/release makes them"
    return found[0]


def archive():
    return part("syncmake-*-unknown-linux-gnu.tar.gz")


def version():
    return archive().name.split("-")[1]


def sha256(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def run(*command, check=True, **more):
    """The ended process, with its output as text; fails the test unless it succeeds."""
    ended = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, timeout=600, errors="replace", **more
    )
    if check and ended.returncode != 0:
        raise AssertionError(f"{command}: {ended.returncode}\n{ended.stdout}\n{ended.stderr}")
    return ended


def run_for_long(*command, log, timeout, **more):
    """Runs a command whose output goes to a file, where it can be read meanwhile; fails the test unless it succeeds in
    time. If the time is over, or if the tests are ended, nothing that it began goes on."""

    process = None
    is_interrupted = False

    def interrupt(*_):
        nonlocal is_interrupted
        is_interrupted = True
        # While the process begins, there is nothing yet that could be ended: the end waits until there is.
        if process:
            raise KeyboardInterrupt

    with open(log, "wb") as output:
        before = signal.signal(signal.SIGTERM, interrupt)
        try:
            process = subprocess.Popen(command, stdout=output, stderr=output, start_new_session=True, **more)
            if is_interrupted:
                raise KeyboardInterrupt
            status = process.wait(timeout)
        except subprocess.TimeoutExpired:
            status = f"not ready after {timeout} s"
        finally:
            if process and process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            signal.signal(signal.SIGTERM, before)
    if status != 0:
        raise AssertionError(f"{command}: {status}\n{pathlib.Path(log).read_text(errors='replace')[-4000:]}")


def needs(*tools):
    missing = [tool for tool in tools if not shutil.which(tool)]
    return unittest.skipIf(missing, f"not installed: {', '.join(missing)}")


@functools.cache
def earlier_release(*parts):
    """A folder with a release of the same program that says it is 0.0.9: what an upgrade begins with."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="syncmake-earlier-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    run("tar", "-xzf", archive(), "-C", folder)
    program = folder / archive().name.removesuffix(".tar.gz") / "bin/syncmake"
    number = rb"(?<![0-9.])" + re.escape(version().encode()) + rb"(?![0-9.])"
    program.write_bytes(re.sub(number, EARLIER.encode(), program.read_bytes()))
    if run(program, "--version").stdout != f"syncmake {EARLIER}\n":
        raise unittest.SkipTest("the number is not in the program as text, as on x86_64")
    environment = {**os.environ, "SYNCMAKE": str(program), "SYNCMAKE_PARTS": " ".join(parts)}
    run(PROJECT / "scripts/release", "--output", folder / "release", env=environment)
    return folder / "release"


def has_namespaces():
    """Whether mounts can be made that nobody else sees; root in a container often cannot."""
    command = ["unshare", "--mount", "--pid", "--fork", "true"]
    return bool(shutil.which("unshare")) and subprocess.run(command, capture_output=True).returncode == 0


is_root = os.geteuid() == 0 and bool(shutil.which("chroot"))
needs_root = unittest.skipUnless(is_root, "only root can change its root")
needs_namespaces = unittest.skipUnless(is_root and has_namespaces(), "no right to make namespaces and mounts")
only_full = unittest.skipUnless(
    FULL,
    "takes long, the two builds from nothing about 25 minutes on two cores: packaging/test --full",
)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def __init__(self, *arguments, redirects, **more):
        self.redirects = redirects
        super().__init__(*arguments, **more)

    def log_message(self, *_):
        pass

    def do_GET(self):
        place = self.redirects.get(self.path)
        if not place:
            return super().do_GET()
        self.send_response(302)
        self.send_header("Location", place)
        self.send_header("Content-Length", "0")
        self.end_headers()


class Server:
    """Serves a folder on the loopback, with a certificate by TLS; some paths may lead to other URLs."""

    def __init__(self, folder, certificate=None, redirects=None):
        handler = functools.partial(Quiet, directory=str(folder), redirects=redirects or {})
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http{'s' if certificate else ''}://127.0.0.1:{self.server.server_address[1]}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class FolderTest(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="syncmake-packaging-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def serve(self, folder, **more):
        server = Server(folder, **more)
        self.addCleanup(server.close)
        return server

    def write(self, name, text, mode=0o644):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return path

    def folders(self, folder):
        """The folders below a folder."""
        folder = self.folder / folder
        return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_dir())

    def tree(self, folder):
        """The files and links below a folder."""
        folder = self.folder / folder
        return sorted(
            str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()
        )
