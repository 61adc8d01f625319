import ManifestParsing
import SyncModel
import Testing

/// `matrix: {rows: FILE}` (contract, section 11).
@Suite struct `Rows` {
  static let image =
    "img/${id}: {matrix: {rows: urls.tsv}, url: 'https://x.org/${file}', output: 'img/${id}.jpg'}"

  /// Files that a manifest can name. Their blocks are as long as `block` says, so that lines begin in one and end in
  /// another.
  private func parse(
    _ targets: String, _ files: [String: String], block: Int = 7, vars: String = "", defaults: String = "",
    fileName: String = "syncmake.yaml", reserved: [String] = []
  ) -> ManifestParse {
    var text = "version: 1\n"
    if !vars.isEmpty { text += "vars: {\(vars)}\n" }
    if !defaults.isEmpty { text += "defaults: {\(defaults)}\n" }
    text += "targets:\n" + targets.split(separator: "\n").map { "  \($0)\n" }.joined()
    return parse(text: text, files.mapValues { Array($0.utf8) }, block: block, fileName: fileName)
  }

  private func parse(
    text: String, _ files: [String: [UInt8]], block: Int = 7, fileName: String = "syncmake.yaml"
  ) -> ManifestParse {
    var context = ManifestContext(fileName: fileName) { Corpus.environment[$0] }
    context.rowFiles = Self.reading(files, block)
    return ManifestParser.parse(Array(text.utf8), context: context)
  }

  private static func reading(_ files: [String: [UInt8]], _ block: Int) -> RowFileReading {
    unsafe RowFileReading { path, body throws(FailureCause) in
      guard let bytes = files[path.text] else {
        throw .sourceUnreadable(path: path.text, .missing)
      }
      unsafe hand(bytes, block, body)
    }
  }

  private func problems(_ targets: String, _ files: [String: String], vars: String = "") -> [String] {
    parse(targets, files, vars: vars).diagnostics.map(Self.shown)
  }

  private static func shown(_ problem: Diagnostic) -> String {
    "\(problem.file):\(problem.span?.line ?? 0): \(problem.message)"
  }

  /// Of the file `urls.tsv` with these lines.
  private func problems(_ lines: String...) -> [String] {
    problems(Self.image, ["urls.tsv": lines.joined(separator: "\n")])
  }

  private func summary(_ parse: ManifestParse) -> [String] {
    parse.diagnostics.map(Self.shown)
      + (parse.manifest?.targets ?? []).map { target in
        "\(target.name) \(target.source.mirrors?.first?.text ?? "?") \(target.path)"
      }
  }

  static let two = ["img/1 https://x.org/a img/1.jpg", "img/2 https://x.org/b img/2.jpg"]

  @Test(arguments: [1, 2, 7, 1000])
  func `of a table are targets, and its columns are variables`(block: Int) {
    let parse = parse(Self.image, ["urls.tsv": "id\tfile\n1\ta\n2\tb\n"], block: block)
    #expect(summary(parse) == Self.two)
  }

  @Test(arguments: ["urls.ndjson", "urls.jsonl"])
  func `of objects are targets, whatever the order of their keys is`(file: String) {
    let targets = Self.image.replacing("urls.tsv", with: file)
    let lines = "{\"id\": 1, \"file\": \"a\"}\n{\"file\":\"b\",\"id\":\"2\"}\n"
    #expect(summary(parse(targets, [file: lines])) == Self.two)
  }

  @Test(arguments: [
    "id\tfile\r\n1\ta\r\n2\tb\r\n", "\u{FEFF}id\tfile\n1\ta\n2\tb", "\n\nid\tfile\n\n1\ta\n\r\n2\tb\n\n",
    "id\tother\tfile\n1\t\ta\n2\tx y\tb\n",
  ])
  func `may have other ends of lines, a mark, empty lines and further columns`(text: String) {
    #expect(summary(parse(Self.image, ["urls.tsv": text])) == Self.two)
  }

  @Test func `have values that are plain text`() throws {
    let text = "id\tfile\n1\t${os}$$\"#\n"
    let target = "img/${id}: {matrix: {rows: urls.tsv}, url: https://x.org/a, output: 'o/${file}'}"
    #expect(summary(parse(target, ["urls.tsv": text])) == ["img/1 https://x.org/a o/${os}$$\"#"])
    let json = "{\"id\": 1.50, \"file\": \"\\u00e9\\\"\"}\n{\"id\": true, \"file\": \"x\"}\n"
    #expect(
      summary(parse(target.replacing(".tsv", with: ".ndjson"), ["urls.ndjson": json])) == [
        "img/1.50 https://x.org/a o/é\"", "img/true https://x.org/a o/x",
      ])
  }

  @Test func `change defaults and every value of a target`() throws {
    let parse = parse(
      """
      img/${id}: {matrix: {rows: t.tsv}, url: 'https://x.org/${id}', tags: ['${kind}'], needs: ['${base}']}
      a: {url: https://x.org/base}
      """, ["t.tsv": "id\tkind\tbase\n1\tx\ta\n2\ty\timg/1\n"], defaults: "description: 'of ${kind}'")
    // The default refers to a column, so `a` cannot have it.
    #expect(parse.diagnostics.map(\.message) == ["undefined variable \"kind\""])
    let sound = self.parse(
      "img/${id}: {matrix: {rows: t.tsv}, url: 'https://x.org/${id}', tags: ['${kind}'], needs: ['${base}']}",
      ["t.tsv": "id\tkind\tbase\n1\tx\timg/2\n2\ty\timg/3\n3\tz\timg/4\n4\tz\timg/5\n5\tz\tz\n"])
    #expect(sound.diagnostics.map(\.message) == ["unknown target \"z\""])
    #expect(sound.diagnostics.map(\.file) == ["t.tsv"])
    let manifest = try #require(
      self.parse(
        "img/${id}: {matrix: {rows: t.tsv}, url: 'https://x.org/${id}', tags: ['${kind}', all], freshness: once}",
        ["t.tsv": "id\tkind\n1\tx\n2\ty\n"], defaults: "description: 'of ${kind}'"
      ).manifest)
    #expect(manifest.targets.map(\.tags) == [["x", "all"], ["y", "all"]])
    #expect(manifest.targets.map(\.summary) == ["of x", "of y"])
    #expect(manifest.targets.map(\.freshness) == [.once, .once])
  }

  @Test func `share what they have in common`() throws {
    let parse = parse(
      "img/${id}: {matrix: {rows: t.tsv}, url: 'https://x.org/${id}', freshness: once, tags: [a]}",
      ["t.tsv": "id\n1\n2\n"])
    let targets = try #require(parse.manifest).targets
    #expect(targets[0].settings.storage === targets[1].settings.storage)
    #expect(targets[0].freshness == .once)
  }

  @Test(arguments: [
    ("[{verify: {md5: '${sum}'}}]", [1]), ("[gunzip, {verify: {size: 3}}, {verify: {md5: '${sum}'}}]", [3]),
    ("[{verify: {md5: '${sum}'}}, gunzip, {verify: {md5: \"${sum}\"}}]", [1, 3]),
    ("[{verify: {size: '${id}'}}, gunzip]", []),
    ("[{verify: {sha1: {url: 'https://x.org/${id}'}}}, {verify: {md5: '${sum}'}}]", [2]),
    ("[{verify: {minisign: {key: RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3}}}]", []),
  ])
  func `have their own steps`(steps: String, digests: [Int]) throws {
    let sums = ["1", "2", "3"].map { String(repeating: $0, count: 32) }
    let rows = ["urls.tsv": "id\tsum\n" + (1...3).map { "\($0)\t\(sums[$0 - 1])\n" }.joined()]
    let target = "t${id}: {matrix: {rows: urls.tsv}, url: 'https://x.org/${id}'"
    for (targets, defaults) in [("\(target), steps: \(steps)}", ""), ("\(target)}", "steps: \(steps)")] {
      let read = try #require(parse(targets, rows, defaults: defaults).manifest)
      for (index, sum) in sums.enumerated() {
        let own = "t: {url: 'https://x.org/\(index + 1)', steps: \(steps)}"
          .replacing("${id}", with: "\(index + 1)").replacing("${sum}", with: sum)
        let alone = try #require(parse(own, [:]).manifest)
        #expect(read.targets[index].steps == alone.targets[0].steps)
        for place in digests {
          let digest = try #require(HexDigest(sum, .md5))
          #expect(read.targets[index].steps[place - 1] == .verifyDigest(.md5, .literal(digest)))
        }
      }
    }
  }

  @Test func `have a digest each, of which a wrong one is named`() {
    let rows =
      "id\tsum\n"
      + ["a", "b", "x", "c", "no"].map { "\($0)\t\(String(repeating: $0, count: 16))\n" }.joined()
    let problems = problems(
      "t${id}: {matrix: {rows: urls.tsv}, url: 'https://x.org/${id}', steps: [{verify: {md5: '${sum}${sum}'}}]}",
      ["urls.tsv": rows])
    #expect(problems.map { $0.prefix { $0 != " " } } == ["urls.tsv:4:", "urls.tsv:6:"])
  }

  @Test(arguments: 0...20)
  func `may have fields of any length`(length: Int) throws {
    let text = String(repeating: "z", count: length)
    let targets = "t${id}: {matrix: {rows: urls.tsv}, url: 'https://x.org/${a}.${b}', output: '${id}'}"
    func url(_ a: String, _ b: String) -> String? {
      let table = "id\ta\tb\n7\t\(a)\t\(b)\n"
      return parse(targets, ["urls.tsv": table]).manifest?.targets.first?.source.mirrors?.first?.text
    }
    #expect(url(text, "") == "https://x.org/\(text).")
    #expect(url("", text) == "https://x.org/.\(text)")
    #expect(url(text + "é", text) == "https://x.org/\(text)é.\(text)")
    #expect(url(text + "\0", "") == nil)
    let broken = Array("id\ta\tb\n7\t".utf8) + Array(text.utf8) + [0xFF, 0x09]
    let refused = parse(text: "version: 1\ntargets:\n  \(targets)\n", ["urls.tsv": broken])
    #expect(refused.diagnostics.map(\.message) == ["not valid UTF-8"])
  }

  @Test func `are among other targets, which may name them`() throws {
    let parse = parse(
      """
      first: {url: https://x.org/f, needs: [img/2]}
      \(Self.image)
      m/${k}: {matrix: {k: [1, 2]}, url: 'https://x.org/${k}'}
      other/${id}: {matrix: {rows: o.ndjson}, url: 'https://x.org/${id}', output: 'o/${id}', after: [first]}
      last: {url: https://x.org/l, needs: [other/x]}
      """, ["urls.tsv": "id\tfile\n1\ta\n2\tb\n", "o.ndjson": "{\"id\": \"x\"}\n"])
    #expect(parse.diagnostics == [])
    #expect(
      parse.manifest?.targets.map(\.name.text) == [
        "first", "img/1", "img/2", "m/1", "m/2", "other/x", "last",
      ])
    #expect(parse.manifest?.targets.first?.needs == [TargetID(2)])
    #expect(parse.manifest?.rowFiles.map(\.path.text) == ["urls.tsv", "o.ndjson"])
  }

  @Test func `of a list or a range are an ordinary key`() throws {
    for (rows, names) in [
      ("[a, b]", ["t-a", "t-b"]), ("1..2", ["t-1", "t-2"]), ("[urls.tsv]", ["t-urls.tsv"]),
    ] {
      let parse = parse("'t-${rows}': {matrix: {rows: \(rows)}, url: 'https://x.org/${rows}'}", [:])
      #expect(parse.manifest?.targets.map(\.name.text) == names)
    }
  }

  @Test func `may be in a file that a variable names`() {
    let targets = Self.image.replacing("rows: urls.tsv", with: "rows: '${dir}/./urls.tsv'")
    #expect(summary(parse(targets, ["a/urls.tsv": "id\tfile\n1\ta\n2\tb\n"], vars: "dir: a")) == Self.two)
  }

  @Test func `have a sum by which another file is noticed`() throws {
    func sum(_ text: String) throws -> ByteSum.Value {
      let manifest = try #require(parse(Self.image, ["urls.tsv": text]).manifest)
      return try #require(manifest.rowFiles.first).sum
    }
    #expect(try sum("id\tfile\n1\ta\n") == sum("id\tfile\n1\ta\n"))
    #expect(try sum("id\tfile\n1\ta\n") != sum("id\tfile\n1\tb\n"))
  }
}

/// Calls `body` with the pieces of `bytes`.
private func hand(_ bytes: [UInt8], _ block: Int, _ body: (UnsafeRawBufferPointer) -> Bool) {
  unsafe bytes.withUnsafeBytes { bytes in
    var rest = unsafe bytes[...]
    while unsafe !rest.isEmpty,
      unsafe body(UnsafeRawBufferPointer(rebasing: rest.prefix(block)))
    {
      unsafe rest = rest.dropFirst(block)
    }
  }
}

extension `Rows` {
  @Test func `of a table without a row are an error`() {
    #expect(problems("") == ["syncmake.yaml:3: \"urls.tsv\" has no rows"])
    #expect(problems("id\tfile") == ["syncmake.yaml:3: \"urls.tsv\" has no rows"])
    #expect(problems("id\tfile", "", "") == ["syncmake.yaml:3: \"urls.tsv\" has no rows"])
  }

  @Test func `of a file that cannot be read are an error`() {
    let text = "cannot read \"urls.tsv\": No such file or directory"
    #expect(problems(Self.image, [:]) == ["syncmake.yaml:3: \(text)"])
    // Other problems of the same target are found, too.
    #expect(
      problems(Self.image.replacing("output:", with: "retries: x, output:"), [:]) == [
        "syncmake.yaml:3: \(text)",
        "syncmake.yaml:3: \"retries\" must be a whole number such as 4, not \"x\"",
      ])
  }

  @Test func `of a file outside the folder, or of an unknown format, are an error`() {
    func problem(_ path: String) -> [String] {
      problems(Self.image.replacing("urls.tsv", with: path), [:])
    }
    for path in ["../urls.tsv", "/urls.tsv", "a/../../urls.tsv"] {
      #expect(problem(path) == ["syncmake.yaml:3: \"\(path)\" is outside the manifest's folder"])
    }
    for path in ["urls.csv", "urls", "urls.TSV", "tsv"] {
      #expect(problem(path) == ["syncmake.yaml:3: the ending of \"\(path)\" does not say what its rows are"])
    }
    #expect(problem("''") == ["syncmake.yaml:3: \"rows\" must be a file such as urls.tsv, not \"\""])
    #expect(
      problem("a.tsv/") == ["syncmake.yaml:3: \"rows\" must be a file such as urls.tsv, not \"a.tsv/\""])
  }

  @Test func `beside another key of the matrix are an error`() {
    let targets = Self.image.replacing("rows: urls.tsv", with: "rows: urls.tsv, k: [a]")
    #expect(
      problems(targets, ["urls.tsv": "id\tfile\n1\ta\n"]) == [
        "syncmake.yaml:3: \"rows\" and other keys of a matrix exclude each other"
      ])
  }

  @Test func `beside a list are an error`() {
    let targets = Self.image.replacing(
      "url: 'https://x.org/${file}'", with: "list: {url: https://x.org, format: atom}")
    #expect(!problems(targets, ["urls.tsv": "id\tfile\n1\ta\n"]).isEmpty)
  }

  @Test(arguments: [
    ("id\t\n1\ta", "urls.tsv:1: column 2 has no name"),
    ("id\tfile\tid\n1\ta\tb", "urls.tsv:1: two columns are called \"id\""),
    ("id\tfile name\n1\ta", "urls.tsv:1: \"file name\" is not a column's name"),
    ("id\tfile\n1\ta\n\n2", "urls.tsv:4: 1 field, but the header has 2"),
    ("id\tfile\n1\ta\tb", "urls.tsv:2: 3 fields, but the header has 2"),
    ("id\tfile\n1\ta\0", "urls.tsv:2: a zero byte"),
    ("id\tfile\n1 2\ta", "urls.tsv:2: \"img/1 2\" cannot be a name"),
    ("id\tfile\n1\ta b", "urls.tsv:2: a space in the URL \"https://x.org/a b\""),
    ("id\tfile\n1\ta\n2\tb\n1\tc", "urls.tsv:4: duplicate target name \"img/1\""),
    ("id\n1", "syncmake.yaml:3: undefined variable \"file\""),
  ])
  func `with a problem are named with their line`(text: String, expected: String) {
    #expect(problems(Self.image, ["urls.tsv": text]) == [expected])
  }

  @Test func `must have a column in the target's name`() {
    let target = "img/${os}: {matrix: {rows: urls.tsv}, url: 'https://x.org/${file}', output: '${file}'}"
    let found = parse(target, ["urls.tsv": "id\tfile\n1\ta\n"]).diagnostics
    #expect(found.map(\.message) == ["the target's name has no column of \"urls.tsv\""])
    #expect(found.first?.hint == "the names must differ: img/${os}-${id}")
  }

  @Test(arguments: [
    ("[1]", "not an object of JSON with texts and numbers"),
    ("{\"id\": 1,}", "not an object of JSON with texts and numbers"),
    ("{\"id\": [1], \"file\": \"a\"}", "not an object of JSON with texts and numbers"),
    ("{\"id\": {\"a\": 1}, \"file\": \"a\"}", "not an object of JSON with texts and numbers"),
    ("{\"id\": null, \"file\": \"a\"}", "not an object of JSON with texts and numbers"),
    ("{\"id\": 1, \"file\": \"a\"} x", "not an object of JSON with texts and numbers"),
    ("{\"id\": 2}", "the object has no \"file\""),
    ("{\"id\": 2, \"file\": \"b\", \"x\": 1}", "unknown key \"x\""),
    ("{\"id\": 2, \"file\": \"b\", \"id\": 3}", "the object has \"id\" twice"),
    ("{\"id\": 2, \"file\": \"b\\u0000\"}", "a zero byte in \"file\""),
  ])
  func `that are not such objects are named with their line`(line: String, expected: String) {
    let targets = Self.image.replacing("urls.tsv", with: "urls.ndjson")
    let found = problems(targets, ["urls.ndjson": "{\"id\": 1, \"file\": \"a\"}\n\(line)\n"])
    #expect(found == ["urls.ndjson:2: \(expected)"])
  }

  @Test func `begin with an object whose keys are names`() {
    let targets = Self.image.replacing("urls.tsv", with: "urls.ndjson")
    #expect(problems(targets, ["urls.ndjson": "{}\n"]) == ["urls.ndjson:1: an empty object"])
    #expect(
      problems(targets, ["urls.ndjson": "{\"id\":1,\"id\":2}\n"]) == [
        "urls.ndjson:1: two columns are called \"id\""
      ])
    #expect(
      problems(targets, ["urls.ndjson": "{\"a b\":1}\n"]) == ["urls.ndjson:1: \"a b\" is not a column's name"]
    )
  }

  @Test func `that are not UTF-8 are named with their line`() {
    let text = "version: 1\ntargets:\n  \(Self.image)\n"
    let bytes = Array("id\tfile\n1\ta\n2\t".utf8) + [0xFF, 0x0A]
    #expect(
      parse(text: text, ["urls.tsv": bytes]).diagnostics.map(Self.shown) == ["urls.tsv:3: not valid UTF-8"])
  }

  @Test func `with huge keys are an error with a short hint`() {
    let key = String(repeating: "k", count: 70_000)
    let targets = "img/${id}: {matrix: {rows: a.ndjson}, url: 'https://x.org/${id}'}"
    let rows = "{\"id\": 1, \"\(key)\": 2}\n{\"id\": 2}\n"
    let found = parse(targets, ["a.ndjson": rows], block: 1 << 16).diagnostics
    let hint = "all objects have the keys of the first: id and \(key.prefix(100))…; see syncmake.yaml:3:30"
    #expect(found.map(\.hint) == [hint])
  }

  @Test(arguments: [7, 1 << 16])
  func `with a line of more than 1 MiB are an error`(block: Int) {
    let long = String(repeating: "x", count: (1 << 20) + 1)
    for text in ["id\tfile\n1\t\(long)\n2\tb\n", "id\tfile\n1\t\(long)", "\(long)\n1\n"] {
      let found = parse(Self.image, ["urls.tsv": text], block: max(block, 1024)).diagnostics
      #expect(found.map(\.message) == ["this line is longer than 1 MiB"])
    }
  }

  @Test func `with more than a thousand columns are an error`() {
    let names = (0...1000).map { "c\($0)" }.joined(separator: "\t")
    #expect(problems(names, names) == ["urls.tsv:1: more than 1000 columns"])
  }

  @Test func `are refused by one name or one output with both lines`() {
    let parse = parse(
      Self.image.replacing("img/${id}.jpg", with: "img/${file}"),
      ["urls.tsv": "id\tfile\n1\ta\n\n2\tb\n3\ta\n1\tc\n"])
    let both = ["urls.tsv:5: duplicate output \"img/a\"", "urls.tsv:6: duplicate target name \"img/1\""]
    #expect(parse.diagnostics.map(Self.shown) == both)
    #expect(parse.diagnostics.last?.hint == "already defined on line 2; see syncmake.yaml:3:30")
    let outputs = self.parse(
      Self.image.replacing("img/${id}.jpg", with: "img/${file}"),
      ["urls.tsv": "id\tfile\n1\ta\n\n2\tb\n3\ta\n"])
    #expect(outputs.diagnostics.map(Self.shown) == ["urls.tsv:5: duplicate output \"img/a\""])
    #expect(
      outputs.diagnostics.first?.hint
        == "target \"img/1\" is defined on line 2 of \"urls.tsv\"; see syncmake.yaml:3:79")
    #expect(outputs.diagnostics.first?.sourceLine == "3\ta")
    #expect(outputs.diagnostics.first?.span?.endColumn == 4)
  }

  @Test func `cannot have the name or the output of another target`() {
    let table = ["urls.tsv": "id\tfile\n1\ta\n"]
    let before = parse("img/1: {url: https://x.org/z, output: z}\n\(Self.image)", table)
    #expect(before.diagnostics.map(Self.shown) == ["urls.tsv:2: duplicate target name \"img/1\""])
    #expect(before.diagnostics.first?.hint == "already defined on syncmake.yaml:3:3; see syncmake.yaml:4:30")
    let after = parse("\(Self.image)\nimg/1: {url: https://x.org/z, output: z}", table)
    #expect(after.diagnostics.map(Self.shown) == ["syncmake.yaml:4: duplicate target name \"img/1\""])
    let output = parse("z: {url: https://x.org/z, output: img/1.jpg}\n\(Self.image)", table)
    #expect(output.diagnostics.map(Self.shown) == ["urls.tsv:2: duplicate output \"img/1.jpg\""])
    let folder = parse("\(Self.image)\nz: {url: https://x.org/z, output: img}", table)
    #expect(folder.diagnostics.count == 1)
  }

  @Test func `cannot be in an output`() {
    let targets = "\(Self.image)\nz: {url: https://x.org/urls.tsv}"
    #expect(
      problems(targets, ["urls.tsv": "id\tfile\n1\ta\n"]) == [
        "syncmake.yaml:4: output \"urls.tsv\" is where \"urls.tsv\" is, whose rows are targets"
      ])
  }

  @Test func `cannot have a column with the name of a variable`() {
    #expect(
      problems(Self.image, ["urls.tsv": "id\tfile\n1\ta\n"], vars: "file: x") == [
        "syncmake.yaml:4: \"file\" is the name of a column and of a variable"
      ])
  }

  @Test func `report their problems with the line and the manifest's place`() throws {
    let parse = parse(Self.image, ["urls.tsv": "id\tfile\n1\ta b\n"], fileName: "sub/syncmake.yaml")
    let problem = try #require(parse.diagnostics.first)
    #expect(problem.file == "sub/urls.tsv")
    #expect(problem.sourceLine == "1\ta b")
    #expect(problem.span == SourceSpan(line: 2, column: 1, endColumn: 6))
    #expect(problem.hint == "write %20 for a space; see sub/syncmake.yaml:3:46")
  }

  @Test func `report every problem of the file, also behind others`() {
    #expect(
      problems("id\tfile", "1", "2\tb", "3 4\tc", "5\td", "6\te\tf", "2\tb") == [
        "urls.tsv:2: 1 field, but the header has 2", "urls.tsv:4: \"img/3 4\" cannot be a name",
        "urls.tsv:6: 3 fields, but the header has 2", "urls.tsv:7: duplicate target name \"img/2\"",
      ])
    // A problem of a name, or of a line, does not hide those of the values.
    #expect(
      problems("id\tfile", "1\ta b", "2 3\tb", "4", "5\tc", "6\tc d", "5\te", "7\tf\r", "") == [
        "urls.tsv:2: a space in the URL \"https://x.org/a b\"", "urls.tsv:3: \"img/2 3\" cannot be a name",
        "urls.tsv:4: 1 field, but the header has 2", "urls.tsv:6: a space in the URL \"https://x.org/c d\"",
        "urls.tsv:7: duplicate target name \"img/5\"",
      ])
  }

  @Test func `report at most twenty problems of one file, and the manifest's once`() {
    for (count, rest) in [(100, "\ta b\n"), (100, "\n"), (15, "\ta b\nx\n")] {
      let lines = (0..<count).map { "\($0)\(rest)" }.joined()
      #expect(problems(Self.image, ["urls.tsv": "id\tfile\n" + lines]).count == 20)
    }
    let same = Self.image.replacing("img/${id}.jpg", with: "img/same.jpg")
    let sound = (0..<100).map { "\($0)\ta\n" }.joined()
    #expect(problems(same, ["urls.tsv": "id\tfile\n" + sound]).count == 20)
    let targets = Self.image.replacing("output:", with: "freshness: etags, output:")
    #expect(
      problems(targets, ["urls.tsv": "id\tfile\n1\ta\n2\tb\n"]) == [
        "syncmake.yaml:3: unknown freshness rule \"etags\""
      ])
  }

  @Test(arguments: [
    "id\tfile\n1\ta\n2\tb\n3\tc\n", "id\tfile\n1\ta\n", "id\tfile\n1\ta\n2\tx y\n", "id\tother\n1\ta\n2\tb\n",
    "",
    "id\tfile\n1\n2\tx y\n2\tb\n", "id\tfile\n1\ta\n2\tc\n", "id\tfile\n1\ta\n\n2\tb\n",
    "id\tfile\n1\ta\n2\n",
  ])
  func `that change while they are read are an error`(second: String) {
    let readings = Readings(["id\tfile\n1\ta\n2\tb\n", second])
    var context = ManifestContext { _ in nil }
    context.rowFiles = unsafe RowFileReading { _, body throws(FailureCause) in
      unsafe hand(Array(readings.next().utf8), 7, body)
    }
    let text = "version: 1\ntargets:\n  \(Self.image)\n"
    let parse = ManifestParser.parse(Array(text.utf8), context: context)
    #expect(parse.diagnostics.map(\.message) == ["\"urls.tsv\" was changed while it was read"])
  }

  @Test func `are limited as other targets are`() {
    let lines = (0...1_000_000).map { "\($0)\n" }.joined()
    let target = "'${id}': {matrix: {rows: urls.tsv}, url: 'https://x.org/${id}'}"
    #expect(
      parse(target, ["urls.tsv": "id\n" + lines], block: 1 << 16).diagnostics.map(Self.shown) == [
        "syncmake.yaml:3: more than a million targets"
      ])
  }

  @Test func `may wait for a list, and the others are there`() throws {
    let text = """
      version: 1
      targets:
        e/${entry.key}: {list: {url: https://x.org/, format: atom}}
        p: {url: https://x.org/p}
        r/${id}: {matrix: {rows: urls.tsv}, url: 'https://x.org/${id}', needs: ['${other}']}

      """
    var context = ManifestContext { _ in nil }
    context.lists = ListedEntries()
    let table = "id\tother\n1\tr/2\n2\te/a\n\n3\tr/4\n4\tp\n5\te/b\n"
    context.rowFiles = Self.reading(["urls.tsv": Array(table.utf8)], 5)
    let parse = ManifestParser.parse(Array(text.utf8), context: context)
    #expect(parse.diagnostics == [])
    let manifest = try #require(parse.manifest)
    #expect(manifest.targets.map(\.name.text) == ["p", "r/3", "r/4"])
    #expect(manifest.targets.map { $0.source.mirrors?.first?.text.last } == ["p", "3", "4"])
    #expect(manifest.waiting.map(\.name.text) == ["r/1", "r/2", "r/5"])
  }

  @Test func `give their names for completion`() {
    var context = ManifestContext { _ in nil }
    context.rowFiles = Self.reading(["urls.tsv": Array("id\tfile\n1\ta\n2\tb\n".utf8)], 5)
    let text =
      "version: 1\ntargets:\n  \(Self.image.replacing("output:", with: "description: 'x ${id}', output:"))\n"
    let names = ManifestParser.names(Array(text.utf8), context: context)
    #expect(names.targets == ["img/1", "img/2"])
    #expect(names.descriptions == [:])
  }
}

/// Another text at each reading.
private final class Readings: @unchecked Sendable {
  private var texts: [String]

  init(_ texts: [String]) { self.texts = texts }

  func next() -> String { texts.isEmpty ? "" : texts.removeFirst() }
}
