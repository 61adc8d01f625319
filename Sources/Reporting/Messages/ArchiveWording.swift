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
    case .controlCharacter(0): "its name has a NUL byte"
    case .controlCharacter(let code): "its name has the control character U+\(hex(code, 4))"
    case .backslash: "its name has a backslash, which separates folders on some systems only"
    case .nameTooLong: "its name is longer than file systems allow"
    case .tooDeep(let limit): "it is in more than \(limit) folders"
    case .shorterThanStrip(let count): "it is in fewer than the \(count) folders that `strip` removes"
    case .device: "it is a device"
    case .fifo: "it is a named pipe"
    case .socket: "it is a socket"
    case .linkLeadsOutside(let target):
      "it is a link to \(quoted(target)), which is outside the archive's folder"
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
    case .unknownType(let type): "its type is unknown (\(hex(UInt32(type), 2)))"
    case .sizeOfEmptyKind: "it has a size, but such an entry has no content"
    case .protectedPlace(let fault): "an untrusted manifest may not write it: " + words(fault)
    default: corruptWords(reason)
    }
  }

  private func words(_ fault: ProtectedPlaces.Fault) -> String {
    switch fault {
    case .dotFolder(let name): "the folder \(quoted(name)) begins with a dot"
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
    case .noMatch(let pattern, let nearest) where nearest.isEmpty:
      "no file of the archive matches \(quoted(pattern))"
    case .noMatch(let pattern, let nearest):
      "no file of the archive matches \(quoted(pattern)); the nearest are \(list(nearest))"
    case .severalMatches(let pattern, let names, let count):
      "\(count) files of the archive match \(quoted(pattern)): \(list(names))"
        + (count > names.count ? " and \(count - names.count) more" : "")
    case .matchIsLink(let pattern, let target):
      "only the link \"\(entry)\" matches \(quoted(pattern)); it leads to \(quoted(target))"
    case .matchIsFolder(let pattern): "only the folder \"\(entry)\" matches \(quoted(pattern))"
    case .tooManyEntries(let limit): "the archive has more than \(limit) entries (max_files)"
    default: ""
    }
  }

  private func list(_ names: [String]) -> String { names.map(quoted).joined(separator: ", ") }

  // MARK: The next step

  /// The next step; `nil` if the message is enough. `strip` is the step's own.
  func hint(_ fault: ArchiveFault, strip: UnpackRules.Strip) -> String? {
    if fault.isSkippedByExclude, let entry = fault.entry {
      return
        "if nobody needs this entry, `exclude: [\(quoted(Self.pattern(entry, strip)))]` in `unpack` skips it"
    }
    return switch fault.reason {
    case .noMatch(_, let nearest):
      nearest.isEmpty ? "check `entry` in the manifest" : "correct `entry` in the manifest"
    case .severalMatches: "make `entry` longer so that it matches only one file"
    case .matchIsLink(_, let target): "let `entry` name the file itself: \(mask(target))"
    case .matchIsFolder: "let `entry` name a file in it"
    case .tooManyEntries: "raise `max_files` in `unpack` if the archive may be that large"
    case .otherFormat(_, let found?): "if that is right, write `format: \(found.rawValue)` in `unpack`"
    case .otherFormat(_, nil): "maybe it is a web page: open the URL"
    case .unknownFormat: "if it is an archive, `format` in `unpack` names its format"
    case .encrypted, .severalVolumes, .unsupportedMethod, .sparse, .windowTooLarge:
      "look for the file in another format"
    default:
      "the published file is damaged or unusual; a `verify` step before this one shows whether it is the right one"
    }
  }

  /// A pattern for this entry; control characters, and bytes that are not UTF-8, become `?`.
  private static func pattern(_ name: String, _ strip: UnpackRules.Strip) -> String {
    var parts = name.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }.filter {
      $0 != "."
    }[...]
    // A slash in front keeps a name without a folder from matching in every folder.
    var text = "/"
    switch strip {
    case .count(let count): parts = parts.dropFirst(count)
    case .auto where parts.count > 1:
      parts = parts.dropFirst()
      text = "**/"
    case .auto: break
    }
    for scalar in parts.joined(separator: "/").unicodeScalars {
      switch scalar {
      case "*", "?", "[", "\\": text += "\\\(scalar)"
      case "\u{fffd}", "\0"..<" ", "\u{7f}"..."\u{9f}": text += "?"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
