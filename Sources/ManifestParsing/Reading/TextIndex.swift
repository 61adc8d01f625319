/// Finds texts again by their bytes: a hash table of numbers whose texts somebody else holds.
///
/// A dictionary would hold each text once more; of a million targets that is as much as all else that is known of them.
struct TextIndex {
  private struct Slot {
    var number: Int32 = 0
    /// 0 for an empty place.
    var hash: UInt32 = 0
  }

  private var slots: [Slot]
  private var count = 0

  /// Makes room for so many texts; more can be added.
  init(capacity: Int = 0) {
    var size = 16
    while size < capacity * 3 / 2 { size *= 2 }
    slots = Array(repeating: Slot(), count: size)
  }

  /// The number of the text with these bytes; `nil` if it was not added.
  ///
  /// - isText: whether the text of a number has just these bytes.
  func find(_ bytes: UnsafeRawBufferPointer, isText: (Int) -> Bool) -> Int? {
    let hash = unsafe Self.hash(bytes)
    return unsafe slots.withUnsafeBufferPointer { slots in
      switch unsafe Self.place(of: hash, in: slots, isText) {
      case .found(let number): number
      case .free: nil
      }
    }
  }

  /// Adds `number` for the text with these bytes; where that has a number already, returns that and adds nothing.
  mutating func add(_ bytes: UnsafeRawBufferPointer, as number: Int, isText: (Int) -> Bool) -> Int? {
    if (count + 1) * 3 / 2 > slots.count { grow() }
    let hash = unsafe Self.hash(bytes)
    let earlier: Int? = unsafe slots.withUnsafeMutableBufferPointer { slots in
      switch unsafe Self.place(of: hash, in: UnsafeBufferPointer(slots), isText) {
      case .found(let earlier): return earlier
      case .free(let place):
        unsafe slots[place] = Slot(number: Int32(number), hash: hash)
        return nil
      }
    }
    if earlier == nil { count += 1 }
    return earlier
  }

  private enum Place {
    case found(Int)
    case free(Int)
  }

  private static func place(
    of hash: UInt32, in slots: UnsafeBufferPointer<Slot>, _ isText: (Int) -> Bool
  ) -> Place {
    let mask = slots.count - 1
    var place = first(for: hash, of: slots.count)
    while unsafe slots[place].hash != 0 {
      let slot = unsafe slots[place]
      if slot.hash == hash, isText(Int(slot.number)) { return .found(Int(slot.number)) }
      place = (place + 1) & mask
    }
    return .free(place)
  }

  /// The first place for a hash, by its upper bits: what has grown is then written from the front to the back, as it is
  /// read, which the processor's caches like.
  private static func first(for hash: UInt32, of count: Int) -> Int {
    Int(hash) >> (count.leadingZeroBitCount - 31)
  }

  private mutating func grow() {
    let old = slots
    slots = Array(repeating: Slot(), count: 2 * old.count)
    let mask = slots.count - 1
    for slot in old where slot.hash != 0 {
      var place = Self.first(for: slot.hash, of: slots.count)
      while slots[place].hash != 0 { place = (place + 1) & mask }
      slots[place] = slot
    }
  }

  /// The hash has another seed in each process, so that nobody can choose texts with the same hash; never 0.
  ///
  /// The last byte is added: texts that differ by it only, as numbered names do, are then side by side in a table of about
  /// a million, and its memory is loaded once for ten of them. There are 256 such texts at most.
  private static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    guard let last = unsafe bytes.last else { return 1 }
    var hasher = Hasher()
    unsafe hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: bytes.dropLast()))
    return UInt32(truncatingIfNeeded: hasher.finalize()) &+ UInt32(last) << 11 | 1
  }
}

extension String {
  /// Gives `body` the bytes where they stand, or a copy of them.
  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    var text = self
    return text.withUTF8 { unsafe body(UnsafeRawBufferPointer($0)) }
  }
}
