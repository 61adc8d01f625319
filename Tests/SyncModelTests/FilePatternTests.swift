import SyncModel
import Testing

@Suite struct `A pattern for files` {
  /// Files by their paths; a name that ends in `@` is a link.
  private struct Files: FilePattern.Folders {
    let paths: [String]
    var listed: [String] = []

    mutating func entries(of path: [UInt8]) throws(FailureCause) -> [FilePattern.Entry] {
      let folder = path.isEmpty ? "" : String(decoding: path, as: UTF8.self) + "/"
      listed.append(folder)
      let below = paths.filter { $0.hasPrefix(folder) }.map { String($0.dropFirst(folder.count)) }
      let names = Set(below.map { String($0.prefix { $0 != "/" }) })
      return names.sorted(by: >).map { name in
        FilePattern.Entry(name: Array(name.utf8), isFolder: below.contains { $0.hasPrefix(name + "/") })
      }
    }

    mutating func isFile(_ path: [UInt8]) throws(FailureCause) -> Bool {
      let text = String(decoding: path, as: UTF8.self)
      return paths.contains(text) && !text.hasSuffix("@")
    }
  }

  private static let tree = [
    "a/m.yaml", "b/m.yaml", "b/n.yaml", "b/c/m.yaml", "b/c/d/m.yaml", "m.yaml", ".h/m.yaml", "b/.h/m.yaml",
    "b/.m.yaml", "e/link@", "é/m.yaml",
  ]

  private func matches(_ pattern: String) throws -> [String] {
    var files = Files(paths: Self.tree)
    return try FilePattern(RelativePath(pattern)).files(in: &files).map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  @Test(arguments: [
    ("*/m.yaml", ["a/m.yaml", "b/m.yaml", "é/m.yaml"]), ("*.yaml", ["m.yaml"]),
    ("?/*.yaml", ["a/m.yaml", "b/m.yaml", "b/n.yaml", "é/m.yaml"]), ("[!a-z]/m.yaml", ["é/m.yaml"]),
    ("b/*", ["b/m.yaml", "b/n.yaml"]), ("*/*/m.yaml", ["b/c/m.yaml"]),
    ("**/m.yaml", ["a/m.yaml", "b/c/d/m.yaml", "b/c/m.yaml", "b/m.yaml", "m.yaml", "é/m.yaml"]),
    ("b/**", ["b/c/d/m.yaml", "b/c/m.yaml", "b/m.yaml", "b/n.yaml"]),
    ("**/**/d/**/m.yaml", ["b/c/d/m.yaml"]), (".*/m.yaml", [".h/m.yaml"]), (".h/*.yaml", [".h/m.yaml"]),
    ("b/.?.yaml", ["b/.m.yaml"]), ("e/*", []), ("none/*/m.yaml", []), ("m.yaml/*", []),
    ("\\b/*/m.yaml", ["b/c/m.yaml"]),
  ])
  func `matches these files in the order of bytes`(pattern: String, files: [String]) throws {
    #expect(try matches(pattern) == files)
    // What it says of one path is the same.
    let one = try FilePattern(RelativePath(pattern))
    let paths = Self.tree.filter { !$0.hasSuffix("@") }
    #expect(
      try Set(paths.filter { try one.matches(RelativePath($0)) }) == Set(files))
    #expect(!one.matches(try RelativePath("q/r/s/t.txt/m")))
  }

  @Test func `lists only the folders that it needs`() throws {
    var files = Files(paths: Self.tree)
    _ = try FilePattern(RelativePath("b/*/m.yaml")).files(in: &files)
    #expect(files.listed == ["b/"])
  }

  @Test func `is a text with a wildcard`() throws {
    #expect(["*", "a/?", "[a]"].allSatisfy(FilePattern.isPattern))
    #expect(!FilePattern.isPattern("a/b\\.yaml"))
    #expect(throws: PathPattern.Fault.openBracket) { try FilePattern(RelativePath("[a")) }
    #expect(throws: PathPattern.Fault.openEscape) { try FilePattern(RelativePath("*\\")) }
  }
}
