import ArgumentParser
import LocalFiles
import ManifestParsing
import Reporting
import SyncModel

struct InitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Write a first manifest, with comments that explain its keys.",
    discussion: """
      Also writes \(FirstManifest.schemaFileName), to which the manifest's first line points: editors then complete, \
      explain and check the keys. Commit both files. An existing manifest is not changed: exit 3.

      Examples:
        syncmake init                   syncmake.yaml and the schema, here
        syncmake init -C data           the same, in another folder
        syncmake init --no-schema       only the manifest
      """)

  @OptionGroup var place: PlaceOptions
  @OptionGroup var talk: TalkOptions

  @Flag(name: .customLong("no-schema"), help: "Write no schema, and no line that refers to it.")
  var withoutSchema = false

  func run() throws {
    let style = talk.style
    try place.enter(style)
    if let there = place.existing {
      let text = InitText.alreadyThere(there)
      throw Failure.manifest(text.message, text.hint, style)
    }
    let manifest = place.file ?? "syncmake.yaml"
    let schema = withoutSchema ? nil : Self.beside(manifest, FirstManifest.schemaFileName)
    do throws(FailureCause) {
      // First, so that there is never a manifest that points to nothing.
      if let schema { try writeSchema(schema, style) }
      try EditableFile.create(manifest, Array(FirstManifest.text(withSchema: schema != nil).utf8))
    } catch {
      throw Failure.unwritable(error, style)
    }
    if !talk.silent { Console.out(InitText.done(manifest: manifest, schema: schema)) }
  }

  private func writeSchema(_ path: String, _ style: TextStyle) throws(FailureCause) {
    let bytes = Array(ManifestSchema.text.utf8)
    guard EditableFile.exists(path) else { return try EditableFile.create(path, bytes) }
    if let there = try? EditableFile(reading: path, limit: bytes.count), there.bytes == bytes { return }
    guard !talk.silent else { return }
    let text = InitText.otherSchema(path)
    Console.err(MessageText.warning(text.message, hint: text.hint, style: style))
  }

  private static func beside(_ path: String, _ name: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return name }
    return String(decoding: path.utf8[...slash], as: UTF8.self) + name
  }
}
