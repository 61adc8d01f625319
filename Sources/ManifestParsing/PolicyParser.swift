package import SyncModel

/// Reads a policy (contract, section 14).
package enum PolicyParser {
  /// The largest policy in bytes: 1 MiB.
  package static let maximumSize = 1 << 20

  /// Reads `bytes` as a policy; never fails otherwise than by diagnostics, whatever the bytes are.
  package static func parse(_ bytes: [UInt8], fileName: String) -> PolicyParse {
    guard bytes.count <= maximumSize else {
      return PolicyParse(diagnostics: [Diagnostic(file: fileName, message: "a policy has at most 1 MiB")])
    }
    return unsafe bytes.withUnsafeBytes { bytes in
      var source = unsafe SourceText(bytes)
      var log = DiagnosticLog()
      var parse = PolicyParse(diagnostics: [])
      if let document = YAMLDocumentReader.read(source, log: &log, subject: "a policy") {
        let reader = ManifestReader(
          document: document, context: ManifestContext(fileName: fileName, environment: { _ in nil }),
          log: log)
        parse.policy = reader.readPolicy()
        log = reader.log
      }
      parse.diagnostics = log.diagnostics(file: fileName, source: &source, secrets: SecretMask())
      if !parse.diagnostics.isEmpty { parse.policy = nil }
      return parse
    }
  }
}

/// A policy, or its errors.
package struct PolicyParse: Sendable {
  /// `nil` exactly if ``diagnostics`` is not empty.
  package var policy: Policy?
  /// Every problem, in the order of the file.
  package var diagnostics: [Diagnostic]
}
