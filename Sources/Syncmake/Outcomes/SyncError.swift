/// Why something could not be done: a code for programs, a text for people, and every problem with its place.
public struct SyncError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kind of an error. Besides the codes here it has those of failed targets, such as `http-status` or
  /// `digest-mismatch` (contract, section 7).
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// As JSON has it.
    public let rawValue: String

    /// The code with that text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A manifest, or what a ``FileSync`` was made with, is invalid; ``SyncError/problems`` has all errors.
    public static let invalid = Code(rawValue: "invalid")
    /// `syncmake.lock` is missing, or does not fit the manifest; ``SyncError/problems`` has all errors.
    public static let invalidLock = Code(rawValue: "lock-invalid")
    /// The manifest has no target or group of that name.
    public static let unknownTarget = Code(rawValue: "target-unknown")
    /// A destination is not below its root.
    public static let outsideRoot = Code(rawValue: "destination-outside-root")
    /// Two ``FileSync`` of one call have the same destination.
    public static let takenDestination = Code(rawValue: "destination-taken")
    /// Another run, in this process or another, holds the state folder, and was not to be waited for.
    public static let busy = Code(rawValue: "busy")
    /// The task was cancelled. What was finished stays, and a partial download is resumed by the next run.
    public static let cancelled = Code(rawValue: "cancelled")
    /// The state folder cannot be used: a later version wrote it, or it is not one. It was left as it is.
    public static let unusableState = Code(rawValue: "state-unusable")
  }

  /// The kind of the error.
  public let code: Code
  /// One line: lower case, no full stop, without secrets and control characters.
  public let message: String
  /// The next step; `nil` if the message is enough.
  public let hint: String?
  /// All errors of a manifest, a lock or a declaration, in the order of their places; else empty.
  public let problems: [Problem]
  /// Whether the same may succeed later, unchanged: the failure is of a kind that is retried.
  public let isTemporary: Bool

  /// The message, the hint and all problems, a line each.
  public var description: String {
    ([message] + problems.map(\.description) + (hint.map { ["hint: \($0)"] } ?? [])).joined(separator: "\n")
  }

  init(
    _ code: Code, _ message: String, hint: String? = nil, problems: [Problem] = [], isTemporary: Bool = false
  ) {
    self.code = code
    self.message = message
    self.hint = hint
    self.problems = problems
    self.isTemporary = isTemporary
  }
}

/// A problem with its place.
public struct Problem: Sendable, Equatable, CustomStringConvertible {
  /// The kind, for programs: of an error the code of its ``SyncError``; of a warning `no-validator`, `lock-warning` and
  /// so on, as in the project's page of errors and warnings.
  public let code: String
  /// Whether nothing is done because of it; otherwise it is a warning.
  public let isError: Bool
  /// The file; for a manifest that was built in Swift the one that ``Manifest/text`` would be. Empty if there is none.
  public let file: String
  /// From 1; `nil` if the problem concerns the whole file.
  public let line: Int?
  /// From 1, in Unicode scalars.
  public let column: Int?
  /// The name of the target that a warning of a run is about; for a ``FileSync`` its destination. `nil` if it is about
  /// none, or about a place in a file.
  public let target: String?
  /// Lower case, no full stop.
  public let message: String
  /// The next step; `nil` if the message is enough.
  public let hint: String?

  /// `FILE:LINE:COLUMN: error: MESSAGE (HINT)`
  public var description: String {
    var place = file
    if let line { place += ":\(line)" }
    if let column { place += ":\(column)" }
    let what = "\(isError ? "error" : "warning"): \(message)" + (hint.map { " (\($0))" } ?? "")
    return place.isEmpty ? what : "\(place): \(what)"
  }
}
