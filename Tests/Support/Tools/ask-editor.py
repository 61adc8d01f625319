#!/usr/bin/env python3
"""Asks a YAML language server what an editor would show.

usage: ask-editor.py FILE QUESTION... -- SERVER ARGUMENT...

A QUESTION is `diagnose`, `complete:LINE:COLUMN` or `hover:LINE:COLUMN`, counted from 0; FILE is shown to the
server as its editor has it. SERVER speaks the language server protocol on its standard streams. Prints a JSON list
with an answer for each question: messages, labels, or a text. Exits with 2 if the server cannot be asked.
"""

import json
import pathlib
import queue
import subprocess
import sys
import threading

PATIENCE = 60  # the limit for any answer, in seconds
SETTINGS = {"yaml": {"validate": True, "hover": True, "completion": True, "schemaStore": {"enable": False}}}


class Server:
    def __init__(self, command):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.inbox = queue.Queue()
        self.diagnostics = queue.Queue()
        self.last = 0
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        stream = self.process.stdout
        while True:
            length = 0
            while (line := stream.readline().strip()) != b"":
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if not length:
                return
            message = json.loads(stream.read(length))
            if message.get("method") == "textDocument/publishDiagnostics":
                self.diagnostics.put(message["params"]["diagnostics"])
            elif "id" in message and "method" in message:
                self.send({"id": message["id"], "result": self.result_of(message)})
            elif "id" in message:
                self.inbox.put(message)

    @staticmethod
    def result_of(request):
        """An editor's answers: the settings for each requested item, and nothing to other requests."""
        if request["method"] != "workspace/configuration":
            return None
        return [SETTINGS.get(item.get("section")) for item in request["params"]["items"]]

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def tell(self, method, params):
        self.send({"method": method, "params": params})

    def ask(self, method, params):
        self.last += 1
        self.send({"id": self.last, "method": method, "params": params})
        while True:
            message = self.inbox.get(timeout=PATIENCE)
            if message["id"] == self.last:
                return message.get("result")


def answer(server, question, document):
    kind, *place = question.split(":")
    if kind == "diagnose":
        # The first list may come before the schema has been loaded.
        found = server.diagnostics.get(timeout=PATIENCE)
        try:
            while True:
                found = server.diagnostics.get(timeout=3)
        except queue.Empty:
            return [problem["message"] for problem in found]
    where = {"textDocument": document, "position": {"line": int(place[0]), "character": int(place[1])}}
    if kind == "complete":
        result = server.ask("textDocument/completion", where) or {"items": []}
        items = result["items"] if isinstance(result, dict) else result
        return [item["label"] for item in items]
    result = server.ask("textDocument/hover", where)
    contents = result["contents"] if result else ""
    if isinstance(contents, dict):
        contents = contents["value"]
    return contents if isinstance(contents, str) else " ".join(map(str, contents))


def main():
    split = sys.argv.index("--")
    path = pathlib.Path(sys.argv[1]).resolve()
    questions, command = sys.argv[2:split], sys.argv[split + 1 :]
    server = Server(command)
    folder = path.parent.as_uri()
    server.ask(
        "initialize",
        {
            "processId": None,
            "rootUri": folder,
            "capabilities": {
                "textDocument": {
                    "completion": {"completionItem": {"documentationFormat": ["markdown"]}},
                    "hover": {"contentFormat": ["markdown"]},
                },
                "workspace": {"configuration": True},
            },
        },
    )
    server.tell("initialized", {})
    server.tell("workspace/didChangeConfiguration", {"settings": SETTINGS})
    document = {"uri": path.as_uri()}
    opened = {"languageId": "yaml", "version": 1, "text": path.read_text(encoding="utf-8"), **document}
    server.tell("textDocument/didOpen", {"textDocument": opened})
    try:
        print(json.dumps([answer(server, question, document) for question in questions]))
    except queue.Empty:
        sys.exit("ask-editor.py: the server does not answer")
    finally:
        server.process.kill()


if __name__ == "__main__":
    main()
