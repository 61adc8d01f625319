import SyncTestSupport

/// `-- front NAME [to=SERVER] [certificate=KIND] [http2] [also-plain] [fault=FAULT] --`: TLS before a server.
struct FrontSection {
  /// In capitals.
  var name: String
  var server = "BASE"
  var certificate = TestAuthority.Certificate.good
  var speaksHTTP2 = false
  var alsoPlain = false
  var fault: TLSFront.Fault?

  /// Every front of a scenario.
  static func all(of file: ScenarioFile) throws(ScenarioProblem) -> [FrontSection] {
    var fronts: [FrontSection] = []
    for section in file.sections where section.kind == "front" { fronts.append(try FrontSection(section)) }
    return fronts
  }

  private init(_ section: ScenarioFile.Section) throws(ScenarioProblem) {
    var words = WordList(section.arguments, line: section.line)
    if let text = try words.value("to") { server = text.uppercased() }
    if let text = try words.value("certificate") {
      guard let kind = TestAuthority.Certificate(rawValue: text) else {
        throw words.problem("no certificate is called \(text)")
      }
      certificate = kind
    }
    if let text = try words.value("fault") {
      guard let kind = TLSFront.Fault(rawValue: text) else {
        throw words.problem("no fault is called \(text)")
      }
      fault = kind
    }
    speaksHTTP2 = words.flag("http2")
    alsoPlain = words.flag("also-plain")
    name = try words.take("a name").uppercased()
    try words.end()
    guard section.statements.isEmpty else { throw section.problem("it takes no lines") }
  }
}
