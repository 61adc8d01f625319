/// Why no targets can be made of a list's entries (`list-invalid`; contract, section 11).
package enum ListExpansionFault: Error, Sendable, Equatable {
  /// The template's name has no `${entry…}`, and not exactly one entry is left.
  case notOne(count: Int)
  /// More targets than a manifest may have.
  case tooMany(count: Int)
  /// The targets repeat more keys and values than those of a manifest may.
  case repeatsTooMuch(count: Int)
  /// Two entries make targets of one name; `versions` are theirs, if only these tell them apart.
  case sameName(String, keys: [String], versions: [String] = [])
  /// The name is that of another target or group.
  case nameTaken(String, key: String)
  /// The entry makes a text that cannot be a name.
  case badName(String, key: String)
  /// A target or a group needs an entry that the list does not have, by this name; `nil` if several are missing.
  case noSuchEntry(name: String?)
  /// The entry has no such field.
  case lacks(field: String, key: String)
  /// A value of the entry cannot be a part of an output; `field` is `nil` for the file's name in its URL.
  case badPath(ListedPath.Fault, value: String, field: String?, key: String)
  /// The entry's URL is none for http or https.
  case badURL(String, key: String)
  /// The entry's URL has a user's name or a password, which must not be shown.
  case hasCredentials(key: String)
  /// The output is that of the target called `other`, in its folder, or a folder of it.
  case outputTaken(String, key: String, other: String)
  /// The value of an output makes it impossible.
  case value(ValueProblem)
  /// A value of the target cannot be what the entry makes it; the message is that of the manifest's reader.
  case refused(String, key: String)
}
