import SyncModel

@testable import Reporting

/// Failures of compressed bytes and archives, and of the libraries that read them.
extension FailureCase {
  static let unpacking: [FailureCase] = [
    FailureCase(
      .corrupt(Corruption(.gzip, offset: 0, text: "no gzip header")),
      "not valid gzip at byte 0: no gzip header",
      "the download is not gzip, maybe it is a web page: open the URL, or remove the gunzip step"),
    FailureCase(
      .corrupt(Corruption(.gzip, offset: 4096, text: "wrong checksum")),
      "not valid gzip at byte 4096: wrong checksum",
      "the published file is damaged: look for another copy, or tell its publisher"),
    FailureCase(
      .corrupt(Corruption(.gzip, offset: 4096, text: "wrong checksum", step: 1)),
      "not valid gzip at step 2 at byte 4096: wrong checksum",
      "the published file is damaged: look for another copy, or tell its publisher"),
    FailureCase(
      .corrupt(Corruption(.xz, offset: 4096, text: "wrong checksum")),
      "not valid xz at byte 4096: wrong checksum",
      "the published file is damaged: look for another copy, or tell its publisher"),
    FailureCase(
      .corrupt(Corruption(.zstd, offset: 1, text: "not zstd data")),
      "not valid zstd at byte 1: not zstd data",
      "the download is not zstd, maybe it is a web page: open the URL, or remove the unzstd step"),
    FailureCase(
      .archive(.leavesFolder, entry: "../x"),
      #"the archive is not safe: the entry "../x": its name has a part "..""#,
      #"if nobody needs this entry, `exclude: ["/../x"]` in `unpack` skips it"#),
    FailureCase(
      .archive(.controlCharacter(0), entry: "a"),
      #"the archive is not safe: the entry "a": its name or target has a NUL byte"#,
      #"if nobody needs this entry, `exclude: ["/a"]` in `unpack` skips it"#),
    FailureCase(
      .archive(.device, entry: "./dev/a*b\u{1b}"),
      #"the archive is not safe: the entry "./dev/a*b\u{1B}": it is a device"#,
      #"if nobody needs this entry, `exclude: ["/dev/a?b?"]` in `unpack` skips it"#),
    FailureCase(
      .archive(.shorterThanStrip(1), entry: "README"),
      #"the archive is not safe: the entry "README": its path has fewer folders than `strip` removes (1)"#,
      "lower `strip`: it leaves nothing of this entry's name"),
    FailureCase(
      .archive(.shorterThanStrip(2), entry: "a/README"),
      #"the archive is not safe: the entry "a/README": its path has fewer folders than `strip` removes (2)"#,
      "lower `strip`: it leaves nothing of this entry's name"),
    FailureCase(
      .archive(.misleadsOldLink(link: "b/c", old: "a")),
      #"the archive is not safe: with its link "b/c", the link "a" that stays in the folder leads outside"#,
      #"remove "a"; if nobody needs this entry, `exclude: ["/b/c"]` in `unpack` skips it"#),
    FailureCase(
      .archive(.strayBytes(at: 77)), "the archive is not safe: the bytes at 77 belong to no member",
      "the published file is damaged or unusual; a `verify` step before this one shows whether it is the right one"
    ),
    FailureCase(
      .archive(.damagedCompression(Corruption(.xz, offset: 40, text: "invalid data"))),
      "the archive cannot be read: not valid xz at byte 40: invalid data",
      "the published file is damaged or unusual; a `verify` step before this one shows whether it is the right one"
    ),
    FailureCase(
      .archive(.otherFormat(named: .tarGzip, found: .zip)),
      "the archive cannot be read: its name says tar.gz, but it begins like a zip file",
      "if that is right, write `format: zip` in `unpack`"),
    FailureCase(
      .archive(.otherFormat(named: .tarGzip, found: nil)),
      "the archive cannot be read: its name says tar.gz, but it does not begin like one",
      "maybe it is a web page, one of several volumes, or a program with an archive in it: open the URL"),
    FailureCase(
      .archive(.unknownFormat),
      "the archive cannot be read: neither its name nor its first bytes tell its format",
      "maybe it is a web page: open the URL; if it is a tar, also compressed, a zip, 7z or xar, write its `format` in `unpack`"
    ),
    FailureCase(
      .archive(.noMatch(pattern: "*/rg", nearest: ["a/b/rg", "a/rgg"])),
      #"no file of the archive matches "*/rg"; the nearest are "a/b/rg", "a/rgg""#,
      "correct `entry` in the manifest"),
    FailureCase(
      .archive(.noMatch(pattern: "*/rg", nearest: [])), #"no file of the archive matches "*/rg""#,
      "check `entry` in the manifest"),
    FailureCase(
      .archive(.noMatch(pattern: "*/READMES", nearest: ["a/README"], key: .include)),
      #"no file of the archive matches "*/READMES"; the nearest are "a/README""#,
      "correct `include` in the manifest"),
    FailureCase(
      .archive(.noMatch(pattern: "*/READMES", nearest: [], key: .include)),
      #"no file of the archive matches "*/READMES""#, "check `include` in the manifest"),
    FailureCase(
      .archive(.severalMatches(pattern: "rg", names: ["a/rg", "b/rg", "c/rg"], count: 5)),
      #"5 files of the archive match "rg": "a/rg", "b/rg", "c/rg" and 2 more"#,
      "make `entry` longer so that it matches only one file"),
    FailureCase(
      .archive(.matchIsLink(pattern: "rg", target: "rg-14", isSymbolic: true), entry: "a/rg"),
      #"only the link "a/rg" matches "rg"; it leads to "rg-14""#,
      "let `entry` name the file itself: a/rg-14"),
    FailureCase(
      .archive(.tooManyEntries(limit: 5)), "the archive has more than 5 entries (max_files)",
      "raise `max_files` in `unpack` if the archive may be that large"),
    FailureCase(
      .archive(.tooManyEntries(limit: 1)), "the archive has more than 1 entry (max_files)",
      "raise `max_files` in `unpack` if the archive may be that large"),
    FailureCase(
      .windowTooLarge(needed: 256 << 20, limit: 128 << 20),
      "the download needs a window of 256 MiB, but only 128 MiB are allowed",
      "`unzstd: {window: 2GiB}` allows it and uses that much memory"),
    FailureCase(
      .windowTooLarge(needed: 1 << 40, limit: 10_000),
      "the download needs a window of 1048576 MiB, but only 10 KiB are allowed",
      "this is more than zstd allows: look for the file in another format"),
  ]

  static let libraries: [FailureCase] = [
    FailureCase(
      .libraryMissing(name: "libarchive.so.13", purpose: "to unpack 7z"),
      "the library libarchive.so.13 is needed to unpack 7z and cannot be loaded",
      "install it, then run again: libarchive13 on Debian and Ubuntu, libarchive elsewhere"),
    FailureCase(
      .decoderMissing(.bzip2, name: "libbz2.so.1.0"),
      "bunzip2 needs the library libbz2.so.1.0, which cannot be loaded",
      "install it, then run again: libbz2-1.0 on Debian and Ubuntu, bzip2-libs on Fedora, bzip2 elsewhere"),
    FailureCase(
      .libraryMissing(name: "libcurl.so.4", purpose: "to send requests"),
      "the library libcurl.so.4 is needed to send requests and cannot be loaded",
      "install it, then run again: libcurl4 on Debian and Ubuntu, libcurl on Fedora and Alpine"),
    FailureCase(
      .libraryMissing(name: "libexpat.so.1", purpose: "to read the XML of \(url)"),
      "the library libexpat.so.1 is needed to read the XML of https://h/f.gz and cannot be loaded",
      "install it, then run again: libexpat1 on Debian and Ubuntu, expat elsewhere"),
    FailureCase(
      .libraryMissing(name: "libcrypto.so.3", purpose: "to check the signature in \(url)"),
      "the library libcrypto.so.3 is needed to check the signature in https://h/f.gz and cannot be loaded",
      "install it, then run again: libssl3 on Debian and Ubuntu, openssl-libs on Fedora, openssl elsewhere"),
    FailureCase(
      .libraryMissing(name: "libsqlite3.so.0", purpose: "to read and write the state"),
      "the library libsqlite3.so.0 is needed to read and write the state and cannot be loaded",
      "install it, then run again: libsqlite3-0 on Debian and Ubuntu, sqlite-libs on Fedora and Alpine, "
        + "sqlite elsewhere"),
    FailureCase(
      .libraryMissing(name: "libother.so", purpose: "to go on"),
      "the library libother.so is needed to go on and cannot be loaded", "install it, then run again"),
  ]
}
