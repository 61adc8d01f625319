import Execution
import ManifestParsing
import Planning
import Reporting
import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A manifest that was found and read, ready to be worked with.
struct Project {
  var workspace: Workspace
  var style: TextStyle
  var verbosity: Verbosity

  var manifest: Manifest { workspace.manifest }
  var secrets: SecretMask { workspace.manifest.secrets }

  /// Changes folder, finds and reads the manifest; every problem is printed, and ends in status 3.
  init(_ options: ProjectOptions) throws {
    style = TextStyle(colour: Surroundings.wantsColour(options.color), width: Console.columns)
    verbosity = options.silent ? .silent : options.verbose ? .verbose : .normal
    for directory in options.directory where chdir(directory) != 0 {
      throw Failure.manifest("cannot change to \(directory): \(String(cString: strerror(errno)))", nil, style)
    }
    let path = try Self.find(options.file, style)
    let slash = path.lastIndex(of: "/")
    let root = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
    let statePath = options.stateDir ?? (root == "." ? ".syncmake" : root + "/.syncmake")
    let parse = ManifestParser.parse(
      try Self.read(path, style),
      context: ManifestContext(
        fileName: path,
        reservedPaths: [name, "syncmake.lock", ".syncmake"] + Self.inside(root, statePath),
        environment: Surroundings.variable))
    if !parse.diagnostics.isEmpty { Console.err(DiagnosticText.render(parse.diagnostics, style: style)) }
    guard var manifest = parse.manifest else { throw Failure.told(3) }
    for password in Surroundings.proxyPasswords { manifest.secrets.add(password) }
    workspace = Workspace(
      manifest: manifest, graph: TargetGraph(manifest), rootPath: root, statePath: statePath,
      stateMayBeLink: options.stateDir != nil)
  }

  /// The targets that the command line means; an unknown name ends in status 3.
  func select(_ selection: SelectionOptions) throws -> [TargetID] {
    try select(names: selection.targets, tags: selection.tag)
  }

  func select(names: [String], tags: [String] = []) throws -> [TargetID] {
    do {
      return try Selection.resolve(names: names, tags: tags, manifest: manifest, graph: workspace.graph)
    } catch {
      throw Failure.unknown(error, manifest, style)
    }
  }

  /// The targets themselves that these names mean, without what they need; for `-o` and `-W`.
  func members(_ names: [String]) throws -> Set<TargetID> {
    guard !names.isEmpty else { return [] }
    do {
      return Set(try Selection.named(names, in: manifest))
    } catch {
      throw Failure.unknown(error, manifest, style)
    }
  }

  private static func find(_ file: String?, _ style: TextStyle) throws -> String {
    if let file { return file }
    for name in ["syncmake.yaml", "syncmake.yml"] where access(name, F_OK) == 0 { return name }
    throw Failure.manifest(
      "there is no syncmake.yaml here", "write one, or name another with -f FILE or -C DIR", style)
  }

  /// The manifest's bytes, one more than the parser takes at the most: it then says so itself.
  private static func read(_ path: String, _ style: TextStyle) throws -> [UInt8] {
    var descriptor: Int32
    repeat { descriptor = open(path, O_RDONLY | O_CLOEXEC) } while descriptor < 0 && errno == EINTR
    guard descriptor >= 0 else {
      throw Failure.manifest("cannot read \(path): \(String(cString: strerror(errno)))", nil, style)
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 256 << 10)
    while bytes.count <= ManifestParser.maximumSize {
      let count = systemRead(descriptor, &block, block.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        throw Failure.manifest("cannot read \(path): \(String(cString: strerror(errno)))", nil, style)
      }
      if count == 0 { break }
      bytes += block[..<count]
    }
    return bytes
  }

  /// The state folder relative to the root, where it lies inside it: no output may be in there.
  private static func inside(_ root: String, _ statePath: String) -> [String] {
    guard let root = absolute(root), let state = absolute(statePath), state.hasPrefix(root + "/") else {
      return []
    }
    return [String(Substring(state.utf8.dropFirst(root.utf8.count + 1)))]
  }

  /// `path` without `.` and `..`, from `/` on; `nil` where there is no current folder.
  private static func absolute(_ path: String) -> String? {
    var parts: [Substring] = []
    if !path.hasPrefix("/") {
      guard let here = getcwd(nil, 0) else { return nil }
      defer { free(here) }
      parts = String(cString: here).split(separator: "/").map { Substring(String($0)) }
    }
    for part in path.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
  }
}

private func systemRead(_ descriptor: Int32, _ block: inout [UInt8], _ count: Int) -> Int {
  block.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, count) }
}
