import CLibyaml

/// libyaml's parser over bytes that outlive it.
@safe struct YAMLEventStream: ~Copyable {
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let isReady: Bool
  /// The last one, whose texts libyaml holds.
  private var event = unsafe yaml_event_t()

  /// `bytes` must not move while the stream exists, and have no byte order mark.
  init(_ bytes: UnsafeRawBufferPointer) {
    unsafe parser = .allocate(capacity: 1)
    unsafe parser.initialize(to: yaml_parser_t())
    isReady = unsafe yaml_parser_initialize(parser) == 1
    guard isReady else { return }
    // Told, not guessed: libyaml would take UTF-16 too.
    unsafe yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    let start = unsafe bytes.bindMemory(to: UInt8.self).baseAddress
    unsafe yaml_parser_set_input_string(parser, start, start == nil ? 0 : bytes.count)
  }

  deinit {
    var last = unsafe event
    unsafe yaml_event_delete(&last)
    unsafe yaml_parser_delete(parser)
    unsafe parser.deallocate()
  }

  /// The next event, whose text is valid until the next call; there is none after ``YAMLEvent/Kind/streamEnd`` or an
  /// error.
  mutating func next() throws(YAMLSyntaxError) -> YAMLEvent {
    guard isReady else { throw YAMLSyntaxError(kind: .memory) }
    unsafe yaml_event_delete(&event)
    guard unsafe yaml_parser_parse(parser, &event) == 1 else { throw unsafe YAMLSyntaxError(parser.pointee) }
    return unsafe .reading(event)
  }
}

/// A place as libyaml counts: line and column from 0, columns in Unicode scalars.
struct YAMLMark: Equatable {
  // A manifest is small enough for half of an `Int`, and each node has two marks.
  private let row: Int32
  private let place: Int32

  var line: Int { Int(row) }
  var column: Int { Int(place) }

  init(line: Int = 0, column: Int = 0) { (row, place) = (Int32(clamping: line), Int32(clamping: column)) }
}

extension YAMLMark {
  init(_ mark: yaml_mark_t) { self.init(line: mark.line, column: mark.column) }
}

/// One event with what the reader needs of it.
struct YAMLEvent {
  @safe enum Kind {
    case streamStart, streamEnd, documentStart, documentEnd
    case scalar(text: UnsafeBufferPointer<UInt8>, isPlain: Bool)
    case sequenceStart, sequenceEnd, mappingStart, mappingEnd
    case alias(String)
  }

  var kind: Kind
  var anchor: String?
  /// Whether it begins a collection written in braces or brackets.
  var isFlow = false
  /// The resolved tag, or `nil` if none is written.
  var tag: String?
  var start: YAMLMark
  var end: YAMLMark
  /// How many characters stand before it.
  var startIndex: Int

  /// A function that puts it together at its end: what an initialiser fills, it copies when it is done.
  static func reading(_ event: yaml_event_t) -> YAMLEvent {
    let kind: Kind
    var isFlow = false
    var names: (anchor: UnsafeMutablePointer<yaml_char_t>?, tag: UnsafeMutablePointer<yaml_char_t>?) = (
      nil, nil
    )
    switch unsafe event.type {
    case YAML_SCALAR_EVENT:
      let scalar = unsafe event.data.scalar
      let bytes = unsafe UnsafeBufferPointer(start: scalar.value, count: scalar.length)
      kind = unsafe .scalar(text: bytes, isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE)
      unsafe names = unsafe (scalar.anchor, scalar.tag)
    case YAML_SEQUENCE_START_EVENT:
      kind = .sequenceStart
      isFlow = unsafe event.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE
      unsafe names = (event.data.sequence_start.anchor, event.data.sequence_start.tag)
    case YAML_MAPPING_START_EVENT:
      kind = .mappingStart
      isFlow = unsafe event.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
      unsafe names = (event.data.mapping_start.anchor, event.data.mapping_start.tag)
    case YAML_ALIAS_EVENT: kind = unsafe .alias(text(event.data.alias.anchor) ?? "")
    case YAML_SEQUENCE_END_EVENT: kind = .sequenceEnd
    case YAML_MAPPING_END_EVENT: kind = .mappingEnd
    case YAML_DOCUMENT_START_EVENT: kind = .documentStart
    case YAML_DOCUMENT_END_EVENT: kind = .documentEnd
    case YAML_STREAM_START_EVENT: kind = .streamStart
    default: kind = .streamEnd
    }
    return unsafe YAMLEvent(
      kind: kind, anchor: text(names.anchor), isFlow: isFlow, tag: text(names.tag),
      start: YAMLMark(event.start_mark), end: YAMLMark(event.end_mark), startIndex: event.start_mark.index)
  }

  private static func text(_ pointer: UnsafeMutablePointer<yaml_char_t>?) -> String? {
    unsafe pointer.map { unsafe String(cString: $0) }
  }
}
