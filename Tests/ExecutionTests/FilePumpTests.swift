import SyncModel
import Testing

@testable import Execution

@Suite struct FilePumpTests {
  private final class Bytes: OpenedFile {
    let signature: FileSignature
    private var left: ArraySlice<UInt8>

    init(_ bytes: [UInt8], claiming size: Int? = nil) {
      signature = FileSignature(
        size: Int64(size ?? bytes.count), modified: Timestamp(seconds: 1), changed: Timestamp(seconds: 1),
        inode: 1)
      left = bytes[...]
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(FailureCause) -> Int {
      let piece = left.prefix(buffer.count)
      buffer.copyBytes(from: piece)
      left = left.dropFirst(piece.count)
      return piece.count
    }

    func requireUnchanged() throws(FailureCause) {}

    func identity(
      _ algorithms: Set<DigestAlgorithm>, isInVain: () -> Bool
    ) throws(FailureCause) -> ContentIdentity {
      throw .internalError("nothing asks for it")
    }
  }

  /// What a receiver got, and how the file ended.
  private final class Receiver {
    var bytes: [UInt8] = []
    var ending: FilePump.Ending?
    /// What the next pieces meet.
    var reception = BodyReception.taken
  }

  private func pump(_ file: any OpenedFile, to receiver: Receiver) -> FilePump {
    FilePump(file) { piece in
      if receiver.reception == .taken { receiver.bytes += piece }
      return receiver.reception
    } ended: {
      receiver.ending = $0
    }
  }

  @Test(arguments: [0, 1, 4096, (256 << 10) - 1, 256 << 10, (256 << 10) + 1, 3 << 20])
  func `all bytes arrive, whatever their number`(_ count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let receiver = Receiver()
    let pump = pump(Bytes(bytes), to: receiver)
    for _ in 0..<8 where !pump.isDone { pump.step() }
    #expect(receiver.bytes == bytes)
    guard case .whole? = receiver.ending else {
      Issue.record("it did not end")
      return
    }
  }

  /// As those in /proc do.
  @Test func `a file that claims to be empty is read in large blocks`() {
    let receiver = Receiver()
    let pump = pump(Bytes([UInt8](repeating: 1, count: 600_000), claiming: 0), to: receiver)
    pump.step()
    #expect(receiver.bytes.count == 600_000 && pump.isDone)
  }

  @Test func `what finds no room is offered again`() {
    let receiver = Receiver()
    let pump = pump(Bytes([1, 2, 3]), to: receiver)
    receiver.reception = .full
    pump.step()
    #expect(!pump.isReady && !pump.isDone)
    receiver.reception = .taken
    pump.resume()
    pump.step()
    #expect(receiver.bytes == [1, 2, 3] && pump.isDone)
  }

  /// Thousands of bodies may wait to be published.
  @Test func `after its end the file is closed`() throws {
    let receiver = Receiver()
    var file: Bytes? = Bytes([1])
    weak let opened = file
    let pump = pump(try #require(file), to: receiver)
    file = nil
    #expect(opened != nil)
    pump.step()
    #expect(pump.isDone)
    #expect(opened == nil)
  }
}
