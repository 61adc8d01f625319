/// Why an archive is refused, or gives no output (contract, section 10).
package struct ArchiveFault: Error, Sendable, Equatable {
  /// What was found.
  package var reason: Reason
  /// The name of the entry with the fault; `nil` if the fault is the archive's.
  package var entry: String?

  /// `entry` is the name for people of the entry with the fault.
  package init(_ reason: Reason, entry: String? = nil) {
    self.reason = reason
    self.entry = entry
  }

  /// The same, of this entry.
  package init(_ reason: Reason, _ entry: ArchiveEntry) { self.init(reason, entry: entry.shownName) }

  /// What was found.
  package enum Reason: Error, Sendable, Equatable {
    // MARK: Names that are not safe (`archive-unsafe`)

    /// The name begins with a slash or a drive's letter.
    case absoluteName
    /// A part of the name is `..`.
    case leavesFolder
    case emptyName
    /// The name has this byte or code point, which is a control character; 0 is NUL.
    case controlCharacter(UInt32)
    case backslash
    /// A part of the name has more than 255 bytes, or the name more than 4,095.
    case nameTooLong
    /// The entry is in more than `limit` folders.
    case tooDeep(limit: Int)
    /// The name has fewer folders than `strip` removes.
    case shorterThanStrip(Int)

    // MARK: Kinds that are not safe

    case device, fifo, socket
    /// The link leads outside the folder.
    case linkLeadsOutside(target: String)
    /// With the archive's link at the path `link`, the one at `old`, which stays in the folder, leads outside.
    case misleadsOldLink(link: String, old: String)
    /// The hard link's target is not an earlier regular file.
    case hardLinkToNoFile(target: String)
    /// The entry is under the symbolic link `link`.
    case underLink(link: String)
    /// The entry is under an entry that is not a folder.
    case underFile(file: String)

    // MARK: What can be read in two ways

    /// The folder is on a file system that ignores case, where the name is that of an earlier entry.
    case sameWithoutCase(other: String)
    /// There is an earlier entry of the same name and another kind.
    case otherKindBefore
    /// A zip, 7z or xar has two regular files of the name.
    case duplicateFile
    /// An earlier entry of another name has the same path once `strip` has removed folders.
    case samePathAfterStrip
    /// Two places give different values for the same thing.
    case disagreement(String)
    /// Two members of a zip share bytes.
    case overlap
    /// There are bytes that belong to no member.
    case strayBytes(at: Int64)
    /// An entry of a kind that readers treat differently.
    case unknownType(UInt8)
    /// The entry has a size, but its kind has no content.
    case sizeOfEmptyKind
    /// It is in this folder, which git or syncmake keeps.
    case ownPlace(String)
    /// An untrusted manifest must not write there.
    case protectedPlace(ProtectedPlaces.Fault)
    /// The file would be a manifest, which this pattern of `include` finds.
    case includedManifest(pattern: String)
    /// Something else that readers treat differently.
    case ambiguous(String)

    // MARK: What cannot be read (`archive-corrupt`)

    /// The data of the compression around a tar are damaged.
    case damagedCompression(Corruption)
    /// Its zstd needs a window of `needed` bytes.
    case windowTooLarge(needed: Int64, limit: Int64)
    /// The bytes are wrong at `offset`, counted after decompression.
    case damaged(String, at: Int64)
    /// The archive ends too early.
    case endsEarly(String)
    /// Bytes other than zeros follow the archive's end.
    case dataAfterEnd(at: Int64)
    case encrypted
    case severalVolumes
    /// The method of compression is none that `unpack` knows.
    case unsupportedMethod(String)
    case sparse
    /// The content has another check sum than announced.
    case wrongSum
    /// The content has another size than announced.
    case wrongSize
    /// The library says so.
    case library(String)
    /// The name's ending and the first bytes belong to different formats; `nil`: to none.
    case otherFormat(named: ArchiveFormat, found: ArchiveFormat?)
    /// Neither the name nor the first bytes tell a format.
    case unknownFormat

    // MARK: What was not found (`entry-missing`)

    /// No entry matches; `nearest` are names that the pattern may have meant. `key` is where it is written.
    case noMatch(pattern: String, nearest: [String], key: PatternKey = .entry)
    /// More than one matches; `names` has the first few of `count`.
    case severalMatches(pattern: String, names: [String], count: Int)
    /// Only this entry matches, and it is a link. Its target is seen from its folder if it is symbolic, else from the
    /// archive's top.
    case matchIsLink(pattern: String, target: String, isSymbolic: Bool = false)
    /// Only this entry matches, and it is a folder.
    case matchIsFolder(pattern: String)
    /// The entry is wanted, and is a hard link to a file that is not, whose bytes it needs.
    case hardLinkToUnwanted(target: String)

    // MARK: Limits (`too-large`)

    /// There are more entries than `max_files` allows.
    case tooManyEntries(limit: Int)
  }

  /// The keys of `unpack` whose patterns must match something.
  package enum PatternKey: String, Sendable { case entry, include }

  /// The code that reports show it under.
  package var code: FailureCode {
    switch reason {
    case .absoluteName, .leavesFolder, .emptyName, .controlCharacter, .backslash, .nameTooLong, .tooDeep,
      .shorterThanStrip, .device, .fifo, .socket, .linkLeadsOutside, .misleadsOldLink,
      .hardLinkToNoFile, .underLink, .underFile, .sameWithoutCase,
      .otherKindBefore, .duplicateFile, .samePathAfterStrip, .disagreement, .overlap, .strayBytes,
      .unknownType, .sizeOfEmptyKind, .ownPlace, .protectedPlace, .includedManifest,
      .ambiguous:
      .archiveUnsafe
    case .damagedCompression, .windowTooLarge, .damaged, .endsEarly, .dataAfterEnd, .encrypted,
      .severalVolumes,
      .unsupportedMethod, .sparse, .wrongSum, .wrongSize, .library, .otherFormat, .unknownFormat:
      .archiveCorrupt
    case .noMatch, .severalMatches, .matchIsLink, .matchIsFolder, .hardLinkToUnwanted: .entryMissing
    case .tooManyEntries: .tooLarge
    }
  }

  /// Whether the bytes only end too early, as those of a transfer that broke off do.
  package var isCutShort: Bool {
    switch reason {
    case .endsEarly: true
    case .damagedCompression(let corruption): corruption.isCutShort
    default: false
    }
  }

  /// Whether an `exclude` with the entry's name would skip it, if `strip` leaves something of the name.
  package var isSkippedByExclude: Bool {
    switch reason {
    case .absoluteName, .leavesFolder, .controlCharacter, .backslash, .nameTooLong, .tooDeep, .device, .fifo,
      .socket, .linkLeadsOutside, .hardLinkToNoFile, .underLink, .underFile, .sameWithoutCase,
      .otherKindBefore, .duplicateFile, .samePathAfterStrip, .ownPlace, .protectedPlace,
      .includedManifest:
      true
    default: false
    }
  }
}

extension FailureCause {
  /// A fault of the archive, or of its entry with this name.
  package static func archive(_ reason: ArchiveFault.Reason, entry: String? = nil) -> FailureCause {
    .archive(ArchiveFault(reason, entry: entry))
  }
}
