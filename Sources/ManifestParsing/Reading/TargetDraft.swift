import SyncModel

/// The keys of a target.
enum TargetKey: String, CaseIterable {
  case url, from, output, freshness, steps, needs, after, headers, auth, retries, timeout
  case maxSize = "max_size"
  case mode
  case localChanges = "local_changes"
  case unprovenLength = "unproven_length"
  case serverDigest = "server_digest"
  case optional, description, tags, matrix

  /// Whether `defaults` may give it.
  var mayBeDefault: Bool {
    switch self {
    case .url, .from, .output, .needs, .after, .matrix: false
    default: true
    }
  }

  /// Whether a collection of that kind may be this key's value. Of scalars too many keys could be meant.
  func fits(_ kind: YAMLNode.Kind) -> Bool {
    switch self {
    case .matrix, .headers, .auth, .timeout, .freshness: kind == .mapping
    case .url, .steps, .needs, .after, .tags: kind == .sequence
    default: false
    }
  }
}

/// One entry under `targets`, its values still unread.
struct TargetTemplate {
  /// The name as written; the target's place.
  var key: NodeID
  var fields: Fields<TargetKey>
}

/// One target, named but unread: a template with the values of its matrix.
struct TargetDraft {
  var id: TargetID
  var name: String
  /// Its place in ``ManifestReader/templates``.
  var template: Int
  var scope: Scope
  /// Whether it is not the first of its matrix.
  var isRepetition: Bool
}

/// A target's mention of another, with its place.
struct Reference {
  var id: TargetID
  var place: NodeID
}

/// Values that `defaults` may have and a target may override.
struct TargetSettings {
  var freshness = FreshnessRule.etag
  /// The targets that ``freshness`` reads from.
  var freshnessReferences: [Reference] = []
  var steps: [Step] = []
  /// Facts that belong to ``steps``.
  var stepNotes = StepNotes()
  var headers: [RequestHeader] = []
  var authentication: Authentication?
  var retries = 4
  var timeouts = Timeouts()
  var maxSize: Int64?
  var mode: UInt16?
  var localChanges = LocalChanges.refuse
  var unprovenLength = UnprovenLength.refuse
  var serverDigest = ServerDigestUse.use
  var isOptional = false
  var summary: String?
  var tags: [String] = []
}

/// Settings that several targets have.
final class SharedSettings {
  let value: TargetSettings

  init(_ value: TargetSettings) { self.value = value }
}

/// The manifest's `defaults`, read as far as they are the same for every target.
struct TargetDefaults {
  var settings = TargetSettings()
  /// ``settings``, once they are complete.
  var shared = SharedSettings(TargetSettings())
  /// Those that refer to a key of a matrix. They are read for each target.
  var varying: [Varying] = []
  /// The keys of all matrices, if there are such defaults.
  var matrixKeys: [String] = []

  struct Varying {
    var key: TargetKey
    var value: NodeID
    /// Whether a target has read it.
    var isUsed = false
  }
}

/// A target as read; what could not be read is `nil`.
struct ReadTarget {
  var draft: TargetDraft
  var source: Source?
  var output: RelativePath?
  /// The position for problems with the output.
  var outputPlace: NodeID
  /// One object for all targets that give nothing that `defaults` may give: most manifests are made of such.
  var shared: SharedSettings
  var settings: TargetSettings { shared.value }
  var needs: [TargetID]
  var after: [TargetID]
  /// Everything that must come first, as written.
  var references: [Reference]
}
