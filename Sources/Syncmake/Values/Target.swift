/// One file or folder of a manifest that is built in Swift.
///
/// Texts are taken as they are: `$` is a dollar sign. What is left out has the manifest's default. Whether the values are
/// valid shows when a ``Manifest`` is made of them.
public struct Target: Sendable {
  /// Unique in its manifest: letters, digits, and `_.+/-`.
  public var name: String
  /// The file's URL, and mirrors that are tried in this order.
  public var urls: [String]
  /// Another target, whose output is taken instead of a URL.
  public var from: String?
  /// The file to make, relative to the root; with a slash at its end a folder. `nil` is named after the URL.
  public var output: String?
  /// How to tell that it is stale; `nil` is ``Rule/etag``, or the inputs' content with ``from``.
  public var rule: Rule?
  /// What is done with the bytes, in this order.
  public var steps: [Step] = []
  /// Targets that come first and, if their content changes, make this one stale.
  public var needs: [String] = []
  /// Targets that only come first.
  public var after: [String] = []
  /// Headers of the requests, in this order.
  public var headers = Headers()
  /// What identifies the caller to the server.
  public var credentials: Credentials?
  /// Tries after the first; `nil` is 4.
  public var retries: Int?
  /// In bytes: anything larger is refused, downloaded or unpacked.
  public var maximumSize: Int64?
  /// The file's permission bits; `nil` keeps the old file's.
  public var mode: UInt16?
  /// What to do with a file that was edited locally.
  public var localChanges = LocalChanges.refuse
  /// Whether a failure leaves the run's status alone.
  public var isOptional = false

  /// A target with the default rule, of one URL or several mirrors.
  public init(_ name: String, url: String..., output: String? = nil, rule: Rule? = nil, steps: [Step] = []) {
    self.init(name, urls: url, output: output, rule: rule, steps: steps)
  }

  /// A target that is made from the output of another one.
  public init(_ name: String, from other: String, output: String? = nil, steps: [Step] = []) {
    self.init(name, urls: [], output: output, rule: nil, steps: steps)
    from = other
  }

  init(_ name: String, urls: [String], output: String?, rule: Rule?, steps: [Step]) {
    self.name = name
    self.urls = urls
    self.output = output
    self.rule = rule
    self.steps = steps
  }
}

/// What to do with a file that is no longer what was written.
public enum LocalChanges: String, Sendable {
  /// It fails, and the file stays.
  case refuse
  /// The file is replaced.
  case overwrite
  /// The file stays, and counts as fresh.
  case keep
}
