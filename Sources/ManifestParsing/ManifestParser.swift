package import SyncModel

/// Reads a manifest (contract, section 2).
package enum ManifestParser {
  /// The largest manifest in bytes: 64 MiB.
  package static let maximumSize = 64 << 20

  /// Reads `bytes` as a manifest; never fails otherwise than by diagnostics, whatever the bytes are.
  package static func parse(_ bytes: [UInt8], context: ManifestContext) -> ManifestParse {
    unsafe bytes.withUnsafeBytes { unsafe parse($0, context: context) }
  }

  /// Reads `bytes`, which must not change while the call lasts, as a manifest.
  package static func parse(_ bytes: UnsafeRawBufferPointer, context: ManifestContext) -> ManifestParse {
    guard bytes.count <= maximumSize else { return .tooLarge(context) }
    var source = unsafe SourceText(bytes)
    var log = DiagnosticLog()
    var manifest: Manifest?
    var secrets = SecretMask()
    var outline: ManifestOutline?
    var absences = DiagnosticLog()
    var expandedSize = 0
    var files: IncludedFiles?
    if let document = YAMLDocumentReader.read(source, log: &log) {
      // Else the reader alone holds the document, and frees it before it makes the targets.
      let outlined = context.outlineKey == nil ? nil : document
      var reader = ManifestReader(document: document, context: context, log: log)
      manifest = reader.read()
      // Each reading leaves out at least one template or target more.
      while let excluded = reader.exclusionsToRepeat {
        reader = ManifestReader(document: reader.document, context: context, log: log, excluded: excluded)
        manifest = reader.read()
      }
      log = reader.log
      if let manifest { context.policy?.check(manifest, &log) }
      absences = reader.lists.absences
      secrets = reader.secrets
      expandedSize = reader.variables.bytesMade
      files = reader.ownedFiles
      if log.isEmpty, manifest?.isExpandable == false, files == nil,
        // Of one that reads outputs, a few changed targets do not tell whether their order still holds.
        !reader.readsOutputs, let outlined,
        let key = context.outlineKey
      {
        var maker = OutlineMaker(outlined, source, key)
        outline = maker.outline()
        outline?.expandedSize = expandedSize
      }
    }
    if !log.isEmpty { Self.blameMerge(in: source, files, &log) }
    func place(_ file: Int, _ line: Int?) -> (name: String, line: String?) {
      guard file > 0, let files else { return (context.fileName, line.flatMap { source.line($0) }) }
      return (files.fileName(file), line.flatMap { files.line($0, of: file) })
    }
    let diagnostics = log.diagnostics(secrets: secrets, place)
    var parse = ManifestParse(
      manifest: diagnostics.isEmpty ? manifest : nil, diagnostics: diagnostics, outline: outline)
    parse.expandedSize = expandedSize
    if parse.manifest != nil {
      parse.diagnostics = absences.diagnostics(secrets: secrets, place)
      for index in parse.diagnostics.indices { parse.diagnostics[index].severity = .warning }
    }
    return parse
  }

  /// An incomplete merge reads as nonsense; if there are markers, only they are reported.
  private static func blameMerge(
    in source: SourceText, _ files: IncludedFiles?, _ log: inout DiagnosticLog
  ) {
    func marks(_ source: SourceText, isFirst: Bool) -> DiagnosticLog {
      var marks = DiagnosticLog()
      ConflictMarkers.report(
        in: source, &marks,
        hint: isFirst ? "keep what is right of both sides, and take the marks out" : nil)
      return marks
    }
    var all = marks(source, isFirst: true)
    for (index, file) in (files?.files ?? []).enumerated() {
      let isFirst = all.isEmpty
      unsafe file.bytes.withUnsafeBytes {
        all.add(unsafe marks(SourceText($0), isFirst: isFirst), ofFile: index + 1)
      }
    }
    if !all.isEmpty { log = all }
  }
}

/// The outside facts that reading a manifest needs.
package struct ManifestContext: Sendable {
  /// The file's name as diagnostics show it, such as `syncmake.yaml`.
  package var fileName: String
  /// How its user named it, for commands in messages.
  package var place = CommandPlace()
  /// The value of an environment variable; `nil` if it is not set.
  package var environment: @Sendable (String) -> String?
  /// The manifest, the lock file and the state folder, relative to the root; no output may equal one of them, be
  /// inside or contain one. Absolute paths and paths outside the root reserve nothing.
  package var reservedPaths: [String]
  /// The key for the sums of the manifest's outline; `nil` if no outline is wanted. A manifest with `list` or `include`
  /// has none.
  package var outlineKey: ByteSum.Key?
  /// Where row files come from; `nil` if there are none.
  package var rowFiles: RowFileReading?
  /// Where included manifests come from; `nil` if there are none.
  package var included: IncludeReading?
  /// Where `${secret:file:PATH}` comes from; `nil` if there are no files.
  package var secretFile: SecretFileReading?
  /// The root's own path, without links, for sources by an absolute path; `nil` if there is none.
  package var root: (@Sendable () -> String?)?
  /// What an untrusted manifest may do; `nil` for one that is trusted.
  package var policy: ManifestPolicy?
  /// The selected entries of the lists that are known.
  package var lists = ListedEntries()
  /// The values of targets' outputs that are known; wrong ones are found only after a reading without any.
  package var values = KnownValues()
  /// Looks at a POSIX extended regular expression; `nil` takes each as it is.
  package var lookAtPattern: (@Sendable (String) -> PatternFinding)?

  /// `fileName` is only shown in messages; `environment` returns `nil` for a variable that is not set.
  package init(
    fileName: String = "syncmake.yaml",
    reservedPaths: [String] = ["syncmake.yaml", "syncmake.lock", ".syncmake"],
    environment: @escaping @Sendable (String) -> String?
  ) {
    self.fileName = fileName
    self.reservedPaths = reservedPaths
    self.environment = environment
  }
}

/// What a look at a POSIX extended regular expression finds.
package enum PatternFinding: Sendable, Equatable {
  /// It can be used, and has so many groups.
  case groups(Int)
  /// It cannot be used; the text is the C library's.
  case invalid(String)
}

/// A manifest, or its errors.
package struct ManifestParse: Sendable {
  /// `nil` exactly if ``diagnostics`` has an error.
  package var manifest: Manifest?
  /// Every problem, in the order of the file.
  package var diagnostics: [Diagnostic]
  /// `nil` if it was not requested, or the text's layout allows none.
  package var outline: ManifestOutline?
  /// The number of bytes that variables added to the values; at most ``mostExpanded``.
  package var expandedSize = 0

  /// A manifest of which variables make more bytes is refused.
  package static let mostExpanded = Variables.totalBudget

  /// `manifest` is `nil` exactly if a diagnostic is an error.
  package init(manifest: Manifest?, diagnostics: [Diagnostic], outline: ManifestOutline? = nil) {
    self.manifest = manifest
    self.diagnostics = diagnostics
    self.outline = outline
  }

  fileprivate static func tooLarge(_ context: ManifestContext) -> ManifestParse {
    let problem = Diagnostic(file: context.fileName, message: "a manifest has at most 64 MiB")
    return ManifestParse(manifest: nil, diagnostics: [problem])
  }
}
