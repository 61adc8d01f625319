import ContentPipeline
package import SyncModel

/// What a snapshot keeps of an environment variable: enough to know the value again, and not to tell it.
///
/// The state folder must hold no secret, and people put more into the environment than `${secret:NAME}` knows
/// of. A digest, unlike a sum, does not lead back; the key keeps two folders' marks from being compared.
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
