import ManifestParsing
import SyncModel

/// A target is added to any manifest: everything else stays, or nothing is changed.
enum ManifestEditCheck {
  static func run(_ input: [UInt8], _ context: ManifestContext) throws(Violation) {
    var addition = TargetAddition(name: "zz-put-in", url: "zz/put-in")
    addition.steps = ["gunzip"]
    let editor: ManifestEditor
    let edit: ManifestEdit
    do throws(ManifestEditFault) {
      editor = try ManifestEditor(input, context: context)
      edit = try editor.adding(addition)
    } catch {
      return
    }
    let after = ManifestParser.parse(edit.bytes, context: context)
    try demand(after.diagnostics.isEmpty, "the manifest has problems afterwards: \(after.diagnostics)")
    try demand(
      after.manifest?.targets.count == editor.manifest.targets.count + 1, "targets came or went")
    try demand(edit.target?.name.text == "zz-put-in" && edit.target?.steps == [.gunzip], "another target")
    try keepsBytes(input, edit.bytes)
  }

  /// Only the braces of an empty mapping may be missing in the new bytes.
  private static func keepsBytes(_ old: [UInt8], _ new: [UInt8]) throws(Violation) {
    let shorter = min(old.count, new.count)
    let start = zip(old, new).prefix { $0 == $1 }.count
    let end = min(zip(old.reversed(), new.reversed()).prefix { $0 == $1 }.count, shorter - start)
    var rest = new[start..<(new.count - end)]
    for byte in old[start..<(old.count - end)] where !"{} \t".utf8.contains(byte) {
      guard let place = rest.firstIndex(of: byte) else { throw Violation("a byte went away: \(byte)") }
      rest = rest[(place + 1)...]
    }
  }
}
