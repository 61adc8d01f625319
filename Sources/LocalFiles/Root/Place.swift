import Platform
import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// An output's path, split by bytes as the system does it.
///
/// `Character`s are unsuitable: a slash before a combining mark is not equal to a slash, and two spellings of one
/// name are equal as strings but not as files.
struct Place {
  /// The folders from the root down.
  let parents: [String]
  let name: String
  /// The parents' path, to compare it by.
  let parentBytes: [UInt8]

  init(_ path: RelativePath) {
    let bytes = path.text.utf8
    let parts = bytes.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
    parents = parts.dropLast()
    name = parts.last ?? ""
    parentBytes = bytes.lastIndex(of: UInt8(ascii: "/")).map { Array(bytes[..<$0]) } ?? []
  }

  /// The path of the parent at `index`, from the root.
  func path(ofParent index: Int) -> String { parents[...index].joined(separator: "/") }
}

/// Why a place in the root was not reached.
enum WalkError: Error {
  /// It, or a folder on the way, is not there.
  case missing
  case fault(PathFault)

  init(_ error: SystemError) {
    self = error.code == ENOENT ? .missing : .fault(error.fault)
  }

  /// The failure for `path`: a link or folder by its name, and the system's refusal in the words of `subject`, by
  /// default for an output that is written.
  func cause(_ path: RelativePath, as subject: FailureSubject? = nil) -> FailureCause {
    let subject = subject ?? .output(path.text)
    return switch self {
    case .missing: subject.cause(SystemError(ENOENT))
    // A full disk always has its own code.
    case .fault(.system(let code, _)): subject.cause(SystemError(code))
    case .fault(let fault): .outputUnwritable(path: path.text, fault)
    }
  }
}
