import CLibyaml

/// A libyaml error and its position.
struct YAMLSyntaxError: Error {
  enum Kind {
    case memory
    /// A byte that is not allowed in a manifest; `offset` counts bytes.
    case notUTF8(offset: Int)
    case controlCharacter(UInt32, offset: Int)
    /// libyaml's own words: the missing thing, and what it was reading.
    case grammar(problem: String, context: String?, mark: YAMLMark, contextMark: YAMLMark?)
  }

  var kind: Kind

  init(kind: Kind) { self.kind = kind }

  init(_ parser: yaml_parser_t) {
    let problem = unsafe parser.problem.map { unsafe String(cString: $0) } ?? "unreadable YAML"
    switch unsafe parser.error {
    case YAML_MEMORY_ERROR: kind = .memory
    case YAML_READER_ERROR where problem.hasPrefix("control"):
      kind = unsafe .controlCharacter(
        UInt32(truncatingIfNeeded: parser.problem_value), offset: parser.problem_offset)
    case YAML_READER_ERROR: kind = unsafe .notUTF8(offset: parser.problem_offset)
    default:
      let context = unsafe parser.context.map { unsafe String(cString: $0) }
      kind = unsafe .grammar(
        problem: problem, context: context, mark: YAMLMark(parser.problem_mark),
        contextMark: context == nil ? nil : YAMLMark(parser.context_mark))
    }
  }
}
