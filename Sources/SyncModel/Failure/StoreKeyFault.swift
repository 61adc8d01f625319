/// Why there are no credentials for a store that speaks S3.
package enum StoreKeyFault: Error, Sendable, Equatable {
  /// Neither the variables nor these files have any for the profile.
  case missing(profile: String, files: [String])
  /// `AWS_PROFILE` names a profile that is in none of these files.
  case noProfile(String, files: [String])
  /// One variable of the two is set, and not this one.
  case half(variable: String)
  /// The profile has nothing but a setting that only other programs understand.
  case unsupported(profile: String, setting: String)
  /// The system's words.
  case unreadable(path: String, String)
  /// It names a program, and every user may write to it.
  case writable(path: String)
  /// It names a program, is in the usual place, and belongs to another user.
  case foreign(path: String)
  /// `credential_process` has given none.
  case process(HelperFault)
  /// The key has characters that no request can have.
  case unusable
  /// Nothing says in which region the bucket is.
  case noRegion
  /// The value of a variable, or of a profile's setting, is wrong.
  case invalid(setting: String)
}
