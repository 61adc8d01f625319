/// Keys that minisign -G -W has made; nothing but tests is signed with them.
public struct TestKey: Sendable {
  /// The file of the secret key.
  public let secretFile: String
  /// The public key, as manifests and configurations have it.
  public let shared: String

  /// A piece of the file of which nothing is public.
  public var secretPart: String {
    String(secretFile.split(separator: "\n").last?.dropFirst(88).prefix(32) ?? "")
  }

  /// The one whose word counts in tests.
  public static let one = TestKey(
    secretFile: """
      untrusted comment: minisign encrypted secret key
      RWQAAEIyAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAsp2ToblK0IB3KBK68sBvjTvwRtVd\
      49wHohiXh5V1Wg6qNpvlq4bDbFnoQvoacHOD2Ecq9GAkgdGBp5ARjqfd3fWo9+OZX4LxAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=

      """,
    shared: "RWSynZOhuUrQgFnoQvoacHOD2Ecq9GAkgdGBp5ARjqfd3fWo9+OZX4Lx")

  /// A stranger's.
  public static let two = TestKey(
    secretFile: """
      untrusted comment: minisign encrypted secret key
      RWQAAEIyAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAuUQn4p2Q0HYC4mUhXZwzzIOwsPtJ\
      NId44du4hB9AYJRPn6FuqtfVKIyT/Wp9ffEUsVRQrDxfDhlib5fvFEitL1SGUkQtfdqQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=

      """,
    shared: "RWS5RCfinZDQdoyT/Wp9ffEUsVRQrDxfDhlib5fvFEitL1SGUkQtfdqQ")
}
