import SyncModel
import Testing

@Suite struct ArchiveFaultTests {
  @Test(
    arguments: [
      (.leavesFolder, .archiveUnsafe, [.content, .refusedByStep]),
      (.overlap, .archiveUnsafe, [.content, .refusedByStep]),
      (.wrongSum, .archiveCorrupt, [.content, .refusedByStep]),
      // The transfer may have broken off, so that the rest can be fetched.
      (.endsEarly("x"), .archiveCorrupt, [.content, .refusedByStep, .cutShort]),
      (
        .damagedCompression(Corruption(.gzip, offset: 1, text: "x", isCutShort: true)), .archiveCorrupt,
        [.content, .refusedByStep, .cutShort]
      ), (.noMatch(pattern: "x", nearest: []), .entryMissing, [.content, .refusedByStep]),
      (.tooManyEntries(limit: 1), .tooLarge, .refusedByStep),
    ] as [(ArchiveFault.Reason, FailureCode, FailureTraits)])
  func `a fault has a code, and decides what happens to the download`(
    reason: ArchiveFault.Reason, code: FailureCode, traits: FailureTraits
  ) {
    let cause = FailureCause.archive(reason, entry: "e")
    #expect(cause.code == code)
    #expect(cause.traits == traits)
  }
}
