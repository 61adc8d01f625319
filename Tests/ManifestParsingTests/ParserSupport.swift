import ManifestParsing
import SyncModel
import Testing

/// Parses `text` in the environment ``Corpus/environment``, and with the files that the documentation names.
func parse(_ text: String, reservedPaths: [String] = ["syncmake.yaml", "syncmake.lock", ".syncmake"])
  -> ManifestParse
{
  var context = ManifestContext(reservedPaths: reservedPaths) { Corpus.environment[$0] }
  context.rowFiles = unsafe RowFileReading { path, body throws(FailureCause) in
    guard path.text == "images.tsv" else { throw .sourceUnreadable(path: path.text, .missing) }
    _ = unsafe Array("id\tpath\n7\ta/seven.jpg\n".utf8).withUnsafeBytes { unsafe body($0) }
  }
  context.included = Included.reading
  return ManifestParser.parse(Array(text.utf8), context: context)
}

/// Files in memory that a manifest can include.
struct Included: FilePattern.Folders {
  /// By their paths.
  var files: [String: String]

  /// Those that the documentation and the corpus name.
  static let reading = Included(files: [
    "genes/syncmake.yaml":
      "version: 1\ntargets:\n  human: {url: https://example.org/human.gz}\ngroups:\n  all: [human]\n",
    "projects/a/syncmake.yaml": "version: 1\ntargets:\n  table: {url: https://example.org/a.tsv}\n",
    "projects/b/syncmake.yaml": "version: 1\ntargets:\n  table: {url: https://example.org/b.tsv}\n",
  ]).reading

  var reading: IncludeReading {
    IncludeReading(
      read: { [files] path throws(FailureCause) in
        if let text = files[path.text] { return Array(text.utf8) }
        if files.keys.contains(where: { $0.hasPrefix(path.text + "/") }) {
          throw .outputUnwritable(path: path.text, .isFolder)
        }
        throw .sourceUnreadable(path: path.text, .missing)
      },
      find: { pattern throws(FailureCause) in
        var folders = self
        return try pattern.files(in: &folders).compactMap {
          try? RelativePath(String(decoding: $0, as: UTF8.self))
        }
      })
  }

  mutating func entries(of path: [UInt8]) throws(FailureCause) -> [FilePattern.Entry] {
    let folder = path.isEmpty ? "" : String(decoding: path, as: UTF8.self) + "/"
    let below = files.keys.filter { $0.hasPrefix(folder) }.map { $0.dropFirst(folder.count) }
    let names = Set(below.map { String($0.prefix { $0 != "/" }) })
    // In no order, as a file system has them.
    return names.sorted(by: >).map { name in
      FilePattern.Entry(name: Array(name.utf8), isFolder: files[folder + name] == nil)
    }
  }

  mutating func isFile(_ path: [UInt8]) throws(FailureCause) -> Bool {
    files[String(decoding: path, as: UTF8.self)] != nil
  }
}

/// The manifest in `text`; fails the test if it is invalid.
func manifest(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> Manifest {
  let parse = parse(text)
  return try #require(parse.manifest, "\(Corpus.render(parse.diagnostics))", sourceLocation: sourceLocation)
}

/// The one target `a` whose keys, besides `url: https://example.org/a`, are `keys` in flow style.
func target(_ keys: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> Target {
  let text =
    "version: 1\ntargets:\n  a: {url: 'https://example.org/a', \(keys)}\n  sums: {url: 'https://example.org/sums'}\n"
  return try manifest(text, sourceLocation: sourceLocation).targets[0]
}

/// The messages for `text`.
func messages(_ text: String) -> [String] { parse(text).diagnostics.map(\.message) }
