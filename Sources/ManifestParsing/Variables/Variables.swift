import SyncModel

/// The values for `${…}`: `vars`, the environment, and the secrets in use.
struct Variables {
  /// The longest text that one value may become, in bytes.
  static let longestText = 1 << 20
  /// How many bytes variables may make altogether.
  static let totalBudget = 256 << 20

  /// A `nil` value means a variable with an error of its own.
  private var values: [String: ExpandedText?] = [:]
  private(set) var names: [String] = []
  private var secrets: [String: String] = [:]
  private(set) var mask = SecretMask()
  private var bytesLeft = Variables.totalBudget
  private var buffer: [UInt8] = []
  /// By variable, the values of targets' outputs that it contains, by number; empty without such values.
  private var outputValues: [String: [Int]] = [:]
  /// Whether there are any of those.
  var haveOutputValues: Bool { !outputValues.isEmpty }
  /// The values of outputs that were used since this was emptied, perhaps more than once.
  var usedValues: [Int] = []
  /// Whether a pattern is being read: what a list, a row or an output says is plain text in it, too.
  var isInPattern = false
  /// The variables that are the value of an output, and no text of the manifest around one.
  private var pureValues: Set<String> = []
  /// What is being read that cannot contain the value of an output; `nil` where one is allowed.
  var valueFreePlace: String?

  /// Makes no more bytes than `other` could, which makes none any more, and knows its secrets.
  mutating func goOn(after other: Variables) {
    bytesLeft = other.bytesLeft
    mask = mask.joined(other.mask)
  }

  /// How many bytes variables have made.
  var bytesMade: Int { Self.totalBudget - max(0, bytesLeft) }
  /// The variables of the environment that may be read, and no secret; `nil` for all.
  var allowed: [String]?
  private let environment: @Sendable (String) -> String?
  private let secretFile: SecretFileReading?

  init(environment: @escaping @Sendable (String) -> String?, secretFile: SecretFileReading? = nil) {
    self.environment = environment
    self.secretFile = secretFile
  }

  /// Why a reference has no value; `range` counts bytes of the text.
  enum Fault: Error {
    case undefined(String, Range<Int>)
    case environmentUndefined(String, Range<Int>)
    case secretUndefined(String, isEmpty: Bool, Range<Int>)
    case secretFile(String, SecretFileFault, Range<Int>)
    /// The manifest is untrusted; `nil` for a secret.
    case forbidden(String?, Range<Int>)
    case tooLong
    case budgetSpent
    /// Reported at the variable's definition.
    case silent
    /// The value of a target's output cannot be used here.
    case outputValue(String, in: String, Range<Int>)
    /// A list's entry has no value that can be used.
    case entry(ListExpansionFault)

    fileprivate var isOfLength: Bool {
      switch self {
      case .tooLong, .budgetSpent: true
      default: false
      }
    }
  }

  /// Those of one text, in its order; never empty.
  struct Faults: Error { var all: [Fault] }

  /// `value` is `nil` for a variable with an error of its own.
  mutating func define(_ name: String, _ value: ExpandedText?) {
    if values.updateValue(value, forKey: name) == nil { names.append(name) }
  }

  /// Notes that a variable is the value of an output with this number.
  mutating func note(value: Int, as name: String) {
    outputValues[name] = [value]
    pureValues.insert(name)
  }

  /// Notes which values of outputs a variable contains.
  mutating func note(values: [Int], in name: String) { outputValues[name] = values }

  /// Variables with a known value and without a secret, in order.
  var plainValues: [(name: String, text: String)] {
    names.compactMap { name in
      guard let value = values[name] ?? nil, !value.isSecret, outputValues[name] == nil else { return nil }
      return (name, value.text)
    }
  }

  func defines(_ name: String) -> Bool { values[name] != nil }

  /// The text, or everything that is in its way.
  mutating func expand(_ template: Template, _ scope: Scope) throws(Faults) -> ExpandedText {
    var out = ExpandedText(text: "")
    var faults: [Fault] = []
    append(template.segments, scope, to: &out, &faults)
    guard faults.isEmpty else { throw Faults(all: faults) }
    return out
  }

  private mutating func append(
    _ segments: [Template.Segment], _ scope: Scope, to out: inout ExpandedText, _ faults: inout [Fault]
  ) {
    for segment in segments {
      do throws(Fault) {
        if allowed != nil { try requireAllowed(segment) }
        if case .environment(let name, let fallback?, _) = segment, environment(name) ?? "" == "" {
          append(fallback, scope, to: &out, &faults)
        } else {
          if case .environment(_, let fallback?, _) = segment { checkUnused(fallback, scope, &faults) }
          try append(value(of: segment, scope), to: &out)
        }
      } catch {
        faults.append(error)
        // The rest could only be too long as well.
        if error.isOfLength { return }
      }
    }
  }

  /// Undefined variables in a default are errors even if the default is not used. Its part of the environment may
  /// be unset then, and its secrets are not read.
  private mutating func checkUnused(
    _ segments: [Template.Segment], _ scope: Scope, _ faults: inout [Fault]
  ) {
    for segment in segments {
      if allowed != nil {
        do throws(Fault) { try requireAllowed(segment) } catch { faults.append(error) }
      }
      switch segment {
      case .variable: do throws(Fault) { _ = try value(of: segment, scope) } catch { faults.append(error) }
      case .environment(_, let fallback?, _): checkUnused(fallback, scope, &faults)
      default: break
      }
    }
  }

  /// A template of which only the columns are left; `nil` if its texts cannot be the same for all rows.
  mutating func rowText(_ template: Template, _ row: RowCursor, _ scope: Scope) -> RowText? {
    RowText(template, row) { try? value(of: $0, scope) }
  }

  /// The text for a row; `nil` if it is too long. What the file itself says does not count for all values together.
  mutating func expand(_ text: RowText, _ row: RowCursor) -> ExpandedText? {
    guard bytesLeft >= text.fixedLength else { return nil }
    bytesLeft -= text.fixedLength
    return text.expanded(row, &buffer)
  }

  private func requireAllowed(_ segment: Template.Segment) throws(Fault) {
    guard let allowed else { return }
    switch segment {
    case .literal, .variable: return
    case .environment(let name, _, let range):
      if !allowed.contains(where: { $0.hasSameBytes(as: name) }) { throw .forbidden(name, range) }
    case .secret(_, let range), .secretFile(_, let range): throw .forbidden(nil, range)
    }
  }

  private mutating func value(of segment: Template.Segment, _ scope: Scope) throws(Fault) -> ExpandedText {
    if allowed != nil { try requireAllowed(segment) }
    switch segment {
    case .literal(let text): return ExpandedText(text: text)
    case .variable(let name, let range):
      if let value = try scope.value(of: name) { return scope.row == nil ? value : asPlain(value) }
      if let value = try scope.entry?.value(of: name, range) { return asPlain(value) }
      if let value = values[name] {
        if !outputValues.isEmpty, let used = outputValues[name] {
          if let place = valueFreePlace { throw .outputValue(name, in: place, range) }
          usedValues += used
        }
        guard let value else { throw .silent }
        return pureValues.contains(name) ? asPlain(value) : value
      }
      if scope.unreadable.contains(name) { throw .silent }
      if scope.row?.isUnknown == true { throw .silent }
      if let value = BuiltInVariables.value(of: name) { return value }
      throw .undefined(name, range)
    case .environment(let name, _, let range):
      guard let value = environment(name) else { throw .environmentUndefined(name, range) }
      return ExpandedText(text: value)
    case .secret(let name, let range): return ExpandedText(text: try secret(name, range), isSecret: true)
    case .secretFile(let path, let range):
      return ExpandedText(text: try secret(inFile: path, range), isSecret: true)
    }
  }

  private func asPlain(_ value: ExpandedText) -> ExpandedText {
    guard isInPattern else { return value }
    return ExpandedText(text: PathPattern.plain(value.text), isSecret: value.isSecret)
  }

  private mutating func append(_ part: ExpandedText, to out: inout ExpandedText) throws(Fault) {
    out.isSecret = out.isSecret || part.isSecret
    let length = part.text.utf8.count
    guard out.text.utf8.count + length <= Self.longestText else { throw .tooLong }
    bytesLeft -= length
    guard bytesLeft >= 0 else { throw .budgetSpent }
    out.text += part.text
  }

  private mutating func secret(_ name: String, _ range: Range<Int>) throws(Fault) -> String {
    if let value = secrets[name] { return value }
    guard let value = environment(name), !value.isEmpty else {
      throw .secretUndefined(name, isEmpty: environment(name) != nil, range)
    }
    secrets[name] = value
    mask.add(value)
    return value
  }

  private mutating func secret(inFile path: String, _ range: Range<Int>) throws(Fault) -> String {
    // No variable has a colon in its name.
    let key = "file:" + path
    if let value = secrets[key] { return value }
    do throws(SecretFileFault) {
      guard let read = secretFile else { throw .system("there are no files here") }
      let value = try SecretFileFault.line(try read(path))
      secrets[key] = value
      mask.add(value)
      return value
    } catch {
      throw .secretFile(path, error, range)
    }
  }

  /// Whether no secret in `whole` is cut where its beginning, `cut`, ends.
  func secretsAreWhole(_ cut: String, of whole: String) -> Bool {
    cut == whole || mask.mask(whole).hasPrefix(mask.mask(cut))
  }

  /// Also masks `text`; for passwords in a manifest that should have none.
  mutating func hide(_ text: String) { mask.add(urlPassword: text) }
}
