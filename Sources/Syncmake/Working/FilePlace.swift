import Execution
import SyncModel

/// What files must have in common to be in one run: root and state folder, in one spelling.
///
/// They are compared as bytes: two spellings of one letter are two folders.
struct FilePlace: Hashable {
  private let root: ByteString
  private let state: ByteString

  init(_ file: FileSync) {
    let root = Self.normal(file.root.isEmpty ? "." : file.root)
    self.root = ByteString(root)
    state = ByteString(file.state.map(Self.normal) ?? "\(root)/.syncmake")
  }

  /// Those of files, of which most have the folders of the one before.
  static func all(_ files: [FileSync]) -> [FilePlace] {
    var last: (file: FileSync, place: FilePlace)?
    return files.map { file in
      if let last, last.file.root.hasSameBytes(as: file.root),
        ByteString(last.file.state ?? "") == ByteString(file.state ?? "")
      {
        return last.place
      }
      let place = FilePlace(file)
      last = (file, place)
      return place
    }
  }

  /// The file's absolute path.
  func path(of destination: RelativePath) -> String { "\(root.text)/\(destination.text)" }

  /// `..` stays: where it leads is not known from the text, since what comes before may be a link.
  private static func normal(_ path: String) -> String {
    path.split(separator: "/").contains("..") ? path : ManifestLocation.absolute(path) ?? path
  }
}
