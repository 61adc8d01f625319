import Archives
import SyncModel

/// Refuses a xar for which libarchive's decoders of xz and lzma would need too much memory.
///
/// libarchive gives liblzma no limit. So such data are unpacked here first, with the limit that other steps have: only
/// that shows which dictionaries are in them. Few archives have such data.
enum XarMemory {
  /// In bytes.
  private static let longestTable = 64 << 20
  /// libarchive may unpack somewhat more than a file's size before the excess is seen. In bytes.
  private static let excess: Int64 = 1 << 20

  /// Throws `archive`, or what reading throws.
  static func check(_ store: ArchiveStore, _ isCancelled: () -> Bool) throws(FailureCause) {
    // What is no xar is refused by libarchive.
    guard let place = try XarTable.place(in: store) else { return }
    let table = try table(at: place, store)
    let packed: [XarTable.PackedData]
    do throws(ArchiveFault.Reason) { packed = try XarTable.packed(table) } catch { throw .archive(error) }
    for data in packed { try unpack(data, from: place.end, store, isCancelled) }
  }

  /// libarchive might understand some of a damaged one, so that is refused.
  private static func table(
    at place: XarTable.Place, _ store: ArchiveStore
  ) throws(FailureCause) -> [UInt8] {
    guard place.length <= longestTable else { throw fault("is longer than syncmake reads", place) }
    // zlib's header has two bytes, and its sum four.
    let packed = try store.bytes(at: place.offset, Int(clamping: place.length))
    guard packed.count == place.length, packed.count > 6, packed[0] & 15 == 8, packed[1] & 32 == 0 else {
      throw fault("is damaged", place)
    }
    let inflater = try RawInflater(.zlib)
    let block = Block()
    var table: [UInt8] = []
    var used = 2
    while true {
      block.clear()
      let step = unsafe packed.withUnsafeBytes {
        unsafe inflater.step(UnsafeRawBufferPointer(rebasing: $0[used...]), into: block.free)
      }
      used += step.used
      block.grow(by: step.made)
      unsafe table.append(contentsOf: block.bytes)
      guard table.count <= longestTable else { throw fault("is longer than syncmake reads", place) }
      switch step.status {
      case .ended:
        guard used == packed.count - 4 else { throw fault("has another length than it says", place) }
        return table
      case .damaged: throw fault("is damaged", place)
      case .more: if step.used == 0, step.made == 0 { throw fault("is damaged", place) }
      }
    }
  }

  private static func fault(_ words: String, _ place: XarTable.Place) -> FailureCause {
    .archive(.damaged("its table \(words)", at: place.offset))
  }

  private static func unpack(
    _ data: XarTable.PackedData, from start: Int64, _ store: ArchiveStore, _ isCancelled: () -> Bool
  ) throws(FailureCause) {
    let (begin, overflow) = start.addingReportingOverflow(data.offset)
    guard !overflow, begin <= store.size, data.length <= store.size - begin else {
      throw .archive(.endsEarly("the data of a file are missing"))
    }
    let unpacker = Unpacker(Decoding(.xz))
    let (input, output) = (Block(), Block())
    var (read, made): (Int64, Int64) = (0, 0)
    var isLast = false
    do throws(FailureCause) {
      while !isLast {
        if isCancelled() { throw .internalError("cancelled") }
        input.clear()
        if read < data.length {
          let room = unsafe UnsafeMutableRawBufferPointer(
            rebasing: input.free.prefix(Int(clamping: data.length - read)))
          input.grow(by: try unsafe store.read(at: begin + read, into: room))
        }
        read += Int64(input.count)
        isLast = input.count == 0
        var used = 0
        repeat {
          output.clear()
          used += try unsafe unpacker.unpack(
            UnsafeRawBufferPointer(rebasing: input.bytes[used...]), into: output, isLast: isLast)
          made += Int64(output.count)
          if let size = data.size, made > size + excess { return }
        } while output.isFull || used < input.count
      }
      try unpacker.finish()
    } catch {
      throw error.ofArchive
    }
  }
}
