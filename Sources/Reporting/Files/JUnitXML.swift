package import SyncModel

/// The file that `--junit` writes: each target is a test case, in manifest order.
///
/// The format has no single definition. The file has what the readers of GitHub, GitLab and Jenkins share: counts
/// and seconds on every level, a body in every `failure` and `skipped`, and the manifest's line. A failure of an
/// optional target is `skipped`, since it does not fail the run.
package struct JUnitXML: RunReport {
  private let header: RunHeader
  private var secrets: SecretMask { header.manifest.secrets }

  /// For a run that is about to begin.
  package init(_ header: RunHeader) { self.header = header }

  /// Nothing: all is written at the end, from the results alone.
  package mutating func handle(_ event: RunEvent, at now: Duration) -> String { "" }

  /// The whole document.
  package mutating func finish(_ end: RunEnd, at now: Duration) -> String {
    let results = end.results.sorted { $0.id < $1.id }
    let own = end.failure == nil ? 0 : 1
    let counts: XMLWriter.Attributes = [
      "tests": "\(results.count + own)", "failures": "\(results.count(where: \.isHardFailure) + own)",
      "errors": "0", "skipped": "\(results.count(where: \.isPassedOver))", "time": Self.seconds(end.duration),
    ]
    var xml = XMLWriter()
    xml.open("testsuites", ["name": "syncmake"], counts)
    xml.open(
      "testsuite", ["name": header.manifestPath, "timestamp": header.time.rfc3339], counts)
    for result in results { write(result, &xml) }
    if let failure = end.failure { write(failure, &xml) }
    xml.close("testsuite")
    xml.close("testsuites")
    return xml.text
  }

  /// A failure that belongs to no target is a test case of the run.
  private func write(_ failure: FailureCause, _ xml: inout XMLWriter) {
    let message = "\(failure.code.rawValue): \(FailureText.message(failure, secrets: secrets))"
    xml.open(
      "testcase",
      ["classname": className, "name": "syncmake", "file": header.manifestPath, "line": "1", "time": "0.000"])
    xml.element("failure", ["message": message, "type": failure.code.rawValue], message)
    xml.close("testcase")
  }

  private func write(_ result: TargetResult, _ xml: inout XMLWriter) {
    let target = header.manifest[result.id]
    let attributes: XMLWriter.Attributes = [
      "classname": className, "name": secrets.mask(result.name.text),
      "file": header.path(of: target.span),
      "line": "\(target.span.line)", "time": Self.seconds(result.duration),
    ]
    xml.open("testcase", attributes)
    if let failure = result.failure {
      let code = failure.code.rawValue
      let message = FailureText.message(failure, secrets: secrets)
      let report = FailureReport(
        name: result.name, failure: failure, target: target, isOptional: result.isOptional
      ).render(TextStyle(), header.manifest)
      if result.isOptional {
        xml.element("skipped", ["message": "optional: \(code): \(message)"], report)
      } else {
        xml.element("failure", ["message": "\(code): \(message)", "type": code], report)
      }
    } else if let why = ResultWording.detail(result, secrets: secrets) {
      if result.outcome == .skipped {
        xml.element("skipped", ["message": why], why)
      } else {
        let code = result.reason.map { "\($0.code.rawValue): " } ?? ""
        xml.element("system-out", [:], "\(result.outcome.rawValue): \(code)\(why)\n")
      }
    }
    xml.close("testcase")
  }

  private var className: String { Self.className(header.manifestPath) }

  /// `assets/syncmake.yaml` as `assets.syncmake`: readers that know classes show packages.
  static func className(_ path: String) -> String {
    let end = [".yaml", ".yml"].first(where: path.hasSuffix).map { path.utf8.count - $0.utf8.count }
    let stem = String(Substring(path.utf8.prefix(end ?? path.utf8.count)))
    return stem.split(separator: "/").filter { $0 != "." && $0 != ".." }.joined(separator: ".")
  }

  /// With three decimals.
  private static func seconds(_ duration: Duration) -> String {
    let ms = Quantity.milliseconds(duration)
    return "\(ms / 1000).\(pad(Int(ms % 1000), 3))"
  }
}

extension TargetResult {
  /// A failure that fails the run.
  var isHardFailure: Bool { self.outcome == .failed && !self.isOptional }

  /// Neither good nor a failure of the run.
  var isPassedOver: Bool { self.outcome == .skipped || self.outcome == .failed && self.isOptional }
}

/// Writes XML 1.0 whose texts are harmless in a log, too.
struct XMLWriter {
  typealias Attributes = KeyValuePairs<String, String>

  private(set) var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
  private var depth = 0

  mutating func open(_ name: String, _ attributes: Attributes, _ more: Attributes = [:]) {
    begin(name, attributes, more)
    text += ">\n"
    depth += 1
  }

  mutating func close(_ name: String) {
    depth -= 1
    text += "\(indent)</\(name)>\n"
  }

  /// An element with text; its lines are kept, each made harmless.
  mutating func element(_ name: String, _ attributes: Attributes, _ body: String) {
    begin(name, attributes, [:])
    let lines = body.split(separator: "\n").map { Self.escaped(String($0)) }
    text += ">\(lines.joined(separator: "\n"))</\(name)>\n"
  }

  private var indent: String { String(repeating: "  ", count: depth) }

  private mutating func begin(_ name: String, _ attributes: Attributes, _ more: Attributes) {
    text += "\(indent)<\(name)"
    for (key, value) in attributes { text += " \(key)=\"\(Self.escaped(value))\"" }
    for (key, value) in more { text += " \(key)=\"\(Self.escaped(value))\"" }
  }

  /// Also `>`, so that no `]]>` remains; characters that XML 1.0 does not allow (its production 2) are spelt out.
  private static func escaped(_ text: String) -> String {
    var out = ""
    for scalar in CleanText.clean(text).unicodeScalars {
      switch scalar {
      case "&": out += "&amp;"
      case "<": out += "&lt;"
      case ">": out += "&gt;"
      case "\"": out += "&quot;"
      case "\u{FFFE}", "\u{FFFF}": out += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out
  }
}
