/// The variables that every manifest has: `${os}` and `${arch}`, named as most publishers name their files.
///
/// A matrix key or an entry of `vars` with the same name replaces them.
package enum BuiltInVariables {
  /// Their names, without `${` and `}`.
  package static let names = ["os", "arch"]

  /// `linux` or `macos`.
  package static let os: String = {
    #if os(macOS)
      "macos"
    #else
      "linux"
    #endif
  }()

  /// `x86_64` or `aarch64`; of the program, which an emulator may run on another processor.
  package static let arch: String = {
    #if arch(x86_64)
      "x86_64"
    #elseif arch(arm64)
      "aarch64"
    #else
      "unknown"
    #endif
  }()

  /// `nil` for every other name.
  static func value(of name: String) -> ExpandedText? {
    switch name {
    case "os": ExpandedText(text: os)
    case "arch": ExpandedText(text: arch)
    default: nil
    }
  }
}
