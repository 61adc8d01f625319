import CSystemShim

/// Memory that is asked of the system before it is needed.
package enum HeapAhead {
  /// In bytes: what reading a manifest and a run of its targets take, for each byte of it.
  private static let perManifestByte = 32
  private static let most = 512 << 20
  /// In bytes: less than this needs no memory of its own.
  private static let smallestManifest = 64 << 10

  /// Sets aside what the targets will take that rows of so many bytes become: a third of what a manifest's bytes take.
  package static func expect(rowsOf size: Int) {
    if size / 3 >= smallestManifest { expect(manifestOf: size / 3) }
  }

  /// Sets aside what a manifest of so many bytes will take; on the main thread, before it is read.
  ///
  /// Asked for page by page, a fifth of the time in which a long manifest is read is the system's. Large pages, which a
  /// program has to ask for on most systems, and a heap that gives nothing back meanwhile, spare most of that.
  package static func expect(manifestOf size: Int) {
    // The largest arrays are those of folders then, whose files may be many.
    guard size >= smallestManifest else { return syncmake_return_memory() }
    syncmake_expect_memory(min(size, most / perManifestByte) * perManifestByte)
  }
}
