import SyncModel

/// Reads URLs and headers from a command line by the manifest's own rules, variables included.
package enum AskedURLs {
  /// A manifest with one target for each of `urls`, in their order; the diagnostics' places mean nothing.
  package static func read(
    _ urls: [String], headers: [(name: String, value: String)], secretFile: SecretFileReading? = nil,
    environment: @escaping @Sendable (String) -> String?
  ) -> ManifestParse {
    var text = "version: 1\n"
    if !headers.isEmpty {
      let pairs = headers.map { "\(YAMLText.quoted($0.name)): \(YAMLText.quoted($0.value))" }
      text += "defaults: {headers: {\(pairs.joined(separator: ", "))}}\n"
    }
    text += "targets:\n"
    for (index, url) in urls.enumerated() {
      text += "  \"\(index + 1)\": {url: \(YAMLText.quoted(url)), output: syncmake.probe/\(index + 1)}\n"
    }
    var context = ManifestContext(environment: environment)
    context.secretFile = secretFile
    return ManifestParser.parse(Array(text.utf8), context: context)
  }
}
