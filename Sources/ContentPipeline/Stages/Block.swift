import Platform

/// A piece of memory that passes through a pipeline; its holder owns it.
@safe final class Block {
  /// In bytes. Smaller ones go from thread to thread more often, and reach the disk in smaller writes: with half of
  /// this a body of 2 GiB takes an eighth longer. With twice as much little more is gained, for 6 MiB of memory.
  static let capacity = 512 * 1024

  private static let mostEnds = 1024

  private let base: UnsafeMutableRawPointer
  /// In bytes, from the start.
  private(set) var count = 0
  /// Whether it has decompressed bytes that must still be compared with the sums of their members.
  var isUnproven = false
  /// The ends of such members in the block, in order; ``isFull`` limits their number.
  private(set) var memberEnds: [MemberEnd] = []

  init() { unsafe base = .allocate(byteCount: Block.capacity, alignment: 4096) }
  deinit { unsafe base.deallocate() }

  var bytes: UnsafeRawBufferPointer { unsafe .init(start: base, count: count) }
  /// The empty part; `grow` tells how much of it was filled.
  var free: UnsafeMutableRawBufferPointer { unsafe .init(start: base + count, count: Block.capacity - count) }
  /// Members of next to nothing take no room for their bytes, but for their ends.
  var isFull: Bool { count == Block.capacity || memberEnds.count >= Block.mostEnds }

  func add(_ end: MemberEnd) { memberEnds.append(end) }
  func grow(by size: Int) { count += size }
  func clear() {
    count = 0
    isUnproven = false
    memberEnds.removeAll(keepingCapacity: true)
  }

  /// Copies as much of `source` as there is room for; returns how much.
  func append(_ source: UnsafeRawBufferPointer) -> Int {
    let size = unsafe min(source.count, free.count)
    unsafe free.copyMemory(from: .init(rebasing: source.prefix(size)))
    count += size
    return size
  }
}

/// Spare blocks, so that memory is asked for once and not for each body.
@safe final class BlockStore: Sendable {
  /// 16 MiB: what one body in full flow uses, and some more.
  private static let limit = 32
  private let spare = Monitor<[Block]>([])

  /// The number of bytes.
  var spareCount: Int { spare.withLock { $0.count } }

  func take() -> Block { spare.withLock { $0.popLast() } ?? Block() }

  func give(_ block: Block) {
    block.clear()
    spare.withLock { if $0.count < BlockStore.limit { $0.append(block) } }
  }
}
