package import SyncModel

/// Reads `syncmake.lock` (contract, section 8); what writes it is Planning's `LockFileText`.
package enum LockFileParser {
  /// The largest lock file in bytes: 1 GiB, a kilobyte for each target of the largest manifest.
  package static let maximumSize = 1 << 30

  /// Reads `bytes` as a lock file; never fails otherwise than by diagnostics, whatever the bytes are.
  ///
  /// `place` is that of its manifest.
  package static func parse(
    _ bytes: [UInt8], fileName: String, _ place: CommandPlace = CommandPlace()
  ) -> LockFileParse {
    guard bytes.count <= maximumSize else {
      return LockFileParse(
        diagnostics: [Diagnostic(file: fileName, message: "the lock file is larger than 1 GiB")])
    }
    var context = ManifestContext(fileName: fileName, environment: { _ in nil })
    context.place = place
    return unsafe bytes.withUnsafeBytes { unsafe parse($0, context) }
  }

  private static func parse(_ bytes: UnsafeRawBufferPointer, _ context: ManifestContext) -> LockFileParse {
    let command = context.place.command("lock")
    var source = unsafe SourceText(bytes)
    var log = DiagnosticLog()
    var parse = LockFileParse(diagnostics: [])
    ConflictMarkers.report(
      in: source, &log,
      hint: "restore the file of one side, then run \(command) to add what the other side added")
    // An incomplete merge reads as nonsense, so only its markers are reported.
    let isMerge = !log.isEmpty
    let document = isMerge ? nil : YAMLDocumentReader.read(source, log: &log, subject: "a lock file")
    if let document {
      let reader = ManifestReader(document: document, context: context, log: log)
      (parse.lock, parse.places) = reader.readLock()
      log = reader.log
    }
    parse.diagnostics = log.diagnostics(file: context.fileName, source: &source, secrets: SecretMask())
    if !parse.diagnostics.isEmpty { parse.lock = nil }
    // How to write YAML helps nobody with a file that syncmake writes.
    if !isMerge, document == nil, !parse.diagnostics.isEmpty {
      parse.diagnostics[0].hint = "restore the file, or remove it: then \(command) writes a new one"
    }
    return parse
  }

  /// The lines of `bytes` with these numbers, from 1, as diagnostics show them; found in one reading of the text.
  package static func lines(_ numbers: [Int], of bytes: [UInt8]) -> [String?] {
    unsafe bytes.withUnsafeBytes { bytes in
      var source = unsafe SourceText(bytes)
      return numbers.map { source.line($0) }
    }
  }
}

/// A lock file, or its errors.
package struct LockFileParse: Sendable {
  /// `nil` exactly if ``diagnostics`` is not empty.
  package var lock: LockFile?
  /// The position of each target's name.
  package var places: [TargetName: SourceSpan] = [:]
  /// Every problem, in the order of the file.
  package var diagnostics: [Diagnostic]
}
