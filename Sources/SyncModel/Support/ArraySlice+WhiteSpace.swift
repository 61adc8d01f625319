extension ArraySlice<UInt8> {
  /// Without blanks, tabs and the ends of lines at both ends.
  package var trimmingWhiteSpace: ArraySlice<UInt8> {
    func isWhite(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    guard let start = firstIndex(where: { !isWhite($0) }), let end = lastIndex(where: { !isWhite($0) }) else {
      return self[startIndex..<startIndex]
    }
    return self[start...end]
  }
}
