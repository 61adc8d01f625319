extension String {
  /// Whether one of its UTF-8 bytes is this one.
  ///
  /// It has no branch for each byte: every URL and header of a run is checked, and nearly always the answer is no.
  func holds(_ wanted: UInt8) -> Bool {
    let found = unsafe utf8.withContiguousStorageIfAvailable { bytes in
      var found: UInt8 = 0
      for place in bytes.indices { unsafe found |= bytes[place] == wanted ? 1 : 0 }
      return found != 0
    }
    return found ?? utf8.contains(wanted)
  }
}
