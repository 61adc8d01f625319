import Execution
import ManifestParsing
import Platform
import Reporting
import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The policy that the command line asks for.
enum PolicyFile {
  /// Reads it; every problem is printed, and the exit status is 3. `nil` for a manifest that is trusted.
  static func policy(_ options: PolicyOptions, _ style: TextStyle, _ ci: CIPlatform?) throws -> RunPolicy? {
    guard let path = options.policy else { return options.untrusted ? RunPolicy() : nil }
    let bytes: [UInt8]
    do throws(SystemError) { bytes = try read(path) } catch {
      throw Failure.manifest("cannot read the policy \(path): \(error.text)", nil, style, ci)
    }
    let parse = PolicyParser.parse(bytes, fileName: path)
    guard let policy = parse.policy else {
      Console.err(DiagnosticText.render(parse.diagnostics, style: style))
      ci.annotate(parse.diagnostics)
      throw Failure.told(3)
    }
    return RunPolicy(policy, from: bytes, of: path)
  }

  /// One byte more than the limit at most; it may be a pipe.
  private static func read(_ path: String) throws(SystemError) -> [UInt8] {
    let file = Descriptor(owning: try call { unsafe open(path, O_RDONLY | O_CLOEXEC) })
    if try FileStatus(file).kind == .folder { throw SystemError(EISDIR) }
    var bytes: [UInt8] = []
    try unsafe file.readBlocks { block in
      unsafe bytes += block
      return bytes.count <= PolicyParser.maximumSize
    }
    return bytes
  }

  /// A warning if the policy is in the checkout that it judges, whose change may have written it.
  ///
  /// `path` is as given, `places` its real path and those of the folders in which it has links.
  static func warning(_ path: String, at places: [String], root: String) -> Diagnostic? {
    warning(path, at: places, root: root, "the policy is in the checkout that it judges")
  }

  /// The same of a configuration, which could name programs.
  static func warning(ofConfiguration path: String, root: String) -> Diagnostic? {
    guard let place = RealPath.of(path) else { return nil }
    return warning(
      path, at: [place] + linkFolders(of: path), root: root,
      "the configuration is in the checkout that is not trusted")
  }

  private static func warning(
    _ path: String, at places: [String], root: String, _ what: String
  ) -> Diagnostic? {
    guard places.contains(where: { Checkout.holds($0, of: root) }) else { return nil }
    return Diagnostic(
      severity: .warning, file: path, message: what + ", where a change can edit it",
      hint: "take it from the base branch, or from the runner")
  }

  /// The folders in which a part of `path` is a link; their real paths.
  static func linkFolders(of path: String) -> [String] {
    let bytes = path.utf8
    return bytes.indices.compactMap { end in
      let next = bytes.index(after: end)
      guard bytes[end] != UInt8(ascii: "/"), next == bytes.endIndex || bytes[next] == UInt8(ascii: "/") else {
        return nil
      }
      var buffer: CChar = 0
      guard unsafe readlink(String(decoding: bytes[..<next], as: UTF8.self), &buffer, 1) >= 0 else {
        return nil
      }
      let slash = bytes[..<next].lastIndex(of: UInt8(ascii: "/"))
      return RealPath.of(slash.map { String(decoding: bytes[...$0], as: UTF8.self) } ?? ".")
    }
  }

  /// Programs are not looked for in the checkout of an untrusted manifest, or in relative folders, from now on, by helpers
  /// neither; `root` is `nil` without a checkout.
  static func leavePrograms(in root: String?) {
    guard let path = Environment.text("PATH") else { return }
    Environment.set("PATH", Checkout.searchPath(path, outside: root))
  }

  /// Forgets the home folder and that of configurations if they are in the checkout of an untrusted manifest: what is in
  /// them may be from the change under test, and could name programs. Returns what was forgotten, as warnings.
  static func leaveHomes(in root: String) -> [Diagnostic] {
    ["HOME", "XDG_CONFIG_HOME"].filter { name in
      guard let path = Environment.text(name).flatMap(RealPath.of) else { return false }
      return Checkout.holds(path, of: root)
    }.map { name in
      Environment.remove(name)
      return Diagnostic(
        severity: .warning, file: name,
        message: "the folder is in the checkout that is not trusted: it counts as not set",
        hint: "set \(name) to a folder of the runner's")
    }
  }
}
