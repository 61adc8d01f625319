import SyncModel

/// The keys of a target.
enum TargetKey: String, CaseIterable {
  case url, from, output, freshness, steps, needs, after, headers, auth, retries, timeout
  case maxSize = "max_size"
  case mode
  case localChanges = "local_changes"
  case unprovenLength = "unproven_length"
  case serverDigest = "server_digest"
  case cache, optional, description, tags, matrix, list

  /// Whether `defaults` may give it.
  var mayBeDefault: Bool {
    switch self {
    case .url, .from, .output, .needs, .after, .matrix, .list: false
    default: true
    }
  }

  /// Whether it makes several targets of one.
  var makesMany: Bool {
    switch self {
    case .matrix, .list: true
    default: false
    }
  }

  /// Whether a collection of that kind may be this key's value. Of scalars too many keys could be meant.
  func fits(_ kind: YAMLNode.Kind) -> Bool {
    switch self {
    case .matrix, .list, .headers, .auth, .timeout, .freshness: kind == .mapping
    case .url, .steps, .needs, .after, .tags: kind == .sequence
    default: false
    }
  }
}

/// One entry under `targets`, its values still unread.
struct TargetTemplate {
  /// The name as written; the target's place.
  var key: NodeID
  var fields: TargetFields
}

/// The known keys of one entry under `targets`, in a form that is small enough for a million of them.
struct TargetFields {
  /// The place of its keys and values in ``ManifestReader/targetEntries``.
  fileprivate var range: Range<Int32>
  /// `nil` if there is nothing unusual.
  fileprivate var oddities: Oddities?

  /// What problems with its keys have left.
  fileprivate final class Oddities {
    let misspelt: Set<String>
    let isIncomplete: Bool

    init(misspelt: Set<String>, isIncomplete: Bool) {
      self.misspelt = misspelt
      self.isIncomplete = isIncomplete
    }
  }
}

extension ManifestReader {
  /// `fields` in the form in which a template keeps them.
  func keep(_ fields: Fields<TargetKey>) -> TargetFields {
    let start = Int32(targetEntries.count)
    targetEntries += fields.entries
    let isOdd = fields.isIncomplete || !fields.misspelt.isEmpty
    return TargetFields(
      range: start..<Int32(targetEntries.count),
      oddities: isOdd
        ? TargetFields.Oddities(misspelt: fields.misspelt, isIncomplete: fields.isIncomplete) : nil)
  }

  /// The known keys of a template.
  func fields(of template: Int) -> Fields<TargetKey> {
    let kept = templates[template].fields
    return Fields(
      entries: targetEntries[Int(kept.range.lowerBound)..<Int(kept.range.upperBound)],
      misspelt: kept.oddities?.misspelt ?? [], isIncomplete: kept.oddities?.isIncomplete ?? false)
  }
}

/// One target, named but unread: a template with the values of its matrix. Its id is its place among all of them.
struct TargetDraft {
  var name: String
  /// `nil` where neither a matrix nor a list gives values.
  private var values: Values?
  private var number: Int32

  /// An object, since nearly no target has values.
  final class Values {
    let scope: Scope

    init(_ scope: Scope) { self.scope = scope }
  }

  init(name: String, template: Int, scope: Scope, isRepetition: Bool) {
    self.name = name
    values = scope.isNone ? nil : Values(scope)
    number = isRepetition ? ~Int32(template) : Int32(template)
  }

  /// Shares its values with others.
  init(name: String, template: Int, values: Values, isRepetition: Bool) {
    self.name = name
    self.values = values
    number = isRepetition ? ~Int32(template) : Int32(template)
  }

  /// Its place in ``ManifestReader/templates``.
  var template: Int { Int(number < 0 ? ~number : number) }
  /// Whether it is not the first of its matrix or list.
  var isRepetition: Bool { number < 0 }
  var scope: Scope { values?.scope ?? .none }
}

/// A target's mention of another, with its place.
struct Reference {
  var id: TargetID
  var place: NodeID
}

/// Values that `defaults` may have and a target may override.
struct ReadSettings {
  var values = TargetSettings()
  /// The targets that the freshness rule reads from.
  var freshnessReferences: [Reference] = []
  /// Facts that belong to the steps.
  var stepNotes = StepNotes()
}

/// Settings that several targets have.
final class SharedSettings {
  let value: ReadSettings
  /// The part of ``value`` that the targets keep.
  let values: Shared<TargetSettings>

  init(_ value: ReadSettings) {
    self.value = value
    values = Shared(value.values)
  }
}

/// The manifest's `defaults`, read as far as they are the same for every target.
struct TargetDefaults {
  var settings = ReadSettings()
  /// ``settings``, once they are complete.
  var shared = SharedSettings(ReadSettings())
  /// The values that refer to a key of a matrix. They are read for each target.
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

/// A target as read, with the place of its draft; what could not be read is `nil`.
struct ReadTarget {
  var source: BodySource?
  var output: RelativePath?
  /// The position for problems with the output.
  var outputPlace: NodeID
  /// Whether it mentions a target that is unknown, so that ``references`` are not all.
  var lacksReferences = false
  /// One object for all targets that give nothing that `defaults` may give: most manifests are made of such.
  var shared: SharedSettings
  var settings: ReadSettings { shared.value }
  var needs: [TargetID]
  var after: [TargetID]
  /// Everything that must come first, as written.
  var references: [Reference]

  /// What `unpack` makes; `nil` without that step.
  var product: UnpackRules.Product? {
    for case .unpack(let rules) in shared.value.values.steps { return rules.product }
    return nil
  }
}
