import ManifestParsing
import Planning
import Reporting
import SyncModel

/// Any bytes as a lock file: there is one answer, its text is harmless, and a valid lock is rewritten as it was
/// read.
enum LockCheck {
  static func run(_ input: [UInt8]) throws(Violation) {
    let parse = LockFileParser.parse(input, fileName: "syncmake.lock")
    try demand((parse.lock == nil) == !parse.diagnostics.isEmpty, "\(parse.diagnostics.count) problems")
    let shown = DiagnosticText.render(parse.diagnostics, style: TextStyle())
    if let harm = Harm.found(in: shown) { throw Violation(harm) }
    for problem in parse.diagnostics {
      try demand((problem.span?.line ?? 1) >= 1 && (problem.span?.column ?? 1) >= 1, "\(problem)")
      try demand(!problem.message.isEmpty, "no words")
    }
    guard let lock = parse.lock else { return }
    try demand(Set(parse.places.keys) == Set(lock.pins.keys), "a target without a place")
    for (name, pin) in lock.pins { try sound(name, pin) }
    let written = Array(LockFileText.render(lock).utf8)
    let again = LockFileParser.parse(written, fileName: "syncmake.lock")
    try demand(again.lock == lock, "it is read otherwise than it was written")
    try demand(Array(LockFileText.render(lock).utf8) == written, "two texts for one lock")
    try demand(LockRenewal.changes(from: lock, to: lock).isEmpty, "it differs from itself")
  }

  private static func sound(_ name: TargetName, _ pin: Pin) throws(Violation) {
    try demand(TargetName.isValid(name.text), "the name \(name)")
    switch pin.source {
    case .urls(let urls):
      try demand(!urls.isEmpty && !urls.contains(""), "\(name) has no URL")
      try demand(pin.download != nil, "\(name) has no download")
    case .target: try demand(pin.download == nil, "\(name) has a download")
    }
    try demand(pin.output.size >= 0 && pin.output.sha256.text.utf8.count == 64, "\(name)'s output")
  }
}
