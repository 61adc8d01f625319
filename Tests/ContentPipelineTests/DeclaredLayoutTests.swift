import Foundation
import SyncTestSupport
import Testing

/// The shims' declarations of libraries that are loaded by name, compared with the libraries' own headers.
@Suite struct DeclaredLayoutTests {
  struct Library: CustomStringConvertible, Sendable {
    var shim: String
    var headers: [String]
    /// Ours, theirs, and the fields that are used.
    var structures: [(String, String, [String])]
    /// Ours and theirs.
    var numbers: [(String, String)]

    var description: String { headers[0] }

    /// A file that compiles if all of them agree, or if a header is not installed.
    var check: String {
      var lines = ["#include <stddef.h>", "#include \"declared.h\""]
      for header in headers { lines += ["#if !__has_include(<\(header)>)", "#error no header", "#endif"] }
      lines += headers.map { "#include <\($0)>" }
      for (ours, theirs, fields) in structures {
        lines.append("_Static_assert(sizeof(\(ours)) == sizeof(\(theirs)), \"size of \(ours)\");")
        lines += fields.map {
          "_Static_assert(offsetof(\(ours), \($0)) == offsetof(\(theirs), \($0)), \"\($0) of \(ours)\");"
        }
      }
      lines += numbers.map { "_Static_assert((int)\($0) == (int)\($1), \"\($0)\");" }
      return lines.joined(separator: "\n") + "\n"
    }
  }

  static let libraries = [
    Library(
      shim: "CDecoderShim", headers: ["lzma.h"],
      structures: [
        (
          "struct declared_lzma_stream", "lzma_stream",
          ["next_in", "avail_in", "next_out", "avail_out", "allocator", "internal"]
        ),
        (
          "struct declared_lzma_mt", "lzma_mt",
          ["flags", "threads", "timeout", "memlimit_threading", "memlimit_stop"]
        ),
      ],
      numbers: [
        ("declared_lzma_ok", "LZMA_OK"), ("declared_lzma_stream_end", "LZMA_STREAM_END"),
        ("declared_lzma_unsupported_check", "LZMA_UNSUPPORTED_CHECK"),
        ("declared_lzma_mem_error", "LZMA_MEM_ERROR"),
        ("declared_lzma_memlimit_error", "LZMA_MEMLIMIT_ERROR"),
        ("declared_lzma_format_error", "LZMA_FORMAT_ERROR"),
        ("declared_lzma_options_error", "LZMA_OPTIONS_ERROR"),
        ("declared_lzma_data_error", "LZMA_DATA_ERROR"), ("declared_lzma_buf_error", "LZMA_BUF_ERROR"),
        ("declared_lzma_run", "LZMA_RUN"), ("declared_lzma_finish", "LZMA_FINISH"),
        ("declared_lzma_tell_unsupported_check", "LZMA_TELL_UNSUPPORTED_CHECK"),
      ]),
    Library(
      shim: "CDecoderShim", headers: ["zstd.h", "zstd_errors.h"],
      structures: [
        ("struct declared_zstd_in", "ZSTD_inBuffer", ["src", "size", "pos"]),
        ("struct declared_zstd_out", "ZSTD_outBuffer", ["dst", "size", "pos"]),
      ],
      numbers: [
        ("declared_zstd_reset_session_only", "ZSTD_reset_session_only"),
        ("declared_zstd_d_window_log_max", "ZSTD_d_windowLogMax"),
        ("declared_zstd_error_memory_allocation", "ZSTD_error_memory_allocation"),
      ]),
    Library(
      shim: "CDecoderShim", headers: ["bzlib.h"],
      structures: [
        (
          "struct declared_bz_stream", "bz_stream",
          ["next_in", "avail_in", "next_out", "avail_out", "state", "bzalloc", "bzfree", "opaque"]
        )
      ],
      numbers: [
        ("declared_bz_ok", "BZ_OK"), ("declared_bz_stream_end", "BZ_STREAM_END"),
        ("declared_bz_mem_error", "BZ_MEM_ERROR"), ("declared_bz_data_error", "BZ_DATA_ERROR"),
        ("declared_bz_data_error_magic", "BZ_DATA_ERROR_MAGIC"),
      ]),
    Library(
      shim: "CIsalShim", headers: ["isa-l/igzip_lib.h"],
      structures: [
        (
          "struct declared_inflate_state", "struct inflate_state",
          [
            "next_out", "avail_out", "next_in", "avail_in", "lit_huff_code", "dist_huff_code", "block_state",
            "crc_flag", "count", "tmp_in_buffer", "tmp_out_buffer",
          ]
        ),
        (
          "struct declared_isal_gzip_header", "struct isal_gzip_header",
          ["text", "extra", "name", "comment", "hcrc", "flags"]
        ),
      ],
      numbers: [
        ("declared_isal_block_finish", "ISAL_BLOCK_FINISH"),
        ("declared_isal_gzip_no_hdr_ver", "ISAL_GZIP_NO_HDR_VER"),
        ("declared_isal_decomp_ok", "ISAL_DECOMP_OK"),
        ("declared_isal_invalid_block", "ISAL_INVALID_BLOCK"),
        ("declared_isal_invalid_symbol", "ISAL_INVALID_SYMBOL"),
        ("declared_isal_invalid_lookback", "ISAL_INVALID_LOOKBACK"),
        ("declared_isal_invalid_wrapper", "ISAL_INVALID_WRAPPER"),
        ("declared_isal_unsupported_method", "ISAL_UNSUPPORTED_METHOD"),
        ("declared_isal_incorrect_checksum", "ISAL_INCORRECT_CHECKSUM"),
      ]),
  ]

  private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")

  private static func compile(_ text: String, _ shim: String) throws -> ProcessResult {
    let folder = try TemporaryFolder()
    try folder.write(Array(text.utf8), to: "check.c")
    return try runProcess(
      "/usr/bin/env",
      ["cc", "-fsyntax-only", "-I", sources.appending(path: shim).path, folder.path("check.c")])
  }

  /// Whether there is a C compiler, and the library's headers for it.
  private static func canCheck(_ library: Library) -> Bool {
    let text = library.headers.map { "#include <\($0)>\n" }.joined()
    return (try? compile("#include <stddef.h>\n" + text, library.shim))?.status == 0
  }

  @Test(arguments: libraries) func `the shim's declarations agree with the library's header`(
    _ library: Library
  ) throws {
    guard Self.canCheck(library) else {
      print("left out, since \(library) is not installed")
      return
    }
    let result = try Self.compile(library.check, library.shim)
    #expect(result.status == 0, "\(result.stderr)")
  }
}
