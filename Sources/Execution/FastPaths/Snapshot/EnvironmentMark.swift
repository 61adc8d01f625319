import ContentPipeline
package import SyncModel

/// A snapshot's form of an environment variable: enough to recognise the value, but not to reveal it.
///
/// The state folder must not contain a secret, and the environment may have secrets that are not in
/// `${secret:NAME}`. Unlike a sum, a digest cannot be inverted; the key prevents comparisons of two folders' marks.
package enum EnvironmentMark {
  /// `nil` for a variable that is not set.
  package static func of(_ value: String?, _ key: ByteSum.Key) -> String? {
    value.map { value in
      var bytes: [UInt8] = []
      for word in [key.words.0, key.words.1] {
        unsafe withUnsafeBytes(of: word.littleEndian) { unsafe bytes += $0 }
      }
      return Digester.digest(bytes + value.utf8, .sha256).text
    }
  }
}
