/// The world in the model: no bytes, no clock, no sockets, only the place of each content.
///
/// Contents are numbers: `0 ..< Contents.served` may be served, higher ones come from a person's editor.
struct ModelWorld: Equatable {
  var targets: [ModelTarget]
  /// The server's files, by path.
  var served: [String: ServedVersion]
  /// By target.
  var files: [ModelFile?]
  /// The records in the state, by target.
  var records: [ModelRecord?]
  /// By target: whether a partial download may be there, which makes the number of requests uncertain.
  var partials: [ModelPartial]
}

/// One target of the manifest.
struct ModelTarget: Equatable {
  enum Rule: Equatable {
    case etag, mtime, once, always
    /// A literal digest of the present content.
    case digest
    /// A digest in its own sidecar.
    case sidecar
    indirect case interval(Rule)

    /// The rule inside every `interval`.
    var innermost: Rule { if case .interval(let then) = self { then.innermost } else { self } }
  }

  enum LocalChanges: String, CaseIterable { case refuse, overwrite, keep }

  var name: String
  /// `nil` for a web source.
  var from: Int?
  /// Never for those with ``from``.
  var rule: Rule
  var needs: [Int]
  var localChanges: LocalChanges
  var retries: Int
  /// Whether its URL redirects to a store, with a new signature each time.
  var isSigned: Bool
  /// Whether `gunzip` is among its steps.
  var unpacks: Bool
  /// Which of two URLs the manifest gives; a change of it is a change of the definition.
  var variant = 0
  /// The content whose digest the manifest gives, for ``Rule/digest``.
  var expected = 0

  var path: String { "/\(name).\(variant)" }

  /// The file's place.
  var storePath: String { isSigned ? "/store\(path)" : path }

  /// The inputs of its content, in the graph.
  var inputs: [Int] { needs + (from.map { [$0] } ?? []) }
}

/// A version of a file on the server, and the server's behaviour.
struct ServedVersion: Equatable {
  enum Tag: Equatable { case strong, weak, none }

  enum Manner: Equatable {
    case honest
    /// Status 200 for any condition.
    case ignoresConditions
    /// Always this status.
    case status(Int)
    /// Status 304 for any request, without a header.
    case alwaysNotModified
    /// The connection ends after this number of body bytes.
    case cut(Int)
  }

  var content: Int
  /// Increases with every new version; it determines tag and date.
  var serial: Int
  var tag: Tag
  var hasDate: Bool
  var manner = Manner.honest
  /// Whether a range with `If-Range` gets the whole body, with the requested ETag.
  var refusesIfRange = false
  /// The content whose digest the sidecar gives.
  var sidecar: Int
  /// The content whose digest the server sends with the file; `nil` for none.
  var announced: Int?

  /// The content whose digest comes with a reply. A body that breaks off comes with no wrong one: which try would be
  /// judged by it is left open.
  var sentDigest: Int? {
    if case .cut = manner { announced == content ? announced : nil } else { announced }
  }

  var validators: ModelValidators {
    ModelValidators(tag: tag == .none ? nil : serial, isWeak: tag == .weak, date: hasDate ? serial : nil)
  }
}

/// The validators in a reply or a record: the serial numbers of tag and date.
struct ModelValidators: Equatable {
  var tag: Int?
  var isWeak = false
  var date: Int?

  var isEmpty: Bool { tag == nil && date == nil }
}

/// An output.
struct ModelFile: Equatable {
  enum Time: Equatable {
    /// The date of that serial number.
    case date(Int)
    /// Later than every date a server gives.
    case recent
    /// Earlier than every date a server gives.
    case ancient
  }

  var content: Int
  var time: Time
}

/// A target's record.
struct ModelRecord: Equatable {
  /// When the last successful check was, in relation to now.
  enum Age: Equatable { case young, old, future }

  var content: Int
  var variant: Int
  /// By input: the content that it was made with.
  var inputs: [Int: Int]
  var validators: ModelValidators
  var age: Age
  /// Whether the bytes came from the target's source; an older file keeps its own time.
  var isDownloaded = false
  /// Whether the server sent a digest with them.
  var hasServerDigest = false
}

/// A partial download.
enum ModelPartial: Equatable {
  case none
  /// This number of bytes of the version with this serial number, with a strong tag.
  case bytes(Int, serial: Int)
  case unknown
}

/// The command's options.
struct ModelOptions: Equatable {
  var forcesAll = false
  var assumedOld: Set<Int> = []
  var assumedNew: Set<Int> = []
  var overwrites = false
  var isOffline = false
}

/// A run's result for one target.
struct ModelResult: Equatable {
  /// `updated`, `fresh`, `failed` or `skipped`.
  var outcome: String
  /// The reason's code for `updated` and `fresh`, the error's for `failed`.
  var code: String?
  var isUnchanged = false
  var requests: ClosedRange<Int>
}

/// A plan's result for one target.
struct ModelPlanned: Equatable {
  /// `update`, `fresh`, `maybe` or `error`.
  var action: String
  /// As in ``ModelResult``; `nil` if none is required.
  var code: String?
  /// `false` for a `maybe` of a target without a record, which the rule may decide anyway.
  var isCertain = true
}
