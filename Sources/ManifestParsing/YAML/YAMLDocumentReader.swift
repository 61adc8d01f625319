import SyncModel

/// Reads the one document of a manifest, within the limits of the contract, section 2.
struct YAMLDocumentReader {
  /// The deepest nesting of collections, aliases followed.
  static let maximumDepth = 64
  /// The number of nodes that aliases may expand to in total.
  static let aliasBudget = 1_000_000

  private var builder: YAMLDocument.Builder
  private var anchors: [ByteString: NodeID] = [:]
  private var aliasedNodes = 0
  private var log: DiagnosticLog
  /// The file's name in messages, with its article.
  private let subject: String

  /// Ends the reading: the problem is in the log.
  private struct Stop: Error {}

  /// The document, or `nil` when it could not be read to its end; problems are added to `log`.
  static func read(
    _ source: SourceText, log: inout DiagnosticLog, subject: String = "a manifest"
  ) -> YAMLDocument? {
    var aliasedNodes = 0
    return read(source, log: &log, subject: subject, aliasedNodes: &aliasedNodes)
  }

  /// The same; `aliasedNodes` is how many nodes aliases have made in other documents, and then in this one, too.
  static func read(
    _ source: SourceText, log: inout DiagnosticLog, subject: String = "a manifest", aliasedNodes: inout Int
  ) -> YAMLDocument? {
    // libyaml asserts that there is an address to read from.
    guard unsafe !source.bytes.isEmpty else { return .empty }
    var reader = YAMLDocumentReader(source, log: log, subject: subject)
    reader.aliasedNodes = aliasedNodes
    defer { (log, aliasedNodes) = (reader.log, reader.aliasedNodes) }
    do throws(Stop) {
      return try reader.readStream(source)
    } catch {
      return nil
    }
  }

  private init(_ source: SourceText, log: DiagnosticLog, subject: String) {
    builder = unsafe YAMLDocument.Builder(source.bytes)
    self.log = log
    self.subject = subject
  }

  private mutating func readStream(_ source: SourceText) throws(Stop) -> YAMLDocument {
    var stream = unsafe YAMLEventStream(source.bytes)
    var documents = 0
    var last: (start: YAMLMark, end: YAMLMark)?
    while true {
      let event: YAMLEvent
      do throws(YAMLSyntaxError) {
        event = try stream.next()
      } catch {
        log.add(error, in: source, after: last, inside: builder.openNodes)
        throw Stop()
      }
      last = nil
      if case .scalar(_, isPlain: false) = event.kind { last = (event.start, event.end) }
      if case .documentStart = event.kind {
        documents += 1
        if documents > 1 { throw stop("\(subject) is one document", at: event, hint: "remove the \"---\"") }
      }
      if case .streamEnd = event.kind { return builder.document }
      try take(event)
    }
  }

  private mutating func take(_ event: YAMLEvent) throws(Stop) {
    refuseTag(of: event)
    switch event.kind {
    case .streamStart, .streamEnd, .documentStart, .documentEnd: break
    case .scalar(let text, let isPlain):
      let node = YAMLNode(kind: .scalar, isPlain: isPlain, start: event.start, end: event.end)
      // A guess where all characters before it are single bytes, and never believed without a look.
      unsafe remember(builder.add(node, text, maybeAt: event.startIndex + (isPlain ? 0 : 1)), event)
    case .sequenceStart: try begin(.sequence, event)
    case .mappingStart: try begin(.mapping, event)
    case .sequenceEnd, .mappingEnd: builder.end(at: event.end)
    case .alias(let name): try follow(name, event)
    }
  }

  private mutating func begin(_ kind: YAMLNode.Kind, _ event: YAMLEvent) throws(Stop) {
    guard builder.depth < Self.maximumDepth else {
      throw stop("more than \(Self.maximumDepth) levels of nesting", at: event)
    }
    remember(
      builder.begin(YAMLNode(kind: kind, isFlow: event.isFlow, start: event.start, end: event.end)), event)
  }

  private mutating func remember(_ id: NodeID, _ event: YAMLEvent) {
    guard let anchor = event.anchor else { return }
    anchors[ByteString(anchor)] = id
    builder.noteAnchor()
  }

  private mutating func follow(_ name: String, _ event: YAMLEvent) throws(Stop) {
    guard let id = anchors[ByteString(name)] else {
      let nearest = NearestNameFinder.find(name, among: anchors.keys.map(\.text).sorted())
      log.error(
        "unknown anchor \(Quoting.quoted(name))", at: SourceSpan(event.start, event.end),
        hint: nearest.map { "did you mean \"*\($0)\"?" }
          ?? "an anchor is written &\(name), before its aliases")
      _ = builder.add(YAMLNode(kind: .broken, start: event.start, end: event.end))
      return
    }
    guard !builder.isOpen(id) else {
      log.error("alias \"*\(name)\" stands inside its own anchor", at: SourceSpan(event.start, event.end))
      _ = builder.add(YAMLNode(kind: .broken, start: event.start, end: event.end))
      return
    }
    let (weight, height) = builder.document.extent(of: id, limit: Self.aliasBudget - aliasedNodes)
    aliasedNodes += weight
    guard aliasedNodes <= Self.aliasBudget else {
      throw stop("aliases expand to more than a million nodes", at: event)
    }
    guard builder.depth + height <= Self.maximumDepth else {
      throw stop("more than \(Self.maximumDepth) levels of nesting", at: event)
    }
    builder.attach(id)
  }

  private mutating func refuseTag(of event: YAMLEvent) {
    guard event.tag != nil else { return }
    log.error(
      "tags are not allowed", at: SourceSpan(event.start, event.end),
      hint: "remove the \"!\" and the word after it; every key knows what it wants")
  }

  private mutating func stop(_ message: String, at event: YAMLEvent, hint: String? = nil) -> Stop {
    log.error(message, at: SourceSpan(event.start, event.end), hint: hint)
    return Stop()
  }
}
