import SyncModel

/// The lines that version control leaves in a file that it could not merge.
enum ConflictMarkers {
  private static let marks = ["<<<<<<<", "|||||||", "=======", ">>>>>>>"].map { Array($0.utf8) }

  /// An error for each marker, the first with the hint; none if there are no markers.
  static func report(in source: SourceText, _ log: inout DiagnosticLog, hint: String?) {
    var hint = hint
    var number = 0
    var next: Int? = 0
    while let start = next {
      number += 1
      let rest = unsafe source.bytes[start...]
      next = unsafe rest.firstIndex(of: 0x0A).map { $0 + 1 }
      if marks.contains(where: { unsafe rest.starts(with: $0) }) {
        log.error(
          "this is a merge conflict marker", at: SourceSpan(line: number, column: 1, endColumn: 8), hint: hint
        )
        hint = nil
      }
    }
  }
}
