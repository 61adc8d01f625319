extension StringProtocol {
  /// Whether both are the same bytes; `==` also takes an accented letter and its parts for equal.
  package func hasSameBytes(as other: some StringProtocol) -> Bool {
    let (mine, its) = (utf8, other.utf8)
    let contiguous = mine.withContiguousStorageIfAvailable { mine in
      its.withContiguousStorageIfAvailable { its in
        unsafe UnsafeRawBufferPointer(mine).holdsSame(as: UnsafeRawBufferPointer(its))
      }
    }
    return (contiguous ?? nil) ?? mine.elementsEqual(its)
  }
}

extension String {
  /// Whether its bytes are these.
  package func hasSameBytes(as bytes: UnsafeRawBufferPointer) -> Bool {
    let found = unsafe utf8.withContiguousStorageIfAvailable {
      unsafe UnsafeRawBufferPointer($0).holdsSame(as: bytes)
    }
    return unsafe found ?? utf8.elementsEqual(bytes)
  }

  /// Whether it contains `needle`, byte for byte.
  package func contains(literal needle: String) -> Bool {
    let hay = Array(utf8)
    let needle = Array(needle.utf8)
    guard hay.count >= needle.count else { return false }
    return (0...(hay.count - needle.count)).contains { hay[$0..<($0 + needle.count)].elementsEqual(needle) }
  }

  /// The same for the most frequent types, without checking the text's representation.
  package func hasSameBytes(as other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    let found = unsafe utf8.withContiguousStorageIfAvailable { mine in
      unsafe other.utf8.withContiguousStorageIfAvailable { its in
        unsafe UnsafeRawBufferPointer(mine).holdsSame(as: UnsafeRawBufferPointer(its))
      }
    }
    return (found ?? nil) ?? utf8.elementsEqual(other.utf8)
  }
}

extension UnsafeRawBufferPointer {
  /// Eight bytes at a time: the standard library compares such collections one by one.
  package func holdsSame(as other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    var offset = 0
    while offset + 8 <= count {
      guard
        unsafe loadUnaligned(fromByteOffset: offset, as: UInt64.self)
          == other.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      else { return false }
      offset += 8
    }
    while offset < count {
      guard unsafe self[offset] == other[offset] else { return false }
      offset += 1
    }
    return true
  }
}
