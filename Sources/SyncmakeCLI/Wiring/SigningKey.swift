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

  /// `nil` if the variable names none. The messages show nothing of the file, and nothing of the variable, which may have
  /// the key itself instead of a file's name.
  static func read() throws(ConfigurationPlace.Problem) -> CacheSigner? {
    guard let path = Environment.text(variable) else { return nil }
    var bytes: [UInt8] = []
    do throws(SystemError) {
      // It may be a pipe, whose writer is waited for.
      let file = Descriptor(owning: try call { unsafe open(path, O_RDONLY | O_CLOEXEC) })
      try unsafe file.readBlocks { block in
        unsafe bytes += block
        return bytes.count <= MinisignSecretKey.longest
      }
    } catch {
      throw problem(
        "cannot read the file that \(variable) names: \(error.text)",
        hint: "it must be the path of a file; \(ordinary)")
    }
    do throws(MinisignSecretKey.Fault) {
      if let signer = CacheSigner(try MinisignSecretKey(bytes)) { return signer }
    } catch {
      if error == .hasPassword {
        throw problem(
          "the signing key in the file that \(variable) names has a password",
          hint: "minisign -C -W -s FILE takes it away")
      }
    }
    throw problem("the file that \(variable) names is no secret key of minisign")
  }

  /// Whether the variable names what can be read once only, such as a pipe.
  static var isReadOnce: Bool {
    guard let path = Environment.text(variable) else { return false }
    return unsafe (try? FileStatus(path, in: AT_FDCWD, followingLinks: true))?.kind != .file
  }

  private static let ordinary = "minisign -G -W makes a key without a password; \(variable) names its file"

  private static func problem(
    _ message: String, hint: String = ordinary
  ) -> ConfigurationPlace.Problem {
    ConfigurationPlace.Problem(message: message, hint: hint)
  }
}
