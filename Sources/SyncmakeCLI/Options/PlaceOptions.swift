import ArgumentParser
import Execution
import LocalFiles
import Reporting

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The folder in which a command works.
struct FolderOptions: ParsableArguments {
  @Option(
    name: [.customShort("C", allowingJoined: true), .customLong("directory")],
    help: ArgumentHelp("Change to this folder first; may be repeated.", valueName: "dir"),
    completion: .directory)
  var directory: [String] = []

  func validate() throws {
    if directory.contains("") { throw ValidationError("-C needs a folder's name") }
  }

  /// Changes to the folders that `-C` names; one that cannot be entered ends in status 3.
  func enter(_ style: TextStyle, _ ci: CIPlatform? = nil) throws {
    for directory in directory where unsafe chdir(directory) != 0 {
      throw Failure.manifest(
        unsafe "cannot change to \(directory): \(String(cString: strerror(errno)))", nil, style, ci)
    }
  }

  /// The current folder as the caller's shell or make would name it: the value of `-C`, or `.`.
  var enteredFolder: String {
    directory.reduce(".") { $1 == "." ? $0 : $1.hasPrefix("/") || $0 == "." ? $1 : "\($0)/\($1)" }
  }
}

/// The place of an existing or new manifest.
struct PlaceOptions: ParsableArguments {
  @OptionGroup var folder: FolderOptions

  @Option(
    name: [.customShort("f", allowingJoined: true), .customLong("file")],
    help: ArgumentHelp("The manifest (default: syncmake.yaml, then syncmake.yml).", valueName: "file"),
    completion: .file())
  var file: String?

  /// The manifest that is there: the one named, else one of the two that are looked for.
  var existing: String? {
    (file.map { [$0] } ?? ManifestLocation.fileNames).first(where: EditableFile.exists)
  }

  /// The options as they were given, for a hint to another command.
  var words: String {
    ShellText.words(folder.directory.flatMap { ["-C", $0] } + (file.map { ["-f", $0] } ?? []))
  }

  func validate() throws {
    if file == "" { throw ValidationError("-f needs a file's name") }
  }
}
