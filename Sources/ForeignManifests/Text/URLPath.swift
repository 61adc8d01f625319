import SyncModel

/// Paths as URLs write them.
enum URLPath {
  /// All but what may stand in a path is encoded; a slash only if it is not `kept`.
  static func encoded(_ path: String, keepingSlashes kept: Bool = true) -> String {
    path.utf8.reduce(into: "") { out, byte in
      let isSlash = byte == UInt8(ascii: "/")
      let isPlain = isSlash ? kept : TargetName.isPart(byte) || "~!$&'()*,;=:@".utf8.contains(byte)
      let digits = String(byte, radix: 16, uppercase: true)
      out += isPlain ? String(Unicode.Scalar(byte)) : "%" + (byte < 16 ? "0" : "") + digits
    }
  }
}
