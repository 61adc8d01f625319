import SyncModel

/// Paths as URLs write them.
enum URLPath {
  /// All but slashes, and what may stand in a path, is encoded.
  static func encoded(_ path: String) -> String {
    path.utf8.reduce(into: "") { out, byte in
      let isPlain = TargetName.isPart(byte) || "~!$&'()*,;=:@".utf8.contains(byte)
      let digits = String(byte, radix: 16, uppercase: true)
      out += isPlain ? String(Unicode.Scalar(byte)) : "%" + (byte < 16 ? "0" : "") + digits
    }
  }
}
