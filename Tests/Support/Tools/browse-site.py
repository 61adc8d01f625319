#!/usr/bin/env python3
"""Opens every page of the built site in a browser, follows every link between them, and searches.

usage: browse-site.py SITE BROWSER

SITE is the folder of the site, BROWSER a Chromium. The pages come from a server on loopback, and the browser can resolve no
other name. Each problem is a line on standard output; then the status is 1. The last line has what was done.
"""

import functools
import http.server
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import urllib.parse

# Pages that are open at once.
TABS = 3
# Seconds for one step of the browser.
PATIENCE = 60

# What is asked of each page, once it has loaded.
QUESTION = """JSON.stringify({
  address: location.href,
  title: document.title,
  links: [...document.querySelectorAll('a[href]')].map(link => link.href),
  places: [...document.querySelectorAll('[id], a[name]')].map(place => place.id || place.name),
})"""

# Types a word into the search field, and gives the addresses of the results; none if there is no field, or no result.
SEARCH = """new Promise(resolve => {
  const field = document.querySelector('input.md-search__input');
  if (!field) return resolve('[]');
  const deadline = performance.now() + 30000;
  document.querySelector('#__search').checked = true;
  field.focus();
  field.value = WORD;
  field.dispatchEvent(new Event('input', {bubbles: true}));
  field.dispatchEvent(new KeyboardEvent('keyup', {bubbles: true}));
  const look = () => {
    const links = [...document.querySelectorAll('a.md-search-result__link')].map(link => link.href);
    if (links.length || performance.now() > deadline) resolve(JSON.stringify(links)); else setTimeout(look, 20);
  };
  look();
})"""


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the site, and remembers what it does not have."""

    missing = []

    def log_message(self, *_):
        pass

    def send_error(self, code, *arguments):
        self.missing.append(self.path)
        super().send_error(code, *arguments)


class Browser:
    """A Chromium that is spoken to through a pair of pipes, one JSON object at a time."""

    def __init__(self, program, folder):
        to_read, self.outgoing = os.pipe()
        self.incoming, to_write = os.pipe()
        self.log = os.path.join(folder, "net.json")
        options = [
            "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", f"--user-data-dir={folder}/profile", f"--log-net-log={self.log}",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--no-proxy-server", "--remote-debugging-pipe",
        ]  # fmt: skip

        def connect():
            # The browser reads from 3 and writes to 4.
            reading, writing = os.dup(to_read), os.dup(to_write)
            os.dup2(reading, 3)
            os.dup2(writing, 4)

        environment = {"PATH": "/usr/bin:/bin", "HOME": folder}
        self.process = subprocess.Popen(
            [program, *options], preexec_fn=connect, close_fds=False, env=environment, stderr=subprocess.DEVNULL
        )
        os.close(to_read)
        os.close(to_write)
        self.number, self.buffer = 0, b""

    def send(self, method, session=None, **parameters):
        """Sends a command, and gives its number."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.outgoing, json.dumps(message).encode() + b"\0")
        return self.number

    def receive(self):
        """The next message: a reply or an event."""
        while b"\0" not in self.buffer:
            got = os.read(self.incoming, 1 << 16)
            if not got:
                raise EOFError("the browser has ended")
            self.buffer += got
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def ask(self, method, session=None, **parameters):
        """Sends a command, and gives its result; events before it are dropped."""
        number = self.send(method, session, **parameters)
        while (message := self.receive()).get("id") != number:
            pass
        if "error" in message:
            raise RuntimeError(f"{method}: {message['error']}")
        return message["result"]

    def tab(self):
        """A new empty page; gives its session."""
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.ask(f"{domain}.enable", session)
        return session

    def load(self, session, url):
        """Opens a page, and waits until it has loaded."""
        self.send("Page.navigate", session, url=url)
        while self.receive().get("method") != "Page.loadEventFired":
            pass

    def evaluate(self, session, expression):
        """The value of an expression, which may be a promise of one; it is JSON."""
        result = self.ask("Runtime.evaluate", session, expression=expression, awaitPromise=True, returnByValue=True)
        return json.loads(result["result"]["value"])

    def close(self):
        """Ends the browser, and gives every address that it has requested."""
        self.send("Browser.close")
        self.process.wait(PATIENCE)
        with open(self.log) as log:
            return set(re.findall(r'"url":"([^"]*)"', log.read()))


class Crawl:
    """All pages that can be reached from the first one."""

    def __init__(self, browser, base):
        self.browser, self.base = browser, base
        # What each page said of itself, and who links to what.
        self.pages, self.links, self.files, self.problems = {}, [], set(), []
        self.waiting, self.seen = [f"{base}/index.html"], {f"{base}/index.html"}

    def run(self):
        """Opens page after page, several at once."""
        idle, open_pages, asked = [self.browser.tab() for _ in range(TABS)], {}, {}
        while self.waiting or open_pages:
            while self.waiting and idle:
                session = idle.pop()
                open_pages[session] = self.waiting.pop()
                self.browser.send("Page.navigate", session, url=open_pages[session])
            message = self.browser.receive()
            session, method = message.get("sessionId"), message.get("method")
            if method == "Page.loadEventFired":
                number = self.browser.send("Runtime.evaluate", session, expression=QUESTION, returnByValue=True)
                asked[number] = session
            elif message.get("id") in asked:
                del asked[message["id"]]
                answer = json.loads(message["result"]["result"]["value"])
                # The empty page before it may have answered.
                if urllib.parse.urldefrag(answer["address"])[0] == open_pages.get(session):
                    self.take(open_pages.pop(session), answer)
                    idle.append(session)
            elif method == "Runtime.exceptionThrown":
                text = message["params"]["exceptionDetails"].get("text")
                self.problems.append(f"{open_pages.get(session)}: a script failed: {text}")
            elif method == "Log.entryAdded" and message["params"]["entry"]["level"] == "error":
                entry = message["params"]["entry"]
                self.problems.append(f"{open_pages.get(session)}: {entry['text']} {entry.get('url', '')}")

    def take(self, url, answer):
        """What a page has said: its places, and links to further pages."""
        self.pages[url] = set(answer["places"])
        if not answer["title"]:
            self.problems.append(f"{url}: it has no title")
        for link in answer["links"]:
            if not link.startswith(f"{self.base}/"):
                continue
            address, place = urllib.parse.urldefrag(link)
            if address.endswith("/"):
                address += "index.html"
            self.links.append((url, address, place))
            if not address.endswith(".html"):
                self.files.add(address)
            elif address not in self.seen:
                self.seen.add(address)
                self.waiting.append(address)

    def check(self):
        """Every link leads to a place that is there."""
        for page, address, place in self.links:
            if address in self.pages and place and urllib.parse.unquote(place) not in self.pages[address]:
                self.problems.append(f"{page}: the link to {address}#{place} leads to no place")


def search(browser, base, word, wanted):
    """Searches for a word, and follows the first result; gives problems."""
    session = browser.tab()
    browser.load(session, f"{base}/index.html")
    found = browser.evaluate(session, SEARCH.replace("WORD", json.dumps(word)))
    if not found:
        return [f"the search for {word} has no result"]
    first = found[0].split("?")[0]
    browser.load(session, found[0])
    text = browser.evaluate(session, "JSON.stringify(document.querySelector('main').innerText)")
    problems = [] if first.endswith(wanted) else [f"the first result for {word} is {first}, not {wanted}"]
    return problems if word in text else [*problems, f"{first} does not have the word {word}"]


def main(site, program):
    # Everything is cleaned up if the browser hangs.
    signal.signal(signal.SIGALRM, lambda *_: sys.exit("the browser took too long"))
    signal.alarm(180)
    handler = functools.partial(Handler, directory=site)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_port}"
    with tempfile.TemporaryDirectory() as folder:
        browser = Browser(program, folder)
        try:
            crawl = Crawl(browser, base)
            crawl.run()
            crawl.check()
            problems = crawl.problems + search(browser, base, "length-unproven", "/errors.html")
            requests = browser.close()
        finally:
            browser.process.kill()
            browser.process.wait()
    for address in crawl.files:
        path = urllib.parse.unquote(address[len(base) :])
        if not os.path.isfile(site + path):
            problems.append(f"there is no {path}")
    built = [os.path.relpath(os.path.join(where, name), site) for where, _, names in os.walk(site) for name in names]
    pages = {f"{base}/{name}" for name in built if name.endswith(".html") and name != "404.html"}
    problems += [f"no link leads to {page}" for page in sorted(pages - set(crawl.pages))]
    problems += [f"there is no {path}" for path in sorted(set(Handler.missing))]
    outside = [url for url in requests if not url.startswith((f"{base}/", "data:", "blob:", "about:", "chrome:"))]
    problems += [f"a request left the machine: {url}" for url in sorted(outside)]
    for problem in problems:
        print(problem.replace(base, ""))
    print(f"{len(crawl.pages)} pages, {len(crawl.links)} links, {len(requests)} addresses, 1 search")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), sys.argv[2]))
