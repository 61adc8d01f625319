import Execution
import Platform
import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The key that signs what a run records in a cache, in the file that a variable names.
enum SigningKey {
  static let variable = "SYNCMAKE_SIGN_KEY"

  /// `nil` if the variable names none. The messages have nothing of the file.
  static func read() throws(ConfigurationPlace.Problem) -> CacheSigner? {
    guard let path = Environment.text(variable) else { return nil }
    if isKey(path) {
      throw ConfigurationPlace.Problem(
        message: "\(variable) has a key, and not the name of its file",
        hint: "write the key to a file outside of all projects, and its path to \(variable)")
    }
    var bytes: [UInt8] = []
    do throws(SystemError) {
      // It may be a pipe, whose writer is waited for.
      let file = Descriptor(owning: try call { unsafe open(path, O_RDONLY | O_CLOEXEC) })
      try unsafe file.readBlocks { block in
        unsafe bytes += block
        return bytes.count <= MinisignSecretKey.longest
      }
    } catch {
      throw problem("cannot read the signing key \(path): \(error.text)")
    }
    do throws(MinisignSecretKey.Fault) {
      if let signer = CacheSigner(try MinisignSecretKey(bytes)) { return signer }
    } catch {
      if error == .hasPassword {
        throw problem(
          "the signing key \(path) has a password", hint: "minisign -C -W -s \(path) takes it away")
      }
    }
    throw problem("\(path) is no secret key of minisign")
  }

  /// Whether `text` is a secret key, or may be one: then nothing shows it.
  private static func isKey(_ text: String) -> Bool {
    text.hasPrefix("untrusted comment:") || text.utf8.contains(UInt8(ascii: "\n"))
      || (Base64.decode(text.utf8)?.count ?? 0) > 100
  }

  /// Whether the variable names what can be read once only, such as a pipe.
  static var isReadOnce: Bool {
    guard let path = Environment.text(variable) else { return false }
    return unsafe (try? FileStatus(path, in: AT_FDCWD, followingLinks: true))?.kind != .file
  }

  private static func problem(
    _ message: String,
    hint: String = "minisign -G -W makes a key without a password; \(variable) names its file"
  ) -> ConfigurationPlace.Problem {
    ConfigurationPlace.Problem(message: message, hint: hint)
  }
}
