package import SyncModel

/// Writes targets into a manifest that a person maintains: all other bytes stay the same.
///
/// Pure: bytes in, bytes out. The manifest's parser has read every result, and the result has every old key and
/// value unchanged.
package struct ManifestEditor {
  private let bytes: [UInt8]
  private let context: ManifestContext
  /// ``bytes``, with an empty `targets` appended if they have none.
  private let reading: Reading

  /// A manifest's bytes as a tree.
  private struct Reading {
    var document: YAMLDocument
    var variables: [(name: String, text: String)]
    var manifest: Manifest
  }

  /// Takes a valid manifest; only `targets` may be missing.
  package init(_ bytes: [UInt8], context: ManifestContext) throws(ManifestEditFault) {
    self.bytes = bytes
    self.context = context
    let parse = Self.read(bytes, context)
    let completed = parse.reading ?? Self.read(Self.withEmptyTargets(bytes), context).reading
    guard let completed, !bytes.isEmpty else { throw .invalid(parse.diagnostics) }
    reading = completed
  }

  /// The present manifest; without a target if it has no `targets`.
  package var manifest: Manifest { reading.manifest }

  /// `url` with the variable in place of its beginning whose value that is; the longest value wins.
  ///
  /// A URL that already contains a variable stays unchanged, and a secret variable replaces nothing.
  package func shortened(_ url: String) -> String {
    guard Template.isPlain(url) else { return url }
    let fitting = reading.variables.filter { $0.text.holds("://") && Self.isBeginning($0.text, of: url) }
    guard let best = fitting.max(by: { $0.text.utf8.count < $1.text.utf8.count }) else { return url }
    return "${\(best.name)}" + String(decoding: url.utf8.dropFirst(best.text.utf8.count), as: UTF8.self)
  }

  /// Whether `value` ends at the end of a part of `url`.
  private static func isBeginning(_ value: String, of url: String) -> Bool {
    guard url.utf8.starts(with: value.utf8) else { return false }
    let next = url.utf8.dropFirst(value.utf8.count).first
    return value.utf8.last == UInt8(ascii: "/") || next == nil || next == UInt8(ascii: "/")
  }

  /// The manifest with `addition` as its last target.
  package func adding(_ addition: TargetAddition) throws(ManifestEditFault) -> ManifestEdit {
    if let target = manifest.targets.first(where: { $0.name.text == addition.name }) {
      throw .nameTaken(target.span)
    }
    if let template = manifest.templates.first(where: { $0.list.template == addition.name }) {
      throw .nameTaken(template.list.span)
    }
    if let waiting = manifest.waiting.first(where: { $0.name.text == addition.name }) {
      throw .nameTaken(waiting.span)
    }
    if let group = manifest.groups.first(where: { $0.name.text == addition.name }) {
      throw .nameTaken(group.span)
    }
    let places = try TargetInsertion.places(for: addition, in: bytes, reading.document)
    var problems: [Diagnostic] = []
    for place in places {
      let new = place.applied(to: bytes)
      let parse = Self.read(new, context)
      if problems.isEmpty { problems = parse.diagnostics }
      guard let after = parse.reading, Self.isKept(reading.document, in: after.document, addition.name) else {
        continue
      }
      return ManifestEdit(
        bytes: new, text: place.shownText, target: try target(of: addition, in: after.manifest),
        manifest: after.manifest)
    }
    throw problems.isEmpty ? .noPlace : .invalid(problems)
  }

  /// The target that `addition` became in `manifest`: for a list the one that asks for it; `nil` if a value or an entry
  /// decides what it is.
  ///
  /// A target that only needs one that waits is as it would be without its needs.
  private func target(of addition: TargetAddition, in manifest: Manifest) throws(ManifestEditFault) -> Target?
  {
    if let target = manifest.targets.first(where: { $0.name.text == addition.name }) { return target }
    if let template = manifest.templates.first(where: { $0.list.template == addition.name }) {
      return template.asker(TargetID(0))
    }
    guard !addition.needs.isEmpty else { return nil }
    var alone = addition
    alone.needs = []
    return try adding(alone).target
  }

  // MARK: Reading

  private static func read(_ bytes: [UInt8], _ context: ManifestContext) -> (
    reading: Reading?, diagnostics: [Diagnostic]
  ) {
    let parse = ManifestParser.parse(bytes, context: context)
    guard let manifest = parse.manifest else { return (nil, parse.diagnostics) }
    return unsafe bytes.withUnsafeBytes { raw in
      var log = DiagnosticLog()
      guard let document = unsafe YAMLDocumentReader.read(SourceText(raw), log: &log) else {
        return (nil, [])
      }
      document.keepTexts()
      let reader = ManifestReader(document: document, context: context, log: log)
      _ = reader.read()
      return (
        Reading(document: document, variables: reader.variables.plainValues, manifest: manifest),
        []
      )
    }
  }

  /// Only for reading: if `targets` is missing or empty, the rest may be valid.
  private static func withEmptyTargets(_ bytes: [UInt8]) -> [UInt8] {
    let keyEnd = unsafe bytes.withUnsafeBytes { raw -> Int? in
      var log = DiagnosticLog()
      var source = unsafe SourceText(raw)
      guard let document = YAMLDocumentReader.read(source, log: &log),
        let targets = TargetInsertion.targets(in: document), document.isNull(targets.value)
      else { return nil }
      return unsafe source.offset(document[targets.key].end) + (bytes.count - source.bytes.count)
    }
    guard let keyEnd, let colon = bytes[keyEnd...].firstIndex(of: UInt8(ascii: ":")) else {
      return bytes + Array("\ntargets: {}\n".utf8)
    }
    return Array(bytes[...colon]) + Array(" {}".utf8) + Array(bytes[(colon + 1)...])
  }

  // MARK: Nothing else may change

  /// Whether `new` is `old` with one more entry, `name`, after those of `targets`.
  private static func isKept(_ old: YAMLDocument, in new: YAMLDocument, _ name: String) -> Bool {
    guard let before = TargetInsertion.targets(in: old), let after = TargetInsertion.targets(in: new),
      let oldRoot = old.root, let newRoot = new.root
    else { return false }
    let comparison = TreeComparison(old: old, new: new)
    let oldRest = old.children(of: oldRoot).filter { $0 != before.key && $0 != before.value }
    let newRest = new.children(of: newRoot).filter { $0 != after.key && $0 != after.value }
    let (oldTargets, newTargets) = (old.children(of: before.value), new.children(of: after.value))
    guard newTargets.count == oldTargets.count + 2, let added = newTargets.suffix(2).first,
      new.text(of: added) == name
    else { return false }
    return comparison.areEqual(oldRest[...], newRest[...])
      && comparison.areEqual(oldTargets, newTargets.dropLast(2))
  }
}

/// A manifest with one more target.
package struct ManifestEdit: Sendable {
  /// Of the whole file.
  package var bytes: [UInt8]
  /// The lines that were put in, LF at their ends, as the file indents them.
  package var text: String
  /// As the parser reads it; for a list the one that asks for it. `nil` if it uses a value that only a run knows.
  package var target: Target?
  /// The whole, as the parser reads it.
  package var manifest: Manifest
}

/// Why nothing can be put in.
package enum ManifestEditFault: Error {
  /// The manifest, or its edited form, has these errors.
  case invalid([Diagnostic])
  /// A target or a group at this place has the name.
  case nameTaken(SourceSpan)
  /// No line can be inserted because of the form of `targets`; `line` is its position, `text` has the lines to add
  /// by hand.
  case unusualForm(TargetsForm, line: Int, text: String)
  /// Wherever it was put, something else would change.
  case noPlace
}

/// Compares parts of two documents by content, without positions.
private struct TreeComparison {
  let old: YAMLDocument
  let new: YAMLDocument

  func areEqual(_ a: ArraySlice<NodeID>, _ b: ArraySlice<NodeID>) -> Bool {
    a.count == b.count && zip(a, b).allSatisfy { areEqual($0, $1) }
  }

  /// Within the limits on nesting and aliases that both documents were read with.
  private func areEqual(_ a: NodeID, _ b: NodeID) -> Bool {
    let (x, y) = (old[a], new[b])
    return x.kind == y.kind && x.isPlain == y.isPlain && old.text(of: a).hasSameBytes(as: new.text(of: b))
      && areEqual(old.children(of: a), new.children(of: b))
  }
}
