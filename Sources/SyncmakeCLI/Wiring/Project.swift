import Execution
import ManifestParsing
import Planning
import Platform
import Reporting
import SyncModel

/// A manifest that was found and read, ready to be worked with.
struct Project {
  var workspace: Workspace
  /// For what goes to standard error.
  var style: TextStyle
  /// For results, which go to standard output.
  var outStyle: TextStyle
  var verbosity: Verbosity
  /// The current folder as the caller's shell or make would name it: the value of `-C`, or `.`.
  let enteredFolder: String
  let ci: CIPlatform?
  /// Held until the command ends.
  private let libraries: EarlyLibraries?

  var manifest: Manifest { workspace.manifest }
  var secrets: SecretMask { workspace.manifest.secrets }

  /// Changes folder, finds and reads the manifest; every problem is printed, and the exit status is 3.
  ///
  /// `mayLeaveSnapshot` is for a run that may write a snapshot. Problems are annotated at the manifest's lines if
  /// `ci` supports it. If only `open` are to be run, the manifest may hold only these targets.
  init(
    _ options: ProjectOptions, mayLeaveSnapshot: Bool = false, only open: OpenTargets? = nil,
    ci: CIPlatform? = .detected
  ) throws {
    self.ci = ci
    style = Console.errStyle(options.color)
    outStyle = Console.outStyle(options.color)
    verbosity = options.silent ? .silent : options.verbose ? .verbose : .normal
    let given = options.place
    try given.enter(style, ci)
    enteredFolder = given.enteredFolder
    guard let place = ManifestLocation(file: given.file, stateDir: options.stateDir) else {
      throw Failure.noManifest(given, style, ci)
    }
    if let why = place.stateObjection {
      throw Failure.usage(
        "\(place.statePath) cannot be the state folder: \(why)",
        hint: "choose a new folder or an empty one", style)
    }
    let bytes: [UInt8]
    do throws(ManifestLocation.Unreadable) { bytes = try place.read() } catch {
      throw Failure.manifest("cannot read \(place.path): \(error.text)", nil, style, ci)
    }
    if let open, let manifest = place.manifest(of: open, in: bytes) {
      libraries = nil
      workspace = Workspace(
        manifest: manifest, graph: TargetGraph(manifest), rootPath: place.root, statePath: place.statePath,
        stateMayBeLink: place.stateMayBeLink)
      workspace.open = open
      return
    }
    HeapAhead.expect(manifestOf: bytes.count)
    libraries =
      mayLeaveSnapshot ? EarlyLibraries(statePath: place.statePath, manifestSize: bytes.count) : nil
    let variables = AskedVariables()
    var context = ManifestContext(
      fileName: place.path, reservedPaths: place.reservedPaths, environment: variables.value)
    context.outlineKey = mayLeaveSnapshot ? place.snapshotKey() : nil
    let parse = ManifestParser.parse(bytes, context: context)
    if !parse.diagnostics.isEmpty {
      Console.err(DiagnosticText.render(parse.diagnostics, style: style))
      ci.annotate(parse.diagnostics)
    }
    guard var manifest = parse.manifest else { throw Failure.told(3) }
    for password in Environment.proxyPasswords { manifest.secrets.add(urlPassword: password) }
    workspace = Workspace(
      manifest: manifest, graph: TargetGraph(manifest), rootPath: place.root, statePath: place.statePath,
      stateMayBeLink: place.stateMayBeLink)
    // The masking depends on the secrets, and a snapshot must not contain anything of them.
    if let key = context.outlineKey, manifest.secrets.isEmpty {
      let outline = manifest.mayHoldCredentials ? nil : parse.outline
      workspace.basis = SnapshotBasis(
        premises: place.premises(of: bytes, key, variables.values), outline: outline)
    }
  }

  /// Waits for background work of the command; call it before the program exits from inside.
  func finish() { libraries?.finish() }

  /// The targets of the command line; an unknown name exits with status 3.
  func select(_ selection: SelectionOptions) throws -> [TargetID] {
    try select(names: selection.targets, tags: selection.tag)
  }

  func select(names: [String], tags: [String] = []) throws -> [TargetID] {
    do {
      return try Selection.resolve(names: names, tags: tags, manifest: manifest, graph: workspace.graph)
    } catch {
      throw Failure.unknown(error, manifest, style, ci)
    }
  }

  /// The targets with these names, without their dependencies; for `-o` and `-W`.
  func members(_ names: [String]) throws -> Set<TargetID> {
    guard !names.isEmpty else { return [] }
    do {
      return Set(try Selection.named(names, in: manifest))
    } catch {
      throw Failure.unknown(error, manifest, style, ci)
    }
  }
}
