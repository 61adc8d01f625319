import SyncModel

/// Problems of archives, and advice; foreign texts unchanged.
struct ArchiveWording {
  var mask: (String) -> String

  /// The whole message.
  func text(_ fault: ArchiveFault) -> String {
    switch fault.code {
    case .archiveUnsafe: "the archive is not safe: " + place(fault) + words(fault.reason)
    case .archiveCorrupt: "the archive cannot be read: " + place(fault) + words(fault.reason)
    default: words(fault.reason, entry: fault.entry.map(mask) ?? "")
    }
  }

  private func place(_ fault: ArchiveFault) -> String {
    fault.entry.map { "the entry \(quoted($0)): " } ?? ""
  }

  private func quoted(_ text: String) -> String { "\"\(mask(text))\"" }

  // MARK: Unsafe

  private func words(_ reason: ArchiveFault.Reason) -> String {
    switch reason {
    case .absoluteName: "its name is an absolute path"
    case .leavesFolder: "its name has a part \"..\""
    case .emptyName: "its name is empty"
    case .controlCharacter(0): "its name or target has a NUL byte"
    case .controlCharacter(let code): "its name or target has the control character U+\(hex(code, 4))"
    case .backslash: "its name has a backslash, which separates folders on some systems only"
    case .nameTooLong: "its name is longer than file systems allow"
    case .tooDeep(let limit): "it is in more than \(limit) folders"
    case .shorterThanStrip(let count): "its path has fewer folders than `strip` removes (\(count))"
    case .device: "it is a device"
    case .fifo: "it is a named pipe"
    case .socket: "it is a socket"
    case .linkLeadsOutside(let target):
      "it is a link to \(quoted(target)), which can lead outside the archive's folder"
    case .misleadsOldLink(let link, let old):
      "with its link \(quoted(link)), the link \(quoted(old)) that stays in the folder leads outside"
    case .hardLinkToNoFile(let target):
      "it is a hard link to \(quoted(target)), which is no regular file before it in the archive"
    case .underLink(let link): "it is below \(quoted(link)), which is a symbolic link"
    case .underFile(let file): "it is below \(quoted(file)), which is not a folder"
    case .sameWithoutCase(let other):
      "its name and \(quoted(other)) are one name in the output's folder, where upper and lower case are the same"
    case .otherKindBefore: "an earlier entry of the same name is of another kind"
    case .samePathAfterStrip: "after `strip`, it has the path of an earlier entry"
    case .duplicateFile: "there are two files of this name with different contents"
    case .disagreement(let text), .ambiguous(let text): mask(text)
    case .overlap: "two members share bytes"
    case .strayBytes(let offset): "the bytes at \(offset) belong to no member"
    case .unknownType(let type) where (0x21...0x7E).contains(type):
      "its type is unknown (\"\(Character(UnicodeScalar(type)))\")"
    case .unknownType(let type): "its type is unknown (0x\(hex(UInt32(type), 2)))"
    case .sizeOfEmptyKind: "it has a size, but such an entry has no content"
    case .includedManifest(let pattern):
      "it would be a manifest, which \(quoted(pattern)) of \"include\" finds"
    case .ownPlace(let folder): "no output may be \(quoted(folder)), or be in it"
    case .protectedPlace(let fault): "an untrusted manifest may not write it: " + words(fault)
    default: corruptWords(reason)
    }
  }

  private func words(_ fault: ProtectedPlaces.Fault) -> String {
    switch fault {
    case .dotFolder(let name): "the folder \(quoted(name)) begins with a dot"
    case .repository: "git takes a folder with it for a repository"
    case .pipeline: "it defines a CI pipeline"
    case .notListed: "the policy's `outputs` do not match it"
    }
  }

  private func hex(_ number: UInt32, _ digits: Int) -> String {
    let text = String(number, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }

  // MARK: Corrupt

  private func corruptWords(_ reason: ArchiveFault.Reason) -> String {
    switch reason {
    case .damagedCompression(let corruption):
      "not valid \(corruption.format.rawValue) at byte \(corruption.offset): \(mask(corruption.text))"
    case .windowTooLarge(let needed, let limit):
      "its zstd needs a window of \(Quantity.size(needed)), but only \(Quantity.size(limit)) are allowed"
    case .damaged(let text, let offset): "\(mask(text)) (at byte \(offset))"
    case .endsEarly(let text): mask(text)
    case .dataAfterEnd(let offset): "there are data after its end, at byte \(offset)"
    case .encrypted: "it is encrypted"
    case .severalVolumes: "it is one of several volumes"
    case .unsupportedMethod(let name):
      "it is compressed by the method \(mask(name)), which syncmake does not know"
    case .sparse: "it is a sparse file, which syncmake does not read"
    case .wrongSum: "its content does not have the archive's check sum"
    case .wrongSize: "its content does not have the size that the archive announces"
    case .library(let text): mask(text)
    case .otherFormat(let named, let found?):
      "its name says \(named.rawValue), but it begins like a \(found.rawValue) file"
    case .otherFormat(let named, nil): "its name says \(named.rawValue), but it does not begin like one"
    case .unknownFormat: "neither its name nor its first bytes tell its format"
    default: ""
    }
  }

  // MARK: Missing and too large

  private func words(_ reason: ArchiveFault.Reason, entry: String) -> String {
    switch reason {
    case .noMatch(let pattern, let nearest, _) where nearest.isEmpty:
      "no file of the archive matches \(quoted(pattern))"
    case .noMatch(let pattern, let nearest, _):
      "no file of the archive matches \(quoted(pattern)); the nearest are \(list(nearest))"
    case .severalMatches(let pattern, let names, let count):
      "\(count) files of the archive match \(quoted(pattern)): \(names.map(quoted).row(of: count))"
    case .matchIsLink(let pattern, let target, _):
      "only the link \"\(entry)\" matches \(quoted(pattern)); it leads to \(quoted(target))"
    case .matchIsFolder(let pattern): "only the folder \"\(entry)\" matches \(quoted(pattern))"
    case .hardLinkToUnwanted(let target):
      "the entry \"\(entry)\" is a hard link to \(quoted(target)), which has its bytes and is not selected"
    case .tooManyEntries(let limit):
      "the archive has more than \(limit) \(limit == 1 ? "entry" : "entries") (max_files)"
    default: ""
    }
  }

  private func list(_ names: [String]) -> String { names.map(quoted).joined(separator: ", ") }

  // MARK: The next step

  /// The next step; `nil` if the message is enough. `strip` is the step's own.
  func hint(_ fault: ArchiveFault, strip: UnpackRules.Strip) -> String? {
    if case .samePathAfterStrip = fault.reason {
      // A pattern is for what `strip` leaves, which is the same of both.
      return "\(strip == .auto ? "write `strip: 0`" : "lower `strip`"), which gives two entries one path now"
    }
    if fault.isSkippedByExclude, let name = fault.entry, let hint = skipping(name, strip) { return hint }
    return switch fault.reason {
    case .shorterThanStrip: Self.lowering(strip)
    case .misleadsOldLink(let link, let old):
      // The path is the one after `strip`.
      "remove \(quoted(old))"
        + (skipping(link, .count(0)).map { "; \($0)" } ?? "")
    case .noMatch(_, let nearest, let key):
      "\(nearest.isEmpty ? "check" : "correct") `\(key.rawValue)` in the manifest"
        + (strip == .count(0) ? "" : ", which is compared after `strip`")
    case .severalMatches: "make `entry` longer so that it matches only one file"
    case .matchIsLink(_, let target, let isSymbolic):
      naming(Self.path(mask(target), from: isSymbolic ? fault.entry.map(mask) : nil), strip)
    case .matchIsFolder: "let `entry` name a file in it"
    case .hardLinkToUnwanted(let target):
      "select \(quoted(target)), too, by `include` or without its `exclude`"
    case .tooManyEntries: "raise `max_files` in `unpack` if the archive may be that large"
    case .otherFormat(_, let found?): "if that is right, write `format: \(found.rawValue)` in `unpack`"
    case .otherFormat(_, nil):
      "maybe it is a web page, one of several volumes, or a program with an archive in it: open the URL"
    case .unknownFormat:
      "maybe it is a web page: open the URL; if it is a tar, also compressed, a zip, 7z or xar, write its `format` in `unpack`"
    case .damaged(_, at: 0):
      "a single compressed file is no archive: for that write `gunzip`, `unxz`, `unzstd` or `bunzip2` in place of `unpack`; "
        + "otherwise the published file is damaged"
    case .sparse: "look for the file in another format; bsdtar packs it with `--no-read-sparse`"
    case .encrypted, .severalVolumes, .unsupportedMethod, .windowTooLarge:
      "look for the file in another format"
    default:
      "the published file is damaged or unusual; a `verify` step before this one shows whether it is the right one"
    }
  }

  /// How to do without the entry; `nil` for a name that means the archive's top, or has a NUL, which no pattern matches.
  private func skipping(_ name: String, _ strip: UnpackRules.Strip) -> String? {
    guard !name.utf8.contains(0) else { return nil }
    // Masked first, since a pattern may spell a secret in another way.
    let parts = Self.parts(mask(name))
    guard !parts.isEmpty else { return nil }
    // Only a folder can be the one that `auto` removes.
    let isRemoved = strip == .auto && parts.count == 1 && name.utf8.last == UInt8(ascii: "/")
    guard !isRemoved, let pattern = Self.pattern(parts, strip) else { return Self.lowering(strip) }
    return "if nobody needs this entry, `exclude: [\(quoted(pattern))]` in `unpack` skips it"
  }

  private static func lowering(_ strip: UnpackRules.Strip) -> String {
    let advice = strip == .auto ? "write `strip: 0`" : "lower `strip`"
    return "\(advice): it leaves nothing of this entry's name"
  }

  /// How to name a file at that path of the archive.
  private func naming(_ path: [String], _ strip: UnpackRules.Strip) -> String {
    let (start, rest) = Self.stripped(path, strip)
    guard !rest.isEmpty else { return "let `entry` name a file" }
    return "let `entry` name the file itself: \(mask(start + rest.joined(separator: "/")))"
  }

  // MARK: Names

  private static func parts(_ name: String) -> [String] {
    name.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }.filter { $0 != "." }
  }

  /// The path in the archive of a link's target; `link` is the link's name, `nil` if the target is a whole path.
  private static func path(_ target: String, from link: String?) -> [String] {
    var path = link.map { Array(parts($0).dropLast()) } ?? []
    for part in parts(target) {
      if part == ".." { _ = path.popLast() } else { path.append(part) }
    }
    return path
  }

  /// What patterns are compared with, and how one for it begins. Whether `auto` removes a folder is not known here.
  private static func stripped(
    _ parts: [String], _ strip: UnpackRules.Strip
  ) -> (start: String, rest: ArraySlice<String>) {
    switch strip {
    case .count(let count): ("", parts.dropFirst(count))
    case .auto where parts.count > 1: ("**/", parts.dropFirst())
    case .auto: ("", parts[...])
    }
  }

  /// A pattern for an entry; `nil` if `strip` leaves nothing of its name.
  ///
  /// It can be written in quotation marks in YAML. Characters that mean something there or in a pattern, that nobody
  /// sees, or that stand for bytes that are not UTF-8, become `?`.
  private static func pattern(_ parts: [String], _ strip: UnpackRules.Strip) -> String? {
    let (start, rest) = stripped(parts, strip)
    guard !rest.isEmpty else { return nil }
    // A slash in front keeps a name without a folder from matching in every folder.
    var text = start.isEmpty ? "/" : start
    for scalar in rest.joined(separator: "/").unicodeScalars {
      switch scalar {
      case "*", "?", "[", "]", "\"", "\\", "$", "\u{fffd}"..."\u{ffff}": text += "?"
      case _ where CleanText.isHidden(scalar): text += "?"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
