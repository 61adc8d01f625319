import SyncModel

/// The name of a key in messages, and the expected form.
struct Want {
  /// The key as the manifest spells it.
  var key: String
  /// A noun with its article, such as `a duration such as 12h`.
  var form: String
  /// How to write it; `nil` if the form is enough.
  var hint: String?
  /// Whether it is a quantity that cannot be 0.
  var isPositive: Bool

  init(_ key: String, _ form: String, hint: String? = nil, isPositive: Bool = false) {
    self.key = key
    self.form = form
    self.hint = hint
    self.isPositive = isPositive
  }

  /// The key in quotes; descriptions have none.
  var shown: String { key.hasPrefix("the ") ? key : "\"\(key)\"" }
}

extension ManifestReader {
  func span(_ id: NodeID) -> SourceSpan {
    let node = document[id]
    return SourceSpan(node.start, node.end, file: home.number)
  }

  func error(_ message: String, at id: NodeID, hint: String? = nil) {
    log.error(message, at: span(id), hint: hint)
  }

  /// `text` for a message: in quotes, secrets masked, cut if it is long.
  func quoted(_ text: String) -> String { Quoting.quoted(variables.mask.mask(text)) }

  /// Says that `id` is not what `want` describes.
  func unwanted(_ id: NodeID, _ want: Want, hint: String? = nil) {
    guard document[id].kind != .broken else { return }
    guard !document.isNull(id) else {
      return error("\(want.shown) has no value, expected \(want.form)", at: id, hint: hint ?? want.hint)
    }
    let lacksBlank =
      document[id].kind == .scalar && want.form.hasPrefix("a mapping")
      && KeyWithoutBlank.begins(document.text(of: id))
    error(
      "\(want.shown) must be \(want.form), not \(describe(id))", at: id,
      hint: hint ?? (lacksBlank ? KeyWithoutBlank.hint() : want.hint))
  }

  /// Says that the text that `id` became is not what `want` describes.
  func unwanted(_ text: String, at id: NodeID, _ want: Want, hint: String? = nil) {
    error("\(want.shown) must be \(want.form), not \(quoted(text))", at: id, hint: hint ?? want.hint)
  }

  private func describe(_ id: NodeID) -> String {
    switch document[id].kind {
    case .scalar: quoted(document.text(of: id))
    case .sequence: "a list"
    case .mapping: "a mapping"
    case .broken: "this"
    }
  }

  func didYouMean(_ text: String, among candidates: [String]) -> String? {
    nearest.find(text, among: candidates).map { "did you mean \"\($0)\"?" }
  }

  /// Says that `key` is missing, unless it is there with a spelling mistake.
  func requireKey<Key>(_ key: String, in fields: Fields<Key>, at place: NodeID, hint: String? = nil) {
    guard !fields.mayHide(key) else { return }
    let node = document[place]
    let span = node.kind == .scalar ? span(place) : SourceSpan(node.start, node.start, file: home.number)
    log.error("\"\(key)\" is missing", at: span, hint: hint)
  }

  /// The position of the bytes `range` of a scalar's text in the file; the whole scalar if that is unclear.
  func span(_ id: NodeID, bytes range: Range<Int>) -> SourceSpan {
    let node = document[id]
    let whole = span(id)
    let quotes = node.isPlain ? 0 : 1
    // Escapes, anchors and folded lines make the text differ from what the file shows.
    let text = document.text(of: id)
    let count = text.unicodeScalars.count
    guard node.start.line == node.end.line, node.end.column - node.start.column == count + 2 * quotes
    else { return whole }
    // One long text may have thousands of problems.
    let bytes = count == text.utf8.count ? [] : Array(text.utf8)
    func scalars(_ end: Int) -> Int {
      guard !bytes.isEmpty else { return min(end, count) }
      return String(decoding: bytes[..<min(end, bytes.count)], as: UTF8.self).unicodeScalars.count
    }
    let first = whole.column + quotes
    return SourceSpan(
      line: whole.line, column: first + scalars(range.lowerBound),
      endColumn: first + scalars(range.upperBound), file: whole.file)
  }
}
