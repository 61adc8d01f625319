import SyncModel

/// Gives the bytes of a file with a secret; the path is as the manifest has it.
package typealias SecretFileReading = @Sendable (String) throws(SecretFileFault) -> [UInt8]

/// Why a file gives no secret.
package enum SecretFileFault: Error, Sendable, Equatable {
  /// The path is neither absolute nor in the home folder.
  case relative
  /// The path begins with `~/`, and there is no home folder.
  case noHome
  /// The file is inside the manifest's folder, where it would be committed.
  case insideRoot
  /// It is a folder, a pipe or a device.
  case notFile
  /// There are more than ``mostBytes``.
  case tooLarge
  case empty
  case severalLines
  /// It has a NUL or another control character, or is not UTF-8.
  case notText
  /// The system's words.
  case system(String)

  /// The largest file in bytes, enough for any token.
  package static let mostBytes = 64 << 10

  /// The one line that `bytes` are, without its end.
  static func line(_ bytes: [UInt8]) throws(SecretFileFault) -> String {
    guard bytes.count <= mostBytes else { throw .tooLarge }
    var line = bytes[...]
    if line.last == UInt8(ascii: "\n") { line = line.dropLast() }
    if line.last == UInt8(ascii: "\r"), line.count < bytes.count { line = line.dropLast() }
    guard !line.isEmpty else { throw .empty }
    guard !line.contains(where: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) else {
      throw .severalLines
    }
    guard let text = String(validating: line, as: UTF8.self), Quoting.firstControl(text) == nil else {
      throw .notText
    }
    return text
  }

  var message: String {
    switch self {
    case .relative: "its path must be absolute or begin with ~/"
    case .noHome: HomePath.problem
    case .insideRoot: "it is inside the manifest's folder"
    case .notFile: "it is not a regular file"
    case .tooLarge: "it has more than \(Self.mostBytes >> 10) KiB"
    case .empty: "it is empty"
    case .severalLines: "it has several lines"
    case .notText: "it has control characters, or is not UTF-8"
    case .system(let text): text
    }
  }

  var hint: String {
    switch self {
    case .relative, .insideRoot: "keep it outside, as in ${secret:file:/run/secrets/token}"
    case .noHome: HomePath.hint
    case .notFile, .system: "write the path of a file with the secret in it"
    case .tooLarge, .empty, .severalLines, .notText: "the file must have the secret on its only line"
    }
  }
}
