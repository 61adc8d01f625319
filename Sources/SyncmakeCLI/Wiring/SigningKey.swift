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

  private static func problem(
    _ message: String,
    hint: String = "minisign -G -W makes a key without a password; \(variable) names its file"
  ) -> ConfigurationPlace.Problem {
    ConfigurationPlace.Problem(message: message, hint: hint)
  }
}
