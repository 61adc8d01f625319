import ManifestParsing
import SyncModel
import Testing

/// Parses `text` in the environment ``Corpus/environment``, and with a file of rows that the documentation names.
func parse(_ text: String, reservedPaths: [String] = ["syncmake.yaml", "syncmake.lock", ".syncmake"])
  -> ManifestParse
{
  var context = ManifestContext(reservedPaths: reservedPaths) { Corpus.environment[$0] }
  context.rowFiles = unsafe RowFileReading { path, body throws(FailureCause) in
    guard path.text == "images.tsv" else { throw .sourceUnreadable(path: path.text, text: "no such file") }
    _ = unsafe Array("id\tpath\n7\ta/seven.jpg\n".utf8).withUnsafeBytes { unsafe body($0) }
  }
  return ManifestParser.parse(Array(text.utf8), context: context)
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
