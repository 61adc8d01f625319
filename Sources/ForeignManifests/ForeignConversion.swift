package import ManifestParsing
import SyncModel

/// A first manifest, made of what another program keeps as its list of downloads.
package struct ForeignConversion: Sendable {
  /// The manifest, which the parser has accepted.
  package var text: String
  /// What the foreign file is.
  package var kind: ForeignKind
  /// The number of targets.
  package var targetCount: Int
  /// How many comments say that something is not converted.
  package var openCount: Int
  /// The environment variables in place of secrets.
  package var environment: [String]
  /// The variable that a person must fill in; `nil` if there is none.
  package var missing: String?

  /// The largest foreign file in bytes: that of a manifest.
  package static let maximumSize = ManifestParser.maximumSize

  /// Reads `bytes`, those of the file `fileName`.
  ///
  /// `context` is that of the manifest to be written. The environment is not asked, so that the same file gives the same
  /// manifest everywhere.
  package static func convert(
    _ bytes: [UInt8], fileName: String, context: ManifestContext, withSchema: Bool
  ) -> Result<ForeignConversion, ForeignRefusal> {
    do throws(ForeignFault) {
      return .success(try conversion(bytes, fileName, context, withSchema))
    } catch {
      return .failure(ForeignRefusal(error, fileName, bytes))
    }
  }

  private static func conversion(
    _ bytes: [UInt8], _ fileName: String, _ given: ManifestContext, _ withSchema: Bool
  ) throws(ForeignFault) -> ForeignConversion {
    let (manifest, kind) = try read(bytes, fileName, manifestName: given.fileName)
    var context = given
    context.environment = { _ in nil }
    var draft = ManifestDraft(manifest, kind, fileName: fileName, withSchema: withSchema)
    guard let text = draft.validText(context) else {
      throw ForeignFault("no valid manifest can be made of it")
    }
    return ForeignConversion(
      text: text, kind: kind, targetCount: draft.targetCount, openCount: draft.openCount,
      environment: draft.environment, missing: draft.usesBase ? ForeignAddition.base : nil)
  }

  // MARK: Reading

  private static func read(
    _ bytes: [UInt8], _ fileName: String, manifestName: String
  ) throws(ForeignFault) -> (ForeignManifest, ForeignKind) {
    guard bytes.count <= maximumSize else { throw ForeignFault("it is longer than 64 MiB") }
    let text = try ForeignText(bytes)
    guard text.lines.contains(where: \.isContent) else {
      throw ForeignFault("there is nothing in it", hint: wanted)
    }
    let named = ForeignKind(ofName: fileName)
    guard let kind = named ?? ForeignKind(ofLines: text) else {
      let root = try document(text, bytes, fileName, nil)
      guard let kind = ForeignKind(ofDocument: root) else { throw unknown }
      return (try read(root, kind, fileName, manifestName), kind)
    }
    let manifest =
      switch kind {
      case .aria2: try Aria2Reader.read(text)
      case .pooch: PoochReader.read(text)
      case .urls: URLListReader.read(text)
      case .vendir, .dvc, .chezmoi:
        try read(try document(text, bytes, fileName, kind), kind, fileName, manifestName)
      }
    return (manifest, kind)
  }

  private static func read(
    _ root: DataNode, _ kind: ForeignKind, _ fileName: String, _ manifestName: String
  ) throws(ForeignFault) -> ForeignManifest {
    let folder = Folders.folder(of: fileName, from: manifestName)
    let manifest =
      switch kind {
      case .dvc: DVCReader.read(root, folder: folder)
      case .vendir: VendirReader.read(root, folder: folder)
      default: ChezmoiReader.read(root)
      }
    guard !manifest.items.isEmpty else {
      throw ForeignFault("\(kind.name) has entries, and here are none", at: root.span)
    }
    return manifest
  }

  /// The document of YAML, JSON or TOML; `kind` is what the file's name says.
  private static func document(
    _ text: ForeignText, _ bytes: [UInt8], _ fileName: String, _ kind: ForeignKind?
  ) throws(ForeignFault) -> DataNode {
    if kind == nil || kind == .chezmoi { try refuseTemplate(text) }
    let name = fileName.lowercased().with("", for: ".tmpl")
    let first = text.lines.first(where: \.isContent)?.text.utf8.first
    if name.hasSuffix(".toml") || kind == nil && first == UInt8(ascii: "[") {
      return try TOMLSubset.read(text)
    }
    let subject = kind?.name ?? "such a file"
    let (node, problems) = DataNode.read(bytes, fileName: fileName, subject: subject)
    if let node { return node }
    let isMeant = kind != nil || [".yml", ".yaml", ".json"].contains { name.hasSuffix($0) }
    throw isMeant ? ForeignFault(diagnostics: problems) : unknown
  }

  /// Lines of a template are neither YAML nor TOML.
  private static func refuseTemplate(_ text: ForeignText) throws(ForeignFault) {
    guard let line = text.lines.first(where: { $0.trimmed.hasPrefix("{{") }) else { return }
    let place = line.text.utf8.prefix { $0 == 0x20 || $0 == 0x09 }.count
    throw ForeignFault(
      "this is a template", at: ForeignText.span(line.number, line.text, place),
      hint: "`chezmoi execute-template < FILE > NEW` replaces templates by their values; convert NEW")
  }

  private static var unknown: ForeignFault {
    ForeignFault("--from does not know this kind of file", hint: wanted)
  }

  private static var wanted: String {
    let names = ForeignKind.allCases.map(\.name)
    return "it reads \(names.dropLast().joined(separator: ", ")) and \(names.last ?? "")"
  }
}
