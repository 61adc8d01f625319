import ManifestParsing
import Planning
import Platform
package import SyncModel

/// A manifest that was read, and the workspace of an operation on it.
package struct OpenedManifest: Sendable {
  /// `nil` if the manifest has errors.
  package internal(set) var workspace: Workspace?
  /// All errors and warnings, in the order of their places.
  package internal(set) var diagnostics: [Diagnostic]
  private let libraries: EarlyLibraries?
  /// What it takes to read it again once its lists and values are known; `nil` for a manifest without.
  private var source: Source?
  /// What the user's configuration adds.
  private var hosts = HostLimits()
  private var routes = RequestRoutes()
  /// How many machines share the limits for hosts.
  private var machines = 1
  /// What is known of the values of outputs.
  var values = ValueStates()

  private struct Source {
    var location: ManifestLocation
    /// The signature of the manifest's file; `nil` if it is not watched.
    var seen: FileSignature?
    var bytes: [UInt8]
    var variables: AskedVariables
    /// The key of a snapshot's sums; `nil` if there is to be none.
    var key: ByteSum.Key?
  }

  /// Reads and parses the manifest at `location`.
  ///
  /// `mayLeaveSnapshot` is for a run that may write a snapshot. If only `open` are to be run, the manifest may hold
  /// only these targets. With `text` there is no file: that is its content. Throws if the file cannot be read.
  package init(
    _ location: ManifestLocation, text: [UInt8]? = nil, mayLeaveSnapshot: Bool = false,
    only open: OpenTargets? = nil
  ) throws(ManifestLocation.Unreadable) {
    // A stranger's manifest is run as it was judged, within the limits that have begun.
    let isWatched = text == nil && location.caller.ownsProcess && location.caller.policy == nil
    let seen = isWatched ? location.signature : nil
    let bytes = if let text { text } else { try location.read() }
    if let open, let manifest = location.manifest(of: open, in: bytes) {
      var workspace = Workspace(manifest, at: location, seen)
      workspace.open = open
      self.init(workspace, [], nil)
      return
    }
    if location.caller.ownsProcess { HeapAhead.expect(manifestOf: bytes.count) }
    let libraries =
      mayLeaveSnapshot ? EarlyLibraries(statePath: location.place.state, manifestSize: bytes.count) : nil
    let variables = AskedVariables(location.caller)
    var context = location.context(environment: variables.value)
    let key = mayLeaveSnapshot ? location.snapshotKey() : nil
    // Nobody edits a text that is in no file.
    context.outlineKey = text == nil ? key : nil
    let parse = ManifestParser.parse(bytes, context: context)
    guard var manifest = parse.manifest else {
      self.init(nil, parse.diagnostics, libraries)
      return
    }
    for password in location.caller.proxyPasswords { manifest.secrets.add(urlPassword: password) }
    var workspace = Workspace(manifest, at: location, seen)
    // The masking depends on the secrets, and a snapshot must not contain anything of them.
    // With lists or values it is read once more: see ``rest(on:)``.
    if let key, manifest.secrets.isEmpty, !manifest.isExpandable {
      workspace.basis = SnapshotBasis(
        premises: location.premises(of: manifest, from: bytes, key, variables.values, []),
        outline: manifest.mayHoldCredentials ? nil : parse.outline)
    }
    self.init(workspace, parse.diagnostics, libraries)
    if manifest.isExpandable {
      source = Source(location: location, seen: seen, bytes: bytes, variables: variables, key: key)
    }
  }

  private init(_ workspace: Workspace?, _ diagnostics: [Diagnostic], _ libraries: EarlyLibraries?) {
    self.workspace = workspace
    self.diagnostics = diagnostics
    self.libraries = libraries
  }

  /// Adds what the user's configuration says: limits for hosts, and secrets that become known later.
  package mutating func take(hosts: HostLimits, _ routes: RequestRoutes) {
    let secrets = routes.laterSecrets
    guard hosts != HostLimits() || secrets != nil else { return }
    (self.hosts, self.routes) = (hosts, routes)
    guard var manifest = workspace?.manifest else { return }
    manifest.hosts = manifest.hosts.combined(with: hosts)
    if let secrets { manifest.secrets.later = secrets }
    workspace?.manifest = manifest
  }

  /// Leaves this run its part of the limits for hosts, which so many `machines` share; call it after
  /// ``take(hosts:_:)``, and once.
  package mutating func divideHosts(among machines: Int) {
    guard machines > 1 else { return }
    self.machines = machines
    guard let hosts = workspace?.manifest.hosts else { return }
    workspace?.manifest.hosts = hosts.share(of: machines)
  }

  /// The same manifest with a target for each of these entries, and with the ``values`` that are known; itself if it has
  /// no list and no value.
  func expanded(by lists: ListedEntries) -> OpenedManifest {
    guard let source else { return self }
    var context = source.location.context(environment: source.variables.value)
    context.outlineKey = source.key
    context.lists = lists
    context.values = values.known
    let parse = ManifestParser.parse(source.bytes, context: context)
    var workspace = parse.manifest.map { Workspace($0, at: source.location, source.seen) }
    for password in source.location.caller.proxyPasswords {
      workspace?.manifest.secrets.add(urlPassword: password)
    }
    workspace?.take(values)
    var opened = OpenedManifest(workspace, parse.diagnostics, libraries)
    opened.source = source
    opened.values = values
    opened.take(hosts: hosts, routes)
    opened.divideHosts(among: machines)
    return opened
  }

  /// Lets a snapshot be made, which rests on what the lists have said, too; `nil` where there are none.
  ///
  /// The values of outputs are no premise: the snapshot has the outputs.
  mutating func rest(on lists: AskedLists?) {
    // A warning is given each time. A list may be another one with another value, which is not known when it is asked.
    guard let source, let key = source.key, let manifest = workspace?.manifest, manifest.secrets.isEmpty,
      diagnostics.isEmpty, manifest.templates.isEmpty || manifest.values.isEmpty,
      let sums = lists.map({ $0.sums(key) }) ?? []
    else { return }
    workspace?.basis = SnapshotBasis(
      premises: source.location.premises(
        of: manifest, from: source.bytes, key, source.variables.values, sums), outline: nil)
  }

  /// Waits for libraries that are being loaded; call it before the process exits.
  package func finish() { libraries?.finish() }
}

extension Workspace {
  fileprivate init(_ manifest: Manifest, at location: ManifestLocation, _ seen: FileSignature?) {
    var manifest = manifest
    manifest.policy = location.caller.policy?.origin
    if let limit = location.caller.policy?.policy.limits.file { manifest.limitFiles(to: limit) }
    self.init(
      manifest: manifest, graph: TargetGraph(manifest), at: location.place)
    files = seen.map { ManifestFiles(of: manifest, at: location, $0) }
  }
}
