import SyncModel

/// The names of the packages with the libraries that are loaded at first use.
enum LibraryPackages {
  /// Of the library that unpacks `format`.
  static func names(_ format: Compression) -> String {
    switch format {
    case .gzip: system(linux: "zlib1g on Debian and Ubuntu, zlib elsewhere", brew: "zlib")
    case .xz: system(linux: "liblzma5 on Debian and Ubuntu, xz-libs on Fedora, xz elsewhere", brew: "xz")
    case .zstd:
      system(linux: "libzstd1 on Debian and Ubuntu, libzstd on Fedora, zstd elsewhere", brew: "zstd")
    case .bzip2:
      system(linux: "libbz2-1.0 on Debian and Ubuntu, bzip2-libs on Fedora, bzip2 elsewhere", brew: "bzip2")
    }
  }

  /// Of the library in the file `name`, such as `libcurl.so.4`; `nil` for an unknown one.
  static func names(_ name: String) -> String? {
    switch name.prefix(while: { $0 != "." }) {
    case "libcurl": system(linux: "libcurl4 on Debian and Ubuntu, libcurl on Fedora and Alpine", brew: "curl")
    case "libarchive":
      system(linux: "libarchive13 on Debian and Ubuntu, libarchive elsewhere", brew: "libarchive")
    case "libexpat": system(linux: "libexpat1 on Debian and Ubuntu, expat elsewhere", brew: "expat")
    case "libcrypto":
      system(
        linux: "libssl3 on Debian and Ubuntu, openssl-libs on Fedora, openssl elsewhere", brew: "openssl")
    case "libsqlite3":
      system(
        linux: "libsqlite3-0 on Debian and Ubuntu, sqlite-libs on Fedora and Alpine, sqlite elsewhere",
        brew: "sqlite")
    default: nil
    }
  }

  private static func system(linux: String, brew: String) -> String {
    #if os(Linux)
      linux
    #else
      "brew install \(brew)"
    #endif
  }
}
