import ManifestParsing
import SyncModel
import Testing

/// Parses targets with the selected entries of their lists.
func parseLists(_ targets: String, _ lists: [String: [ListEntry]], before: String = "")
  -> ManifestParse
{
  var context = ManifestContext { Corpus.environment[$0] }
  context.lists = ListedEntries(lists)
  context.outlineKey = ByteSum.Key(words: (1, 2))
  return ManifestParser.parse(Array("version: 1\n\(before)targets:\n\(targets)".utf8), context: context)
}

func listManifest(
  _ targets: String, _ lists: [String: [ListEntry]] = [:], before: String = "",
  sourceLocation: SourceLocation = #_sourceLocation
) throws -> Manifest {
  let parse = parseLists(targets, lists, before: before)
  return try #require(parse.manifest, "\(Corpus.render(parse.diagnostics))", sourceLocation: sourceLocation)
}

func entry(_ key: String, name: String? = nil, url: String? = nil, version: String? = nil)
  -> ListEntry
{
  var entry = ListEntry(key: key, name: name ?? key, url: url ?? "https://x.org/\(key)")
  entry.version = version
  return entry
}

/// The name of a template of which each entry makes a target.
let template = "d/${entry.key}"
