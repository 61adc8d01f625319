/// What is sent to the origins of a file's own URLs, and to no other; masked in every text.
public enum Credentials: Sendable, Equatable {
  /// `Authorization: Bearer …`
  case bearer(String)
  /// A user's name and password.
  case basic(user: String, password: String)
}
