"""Checks the promises of a report page: reads the named file and prints the errors, or else facts as JSON.

The page must be well-formed, load and run only what its policy names by digest, and have only links inside the page.
"""

import base64
import hashlib
import json
import re
import sys
from html.parser import HTMLParser

VOID = {"meta", "input", "br", "link"}
KNOWN = {
    "html",
    "head",
    "meta",
    "title",
    "style",
    "script",
    "body",
    "header",
    "main",
    "footer",
    "section",
    "article",
    "div",
    "span",
    "p",
    "h1",
    "h2",
    "h3",
    "ul",
    "li",
    "dl",
    "dt",
    "dd",
    "a",
    "i",
    "b",
    "small",
    "code",
    "details",
    "summary",
    "form",
    "fieldset",
    "legend",
    "label",
    "input",
    "output",
    "button",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "time",
    "svg",
    "g",
    "use",
    "rect",
    "circle",
    "path",
    "line",
    "text",
}
GLOBAL = {"id", "class", "role", "tabindex", "title", "hidden", "lang"}
NUMBERS = {"x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "rx", "width", "height"}


class Page(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.faults, self.ids, self.links = [], [], [], []
        self.texts, self.rows, self.policy, self.title = {"style": [], "script": []}, [], "", ""
        self.words = []

    def fault(self, text):
        self.faults.append("line %d: %s" % (self.getpos()[0], text))

    def handle_starttag(self, tag, attributes):
        if tag not in KNOWN:
            self.fault("an element <%s>" % tag)
        names = [name for name, _ in attributes]
        if len(names) != len(set(names)):
            self.fault("an attribute twice in <%s>" % tag)
        for name, value in attributes:
            self.attribute(tag, name, value)
        given = dict(attributes)
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"]
        if tag in VOID:
            return
        if tag in self.texts:
            self.texts[tag].append("")
        if tag == "tr":
            self.rows.append(0)
        if tag in ("td", "th"):
            self.rows[-1] += 1
        self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.handle_endtag(tag)

    def attribute(self, tag, name, value):
        if name.startswith("on") or name in ("style", "src", "srcset", "action", "formaction", "xlink:href"):
            self.fault("an attribute %s in <%s>" % (name, tag))
        if name == "id":
            self.ids.append(value)
        if name == "href":
            self.links.append(value)
        if name in NUMBERS and not re.fullmatch(r"-?\d+(\.\d+)?%?", value or ""):
            self.fault("%s=%r in <%s>" % (name, value, tag))
        if tag == "meta" and (value or "").lower() == "refresh":
            self.fault("a refresh")

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.fault("</%s> inside %s" % (tag, self.open[-3:]))
        else:
            self.open.pop()

    def handle_data(self, data):
        here = self.open[-1] if self.open else ""
        if here in self.texts:
            self.texts[here][-1] += data
        elif here == "title" and "svg" not in self.open:
            self.title += data
        elif data.strip():
            self.words.append(data)

    def handle_comment(self, data):
        self.fault("a comment")

    def handle_pi(self, data):
        self.fault("a processing instruction")

    def unknown_decl(self, data):
        self.fault("a declaration")

    def finish(self, source):
        if self.open:
            self.fault("left open: %s" % self.open)
        for one in {one for one in self.ids if self.ids.count(one) > 1} if len(self.ids) < 2000 else ():
            self.fault("the id %s twice" % one)
        known = set(self.ids)
        for link in self.links:
            if not link.startswith("#") or link[1:] not in known:
                self.fault("a link to %s" % link)
        if len(set(self.rows)) > 1:
            self.fault("rows of unequal length: %s" % set(self.rows))
        for kind in self.texts:
            if len(self.texts[kind]) != 1:
                self.fault("%d <%s>" % (len(self.texts[kind]), kind))
                continue
            digest = base64.b64encode(hashlib.sha256(self.texts[kind][0].encode()).digest()).decode()
            if "%s-src 'sha256-%s'" % (kind, digest) not in self.policy:
                self.fault("the policy does not name the %s, whose digest is %s" % (kind, digest))
        if not self.policy.startswith("default-src 'none'; "):
            self.fault("a policy that lets things be loaded: %r" % self.policy)
        for match in re.finditer(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]", source):
            self.fault("a control character %r" % match.group())


def main():
    with open(sys.argv[1], encoding="utf-8", newline="") as file:
        source = file.read()
    page = Page()
    page.feed(source)
    page.close()
    page.finish(source)
    if page.faults:
        print("\n".join(page.faults[:20]))
        sys.exit(1)
    facts = {"title": page.title.strip(), "rows": len(page.rows) - 1, "bytes": len(source.encode())}
    print(json.dumps(dict(facts, words=" ".join(" ".join(page.words).split())[:200000])))


main()
