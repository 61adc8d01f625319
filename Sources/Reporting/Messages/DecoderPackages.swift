import SyncModel

/// The names of the packages with the libraries of decompression steps.
enum DecoderPackages {
  static func names(_ format: Compression) -> String {
    #if os(Linux)
      switch format {
      case .gzip: "zlib1g on Debian and Ubuntu, zlib elsewhere"
      case .xz: "liblzma5 on Debian and Ubuntu, xz-libs on Fedora, xz elsewhere"
      case .zstd: "libzstd1 on Debian and Ubuntu, libzstd on Fedora, zstd elsewhere"
      case .bzip2: "libbz2-1.0 on Debian and Ubuntu, bzip2-libs on Fedora, bzip2 elsewhere"
      }
    #else
      switch format {
      case .gzip: "brew install zlib"
      case .xz: "brew install xz"
      case .zstd: "brew install zstd"
      case .bzip2: "brew install bzip2"
      }
    #endif
  }
}
