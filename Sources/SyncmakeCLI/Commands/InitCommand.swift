import ArgumentParser
import Execution
import ForeignManifests
import LocalFiles
import ManifestParsing
import Reporting
import SyncModel

struct InitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Write a first manifest, with comments that explain its keys.",
    usage: "syncmake init [<options>]",
    discussion: """
      Also writes \(FirstManifest.schemaFileName), to which the manifest's first line points: editors then complete, \
      explain and check the keys. Commit both files. An existing manifest is not changed: exit 3.

      --from reads an aria2 input file, a list of URLs, a vendir.yml, a pooch registry, a .dvc file of \
      `dvc import-url`, or a chezmoi externals file. The manifest has a target for each file that it names. What \
      cannot be converted becomes a comment with the reason. Secrets are not copied: they become variables of the \
      environment. If the file cannot be read, nothing is written: exit 3.

      Examples:
        syncmake init                   syncmake.yaml and the schema, here
        syncmake init -C data           the same, in another folder
        syncmake init --no-schema       only the manifest
        syncmake init --from urls.txt   a target for each URL of the list
      """)

  @OptionGroup var place: PlaceOptions
  @OptionGroup var talk: TalkOptions

  @Flag(name: .customLong("no-schema"), help: "Write no schema, and no line that refers to it.")
  var withoutSchema = false

  @Option(
    help: ArgumentHelp("Convert this list of downloads of another program.", valueName: "file"),
    completion: .file())
  var from: String?

  func validate() throws {
    if from == "" { throw ValidationError("--from needs a file's name") }
  }

  func run() throws {
    let style = talk.style
    try place.folder.enter(style)
    if let there = place.existing {
      let text = InitText.alreadyThere(there, place: place.words)
      throw Failure.manifest(text.message, text.hint, style)
    }
    let manifest = place.file ?? "syncmake.yaml"
    let schema = withoutSchema ? nil : Self.beside(manifest, FirstManifest.schemaFileName)
    let conversion = try from.map { try converted($0, manifest, style) }
    let text = conversion?.text ?? FirstManifest.text(withSchema: schema != nil)
    var written: String?
    do throws(FailureCause) {
      // First, so that there is never a manifest that points to nothing.
      if let schema, try hasWritten(schema, style) { written = schema }
      try EditableFile.create(manifest, Array(text.utf8))
    } catch {
      // ENOENT
      let lacksFolder = if case .outputUnwritable(_, .system(2, _)) = error { true } else { false }
      throw Failure.unwritable(
        error, hint: lacksFolder ? "make the folder \(manifest.folderPath) first" : nil, style)
    }
    guard !talk.silent else { return }
    guard let conversion, let from else {
      return Console.out(InitText.done(manifest: manifest, schema: written, place: place.words))
    }
    Console.out(
      InitText.converted(
        manifest: manifest, schema: written, from: from, kind: conversion.kind.name,
        targets: conversion.targetCount, open: conversion.openCount, environment: conversion.environment,
        missing: conversion.missing, place: place.words))
  }

  private func converted(_ path: String, _ manifest: String, _ style: TextStyle) throws -> ForeignConversion {
    guard let source = ManifestLocation(file: path, stateDir: nil, caller: .process),
      let new = ManifestLocation(file: manifest, stateDir: nil, caller: .process)
    else { throw Failure.told(70) }
    let bytes: [UInt8]
    do throws(ManifestLocation.Unreadable) { bytes = try source.read() } catch {
      throw Failure.manifest("cannot read \(path): \(error.text)", nil, style)
    }
    let conversion = ForeignConversion.convert(
      bytes, fileName: path, context: new.context, withSchema: !withoutSchema)
    do throws(ForeignRefusal) { return try conversion.get() } catch {
      Console.err(DiagnosticText.render(error.diagnostics, style: style))
      throw Failure.told(3)
    }
  }

  /// Writes the schema, unless there is a file; `false` if that is another one, which a warning names.
  private func hasWritten(_ path: String, _ style: TextStyle) throws(FailureCause) -> Bool {
    let bytes = Array(ManifestSchema.text.utf8)
    guard EditableFile.exists(path) else {
      try EditableFile.create(path, bytes)
      return true
    }
    if let there = try? EditableFile(reading: path, limit: bytes.count), there.bytes == bytes { return true }
    guard !talk.silent else { return false }
    let text = InitText.otherSchema(path)
    Console.err(MessageText.warning(text.message, hint: text.hint, style: style))
    return false
  }

  private static func beside(_ path: String, _ name: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return name }
    return String(decoding: path.utf8[...slash], as: UTF8.self) + name
  }
}
