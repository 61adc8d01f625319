import ManifestParsing
import Planning
import SyncModel
import Testing

@Suite struct LockFileTests {
  private static let content = Pin.Content(size: 5, sha256: digest("a"))

  private static func digest(_ digit: Character) -> HexDigest {
    guard let digest = HexDigest(String(repeating: digit, count: 64), .sha256) else {
      preconditionFailure("\(digit) is no hexadecimal digit")
    }
    return digest
  }

  private func parse(_ text: String) -> LockFileParse {
    LockFileParser.parse(Array(text.utf8), fileName: "syncmake.lock")
  }

  private static let good = LockFileText.render(
    LockFile(pins: [
      TargetName("a"): Pin(
        source: .urls(["https://data.example/a"]), download: content, output: content,
        etag: EntityTag("\"x\""), lastModified: "Mon, 13 Nov 2023 00:00:00 GMT"),
      TargetName("b"): Pin(source: .target(TargetName("a")), download: nil, output: content),
    ]))

  @Test func `a key may be longer than YAML reads without a question mark`() {
    let long = String(repeating: "é", count: 200)
    var pin = Pin(source: .urls(["https://data.example/a"]), download: Self.content, output: Self.content)
    var entry = ListEntry(key: "k", name: "k", url: "")
    entry.others = [ListEntry.Field(name: long, value: "field")]
    pin.entry = PinnedEntry(template: "t", entry: entry)
    var lock = LockFile(pins: [TargetName("a"): pin])
    lock.values = [TargetName("a"): ["v": LockedValue(part: "regex: " + long, text: "value")]]
    lock.emptyLists = ["b/${entry.key}", "c/${entry.key}"]
    let parse = parse(LockFileText.render(lock))
    #expect(parse.diagnostics.isEmpty)
    #expect(parse.lock == lock)
  }

  /// As an earlier version wrote it.
  private static let earlier = """
    # Written by `syncmake lock` and `syncmake update`; commit it, do not edit it.
    version: 1
    targets:
      "a":
        url: "http://127.0.0.1:18765/a.txt"
        download:
          size: 6
          sha256: "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"
        output:
          size: 6
          sha256: "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"
        etag: "\\"a.txt-1\\""
        last_modified: "Mon, 02 Nov 2026 10:00:00 GMT"

    """

  @Test func `a lock of an earlier version is read and written unchanged`() throws {
    let lock = try #require(parse(Self.earlier).lock)
    #expect(lock.pins.count == 1)
    #expect(lock.pins[TargetName("a")]?.etag == EntityTag("\"a.txt-1\""))
    #expect(LockFileText.render(lock) == Self.earlier)
  }

  @Test(arguments: [
    "plain", "null", "1e3", "~", "${env:HOME}", "a: b", "# no comment", "quote\" back\\slash",
    "\u{2028}\u{FEFF}",
    "Ünï ©ode 🎈", "é", "e\u{301}", "<<<<<<<", "- x", "*x", " ",
  ])
  func `a written lock is read unchanged`(text: String) {
    var pins = [
      TargetName("null"): Pin(
        source: .urls([ByteString(text), "https://b/"]), download: Self.content, output: Self.content,
        etag: EntityTag(text),
        lastModified: text),
      TargetName("1.5"): Pin(source: .urls([ByteString(text)]), download: Self.content, output: Self.content),
      TargetName(String(repeating: "n", count: 3000)): Pin(
        source: .target(TargetName("null")), download: nil,
        output: Pin.Content(size: .max, sha256: Self.digest("0"))),
    ]
    pins[TargetName("null")]?.steps = [text]
    pins[TargetName("1.5")]?.steps = [text, "gunzip"]
    let written = LockFileText.render(LockFile(pins: pins))
    let parse = parse(written)
    #expect(parse.diagnostics.isEmpty)
    #expect(parse.lock?.pins == pins)
    #expect(parse.lock.map(LockFileText.render) == written)
    #expect(written.utf8.allSatisfy { (0x20..<0x7F).contains($0) || $0 == 0x0A })
  }

  @Test func `what a list said of an entry is read as it was written`() throws {
    var entry = ListEntry(key: "k\n\"1\"", name: "n.gz", url: "")
    entry.version = "1.2~rc1"
    entry.lockedOrigin = "json /a b"
    entry.updated = Timestamp(nanoseconds: 1_700_000_000_000_000_001)
    entry.size = 12
    entry.entityTag = "x-3"
    entry.title = "A: title"
    entry.digests = [ListedDigest(.sha256, Self.digest("b"))]
    entry.others = [ListEntry.Field(name: "itunes:author", value: "ä #")]
    var pin = Pin(
      source: .urls(["https://h/n.gz", "https://m/n.gz"]), download: Self.content, output: Self.content)
    pin.entry = PinnedEntry(template: "t/${entry.key}", entry: entry)
    let lock = LockFile(pins: [TargetName("t/k"): pin])
    let parse = parse(LockFileText.render(lock))
    #expect(parse.diagnostics.isEmpty)
    #expect(parse.lock == lock)
    (entry.url, entry.mirrors) = ("https://h/n.gz", ["https://m/n.gz"])
    #expect(parse.lock?.listed == ListedEntries(["t/${entry.key}": [entry]]))
  }

  @Test(arguments: [
    ("{key: k, version: '1'}", true), ("{key: k, version: '1', version_by: json /tag}", false),
    ("{key: k}", false),
  ]) func `a version counts as captured unless the list states it`(entry: String, isCaptured: Bool) throws {
    let lock = try #require(parse(Self.listed(entry: entry)).lock)
    #expect(lock.pins.values.first?.entry?.entry.isVersionCaptured == isCaptured)
    #expect(LockFileText.render(lock).contains("version_by") == entry.contains("version_by"))
  }

  /// A lock of one target with `list`.
  private static func listed(entry: String) -> String {
    """
    version: 1
    targets:
      "t/k":
        url: "https://h/k"
        list: "t/${entry.key}"
        entry: \(entry)
        download: {size: 1, sha256: "\(digest("b"))"}
        output: {size: 1, sha256: "\(digest("b"))"}

    """
  }

  @Test func `a lock without pins is valid`() {
    let parse = parse(LockFileText.render(LockFile()))
    #expect(parse.lock == LockFile())
  }

  @Test func `each name has its place`() {
    #expect(parse(Self.good).places[TargetName("a")] == SourceSpan(line: 4, column: 3, endColumn: 6))
  }

  @Test(arguments: [
    ("", "1:1 the lock file is empty"),
    ("version: 2\ntargets: {}\n", "1:10 \"version\" must be the number 1, not \"2\""),
    ("targets: {}\n", "1:1 \"version\" is missing"),
    ("version: 1\n", "1:1 \"targets\" is missing"),
    (
      "version: 1\ntargets: []\n",
      "2:10 \"targets\" must be a mapping from names to locked versions, not a list"
    ),
    ("version: 1\ntargets: {}\n---\n", "3:1 a lock file is one document"),
    ("version: 1\ntargets: {}\nmore: 1\n", "3:1 unknown key \"more\" in the lock file"),
    ("version: 1\ntargets: {\"a b\": {}}\n", "2:11 \"a b\" is not a target's name"),
    (
      "{\"version\": 1, \"targets\": {\"a\": {\"url\":",
      "1:33 did not find expected ',' or '}' while parsing a flow mapping"
    ),
    ("version: 1\ntargets: {\n", "2:10 did not find expected ',' or '}' while parsing a flow mapping"),
  ])
  func `a file that is not a lock is reported with the place`(text: String, problem: String) {
    #expect(problems(text).contains(problem), "\(problems(text))")
    #expect(parse(text).lock == nil)
  }

  @Test(arguments: [
    ("size: 5", "size: -5", "7:13 \"size\" must be a number of bytes, not \"-5\""),
    (
      "size: 5", "size: 99999999999999999999",
      "7:13 \"size\" must be a number of bytes, not \"99999999999999999999\""
    ),
    ("size: 5", "syze: 5", "7:7 unknown key \"syze\" in download"),
    (
      "\"aaaa", "\"gaaa",
      "8:15 \"sha256\" must be 64 hexadecimal digits, not \"gaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\""
    ),
    ("    download:", "    from: \"b\"\n    download:", "6:5 \"from\" beside \"url\""),
    ("    url: \"https://data.example/a\"\n", "", "4:3 \"url\" is missing"),
    (
      "    url: \"https://data.example/a\"\n", "    url: []\n",
      "5:10 \"url\" is an empty list, expected a URL or a list of them"
    ),
    (
      "    url: \"https://data.example/a\"\n", "    from: \"b\"\n",
      "6:5 \"download\" and \"from\" exclude each other"
    ),
    ("\"b\":", "\"a\":", "14:3 duplicate key \"a\""),
    // It would be sent in a request.
    (
      #"etag: "\"x\"""#, #"etag: "\"x\"\r\nHost: elsewhere""#,
      "12:11 control character U+000D in \"etag\""
    ),
    ("    etag:", "    etags:", "12:5 unknown key \"etags\" in a locked target"),
    ("  \"b\":", "<<<<<<< ours\n  \"b\":", "14:1 this is a merge conflict marker"),
    ("  \"b\":", "=======\n  \"b\":", "14:1 this is a merge conflict marker"),
    ("  \"b\":", ">>>>>>> theirs\r\n  \"b\":", "14:1 this is a merge conflict marker"),
    ("  \"b\":", "||||||| base\n  \"b\":", "14:1 this is a merge conflict marker"),
  ])
  func `an error by a hand edit is reported with its place`(
    part: String, replacement: String, problem: String
  ) throws {
    let range = try #require(Self.good.firstRange(of: part))
    let text = Self.good.replacingCharacters(range, by: replacement)
    #expect(problems(text).contains(problem), "\(problems(text))")
    #expect(parse(text).lock == nil)
  }

  @Test func `what is no YAML has the hint that helps with a file of syncmake`() {
    #expect(
      parse(Self.good + "stray\n").diagnostics.map(\.hint) == [
        "restore the file, or remove it: then `syncmake lock` writes a new one"
      ])
  }

  @Test func `lines are shown as they are written`() {
    let bytes = Array("one\ntwo\r\nthree".utf8)
    #expect(LockFileParser.lines([2, 3, 4, 0, 1], of: bytes) == ["two", "three", nil, nil, "one"])
  }

  private func problems(_ text: String) -> [String] {
    parse(text).diagnostics.map { "\($0.span?.line ?? 0):\($0.span?.column ?? 0) \($0.message)" }
  }
}

extension String {
  fileprivate func replacingCharacters(_ range: Range<String.Index>, by other: String) -> String {
    self[..<range.lowerBound] + other + self[range.upperBound...]
  }
}
