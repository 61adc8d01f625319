import SyncTestSupport

/// Replaces `{{NAME}}` and `{{md5 DATA}}` in a scenario's text; wildcards are left for ``TextPattern``.
struct Expander {
  /// Addresses and paths: `BASE`, `ROOT` and so on.
  var variables: [String: String]
  /// The definitions of the `data` sections.
  var data: [String: [UInt8]]

  func expand(_ line: SourceLine) throws(ScenarioProblem) -> SourceLine {
    var result = ""
    var rest = line.text[...]
    while let open = rest.range(of: "{{"), let close = rest[open.upperBound...].range(of: "}}") {
      result += rest[..<open.lowerBound]
      let inside = String(rest[open.upperBound..<close.lowerBound])
      result += try value(of: inside, line)
      rest = rest[close.upperBound...]
    }
    return SourceLine(number: line.number, text: result + rest)
  }

  private func value(of inside: String, _ line: SourceLine) throws(ScenarioProblem) -> String {
    if TextPattern.wildcards[inside] != nil || inside == TextPattern.anyLines { return "{{\(inside)}}" }
    if let variable = variables[inside] { return variable }
    var words = try WordList(SourceLine(number: line.number, text: inside))
    let function = try words.take("a name")
    guard !words.isEmpty else { throw line.problem("unknown name {{\(inside)}}") }
    let argument = try words.take("data")
    try words.end()
    switch function {
    case "md5", "sha1", "sha256", "sha512":
      do { return try TestData.digest(function, bytes(argument, line)) } catch {
        throw line.problem("cannot take a digest: \(error)")
      }
    case "size": return String(try bytes(argument, line).count)
    case "upper": return (variables[argument] ?? argument).uppercased()
    case "base64": return base64(Array(argument.utf8))
    default: throw line.problem("unknown function {{\(function) …}}")
    }
  }

  /// The value of this name in the `data` sections.
  func bytes(_ name: String, _ line: SourceLine) throws(ScenarioProblem) -> [UInt8] {
    guard let bytes = data[name] else { throw line.problem("no data called \(name)") }
    return bytes
  }
}
