/// Manifests before and after `new` is put in, byte for byte.
enum InsertionTable {
  struct Row: Sendable, CustomStringConvertible {
    var what: String
    var before: String
    var after: String

    var description: String { what }
  }

  static let rows: [Row] = [
    Row(
      what: "at the end of the file",
      before: "version: 1\ntargets:\n  a:\n    url: x/a\n",
      after: "version: 1\ntargets:\n  a:\n    url: x/a\n  new:\n    url: x/new\n    steps:\n      - gunzip\n"),
    Row(
      what: "no line end at the end",
      before: "version: 1\ntargets:\n  a:\n    url: x/a",
      after: "version: 1\ntargets:\n  a:\n    url: x/a\n  new:\n    url: x/new\n    steps:\n      - gunzip"),
    Row(
      what: "CRLF",
      before: "version: 1\r\ntargets:\r\n  a: {url: x/a}\r\n",
      after:
        "version: 1\r\ntargets:\r\n  a: {url: x/a}\r\n  new:\r\n    url: x/new\r\n    steps:\r\n      - gunzip\r\n"
    ),
    Row(
      what: "a byte order mark",
      before: "\u{FEFF}version: 1\ntargets:\n  a: {url: x/a}\n",
      after:
        "\u{FEFF}version: 1\ntargets:\n  a: {url: x/a}\n  new:\n    url: x/new\n    steps:\n      - gunzip\n"),
    Row(
      what: "four spaces",
      before: "version: 1\ntargets:\n    a:\n        url: x/a\n",
      after:
        "version: 1\ntargets:\n    a:\n        url: x/a\n    new:\n        url: x/new\n        steps:\n            - gunzip\n"
    ),
    Row(
      what: "names at two spaces, keys at four more",
      before: "version: 1\ntargets:\n  a: {url: x/a}\n  b:\n      url: x/b\n",
      after:
        "version: 1\ntargets:\n  a: {url: x/a}\n  b:\n      url: x/b\n  new:\n      url: x/new\n      steps:\n          - gunzip\n"
    ),
    Row(
      what: "before the next key and the comment that belongs to it",
      before: "targets:\n  a: {url: x/a}\n  # b: {url: x/b}\n\n# What follows.\nversion: 1\n",
      after:
        "targets:\n  a: {url: x/a}\n  # b: {url: x/b}\n  new:\n    url: x/new\n    steps:\n      - gunzip\n\n# What follows.\nversion: 1\n"
    ),
    Row(
      what: "explicit keys in targets",
      before: "version: 1\ntargets:\n  ? a\n  : {url: x/a}\n  ? b\n  : ? url\n    : x/b\n",
      after:
        "version: 1\ntargets:\n  ? a\n  : {url: x/a}\n  ? b\n  : ? url\n    : x/b\n  new:\n    url: x/new\n    steps:\n      - gunzip\n"
    ),
    Row(
      what: "targets as an explicit key",
      before: "? version\n: 1\n? targets\n: a:\n    url: x/a\n? groups\n: {}\n",
      after:
        "? version\n: 1\n? targets\n: a:\n    url: x/a\n  new:\n    url: x/new\n    steps:\n      - gunzip\n? groups\n: {}\n"
    ),
    Row(
      what: "targets as an explicit key, its value on further lines",
      before: "? version\n: 1\n? targets\n:\n  ? a\n  :\n    url: x/a\n",
      after:
        "? version\n: 1\n? targets\n:\n  ? a\n  :\n    url: x/a\n  new:\n    url: x/new\n    steps:\n      - gunzip\n"
    ),
    Row(
      what: "blank lines and a comment at the end stay there",
      before: "version: 1\ntargets:\n  a: {url: x/a}  # first\n\n\n# vim: ts=2\n",
      after:
        "version: 1\ntargets:\n  a: {url: x/a}  # first\n  new:\n    url: x/new\n    steps:\n      - gunzip\n\n\n# vim: ts=2\n"
    ),
    Row(
      what: "targets that blank lines set apart",
      before: "version: 1\ntargets:\n  a: {url: x/a}\n\n  # The second.\n  b: {url: x/b}\n",
      after:
        "version: 1\ntargets:\n  a: {url: x/a}\n\n  # The second.\n  b: {url: x/b}\n\n  new:\n    url: x/new\n    steps:\n      - gunzip\n"
    ),
    Row(
      what: "the document's end mark",
      before: "---\nversion: 1\ntargets:\n  a: {url: x/a}\n... # done\n",
      after:
        "---\nversion: 1\ntargets:\n  a: {url: x/a}\n  new:\n    url: x/new\n    steps:\n      - gunzip\n... # done\n"
    ),
    Row(
      what: "empty braces",
      before: "version: 1\ntargets: {}  # none yet\ngroups: {}\n",
      after:
        "version: 1\ntargets:  # none yet\n  new:\n    url: x/new\n    steps:\n      - gunzip\ngroups: {}\n"),
    Row(
      what: "empty braces with an anchor, other keys at three spaces",
      before: "version: 1\nvars:\n   x: y\ntargets: &all { }\n",
      after:
        "version: 1\nvars:\n   x: y\ntargets: &all\n   new:\n      url: x/new\n      steps:\n         - gunzip\n"
    ),
    Row(
      what: "empty braces without a line end",
      before: "version: 1\ntargets: {}",
      after: "version: 1\ntargets:\n  new:\n    url: x/new\n    steps:\n      - gunzip"),
    Row(
      what: "nothing behind the colon",
      before: "targets:  # {later}\n\nversion: 1\n",
      after: "targets:  # {later}\n  new:\n    url: x/new\n    steps:\n      - gunzip\n\nversion: 1\n"),
    Row(
      what: "no targets",
      before: "version: 1\n# The end.\n",
      after: "version: 1\n# The end.\ntargets:\n  new:\n    url: x/new\n    steps:\n      - gunzip\n"),
    Row(
      what: "anchors, aliases and merges",
      before:
        "version: 1\ntargets:\n  a: &a\n    url: x/a\n    retries: 2\n  b:\n    <<: *a\n    output: b\n",
      after:
        "version: 1\ntargets:\n  a: &a\n    url: x/a\n    retries: 2\n  b:\n    <<: *a\n    output: b\n  new:\n    url: x/new\n    steps:\n      - gunzip\n"
    ),
    Row(
      what: "a text of many lines at the end, comments in it",
      before: "version: 1\ntargets:\n  a:\n    url: x/a\n    description: |\n      one\n      # two\n",
      after:
        "version: 1\ntargets:\n  a:\n    url: x/a\n    description: |\n      one\n      # two\n  new:\n    url: x/new\n    steps:\n      - gunzip\n"
    ),
    Row(
      what: "a text that keeps its blank lines",
      before: "version: 1\ntargets:\n  a:\n    url: x/a\n    description: |+\n      one\n\n\n",
      after:
        "version: 1\ntargets:\n  a:\n    url: x/a\n    description: |+\n      one\n\n\n  new:\n    url: x/new\n    steps:\n      - gunzip\n"
    ),
    Row(
      what: "a tab before a comment, and quotes around keys",
      before: "\"version\": 1\n'targets':\n  \"a\": {url: x/a}\t# tab\n   \ngroups: {all: [a]}\n",
      after:
        "\"version\": 1\n'targets':\n  \"a\": {url: x/a}\t# tab\n  new:\n    url: x/new\n    steps:\n      - gunzip\n   \ngroups: {all: [a]}\n"
    ),
    Row(
      what: "everything further right",
      before: "  version: 1\n  targets:\n    a: {url: x/a}\n  # last\n",
      after:
        "  version: 1\n  targets:\n    a: {url: x/a}\n    new:\n      url: x/new\n      steps:\n        - gunzip\n  # last\n"
    ),
  ]
}
