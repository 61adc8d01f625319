import SyncModel

/// Cuts of a text, each in one place: the library's are made anew wherever they are called.
extension String {
  /// What stands before and after the first `byte`; `nil` without one.
  @inline(never)
  func cut(at byte: UInt8) -> (before: String, after: String)? {
    guard let place = utf8.firstIndex(of: byte) else { return nil }
    return (String(Substring(utf8[..<place])), String(Substring(utf8[place...].dropFirst())))
  }

  /// The parts between these bytes, without empty ones.
  @inline(never)
  func parts(between byte: UInt8) -> [String] {
    utf8.split(separator: byte).map { String(Substring($0)) }
  }

  /// The last of the parts between slashes.
  @inline(never)
  var lastPart: String { parts(between: UInt8(ascii: "/")).last ?? self }

  /// Without blanks and tabs at both ends.
  @inline(never)
  var trimmed: String { String(decoding: Array(utf8)[...].trimmingWhiteSpace, as: UTF8.self) }
}
