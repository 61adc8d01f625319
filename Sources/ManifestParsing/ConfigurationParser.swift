package import SyncModel

/// Reads the user's configuration (contract, section 12).
package enum ConfigurationParser {
  /// The largest configuration in bytes: 1 MiB.
  package static let maximumSize = 1 << 20

  /// Reads `bytes` as a configuration; never fails otherwise than by diagnostics, whatever the bytes are.
  ///
  /// `path` makes a path of one as it is written; `nil` if that begins with `~/` and there is no home folder.
  package static func parse(
    _ bytes: [UInt8], fileName: String, path: (String) -> String?
  ) -> ConfigurationParse {
    guard bytes.count <= maximumSize else {
      return ConfigurationParse(
        diagnostics: [Diagnostic(file: fileName, message: "a configuration has at most 1 MiB")])
    }
    return unsafe bytes.withUnsafeBytes { bytes in
      var source = unsafe SourceText(bytes)
      var log = DiagnosticLog()
      var parse = ConfigurationParse(diagnostics: [])
      var secrets = SecretMask()
      if let document = YAMLDocumentReader.read(source, log: &log, subject: "a configuration") {
        let reader = ManifestReader(
          document: document, context: ManifestContext(fileName: fileName, environment: { _ in nil }),
          log: log)
        parse.configuration = reader.readConfiguration(path)
        log = reader.log
        secrets = reader.secrets
      }
      parse.diagnostics = log.diagnostics(file: fileName, source: &source, secrets: secrets)
      if !parse.diagnostics.isEmpty { parse.configuration = nil }
      return parse
    }
  }
}

/// A configuration, or its errors.
package struct ConfigurationParse: Sendable {
  /// `nil` exactly if ``diagnostics`` is not empty.
  package var configuration: UserConfiguration?
  /// Every problem, in the order of the file.
  package var diagnostics: [Diagnostic]
}
