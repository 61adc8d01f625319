import Platform
import Reporting
import SyncModel

import enum Syncmake.ConfigurationPath

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Where the user's configuration is, and its bytes.
struct ConfigurationPlace {
  /// What has named it.
  enum Origin: Equatable { case option, environment, usual }

  let path: String
  let origin: Origin

  /// `nil` if there is none by `--config off` or `SYNCMAKE_CONFIG=off`, or without a home folder.
  init?(option: String?) {
    if let option {
      (path, origin) = (option, .option)
    } else if let named = Environment.text(Self.variable) {
      (path, origin) = (named, .environment)
    } else if let folder = Self.folder {
      (path, origin) = (folder + "/syncmake/config.yaml", .usual)
    } else {
      return nil
    }
    if origin != .usual, path == "off" { return nil }
  }

  static let variable = "SYNCMAKE_CONFIG"

  /// A relative path in the variable counts for nothing, as the XDG Base Directory Specification has it.
  private static var folder: String? {
    if let folder = Environment.text("XDG_CONFIG_HOME"), folder.hasPrefix("/") { return folder }
    return HomePath.home(Environment.text).map { $0 + "/.config" }
  }

  /// A configuration that cannot be used.
  struct Problem: Error {
    var message: String
    var hint: String?
  }

  /// What was read.
  struct Content {
    var bytes: [UInt8]
    var mode: mode_t
    var owner: uid_t
  }

  /// Whether it can be read again: it is no pipe.
  var mayBeReadTwice: Bool {
    if origin == .usual { return true }
    let status = unsafe try? FileStatus(path, in: AT_FDCWD, followingLinks: true)
    return status?.kind == .file
  }

  /// Whether nothing names the file and it is not there.
  var isAbsent: Bool { unsafe origin == .usual && access(path, F_OK) != 0 && errno == ENOENT && !isDangling }

  /// Whether the file, or its folder, is a link that leads nowhere: somebody means to have a configuration.
  private var isDangling: Bool {
    [path, path.folderPath].contains { (place: String) in
      unsafe (try? FileStatus(place, in: AT_FDCWD, followingLinks: false))?.kind == .link
        && (try? FileStatus(place, in: AT_FDCWD, followingLinks: true)) == nil
    }
  }

  /// `nil` if nothing names the file and it is not there; one byte more than `limit` is read.
  func read(limit: Int) throws(Problem) -> Content? {
    do throws(SystemError) {
      // Only a file that is named may be a pipe, whose writer is waited for.
      let flags = O_RDONLY | O_CLOEXEC | (origin == .usual ? O_NONBLOCK : 0)
      let file = Descriptor(owning: try call { unsafe open(path, flags) })
      let status = try FileStatus(file)
      switch status.kind {
      case .file: break
      case .other where origin != .usual: break
      default: throw SystemError(status.kind == .folder ? EISDIR : EINVAL)
      }
      var bytes: [UInt8] = []
      try unsafe file.readBlocks { block in
        unsafe bytes += block
        return bytes.count <= limit
      }
      return Content(bytes: bytes, mode: status.mode, owner: status.owner)
    } catch {
      if origin == .usual, isMissing(error) { return nil }
      throw Problem(
        message: "cannot read the configuration \(path): \(error.text)",
        hint: "--config off and \(Self.variable)=off use none")
    }
  }

  /// A home folder that this user may not search, as with `sudo -u`, has no configuration for them.
  private func isMissing(_ error: SystemError) -> Bool {
    switch error.code {
    case ENOENT, ENOTDIR: return !isDangling
    case EACCES: return unsafe (try? FileStatus(path, in: AT_FDCWD, followingLinks: true)) == nil
    default: return false
    }
  }

  /// Why a file that names programs is not trusted; `nil` if it is.
  ///
  /// Who may write to it decides what this user runs.
  func distrust(_ content: Content) -> Problem? {
    switch FileDistrust(mode: content.mode, owner: content.owner, isNamed: origin != .usual) {
    case .writable?:
      Problem(
        message: "\(path) names programs under \"credentials\", and every user may write to it",
        hint: "chmod o-w \(path)")
    case .foreign?:
      Problem(
        message: "\(path) names programs under \"credentials\", and it belongs to another user",
        hint: "--config \(path) uses it all the same; check it first")
    case nil: nil
    }
  }

  /// The path that the configuration writes as `text`: relative to its folder, or with `~/` at its beginning;
  /// `nil` if that stands for nothing.
  func resolve(_ text: String) -> String? {
    let folder = path.folderPrefix
    return ConfigurationPath.resolve(
      text, in: folder.isEmpty ? "./" : folder, home: HomePath.home(Environment.text))
  }
}
