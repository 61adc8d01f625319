import SyncModel

/// The names of files as targets.
///
/// Records are found by name, too. So a name belongs to one destination, in every call: with one that counts the files
/// of its call, a file would take the record of another.
enum FileName {
  /// No other name begins so.
  private static let prefix = "file_"

  /// The destination itself, if it can be a name; else one that is made of its bytes.
  static func of(_ file: FileSync) -> String {
    let destination = (try? file.path.text) ?? file.destination
    if TargetName.isValid(destination), !destination.hasPrefix(prefix) { return destination }
    var name = prefix
    for byte in destination.utf8 {
      if TargetName.isPart(byte), byte != UInt8(ascii: "_") {
        name.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        name += byte < 16 ? "_0" : "_"
        name += String(byte, radix: 16)
      }
    }
    return name
  }
}
