import SyncModel

/// Reads a local file, block by block, and passes it on as the network would.
@safe final class FilePump {
  enum Ending {
    /// To its end, and the file did not change meanwhile.
    case whole
    /// The receiver wants no more.
    case stopped
    case failed(FailureCause)
  }

  private(set) var isDone = false
  private(set) var isReady = true
  private let file: any OpenedFile
  private let push: (UnsafeRawBufferPointer) -> BodyReception
  private let ended: (Ending) -> Void
  private var block = [UInt8](repeating: 0, count: 256 << 10)
  /// Read and not taken yet.
  private var held = 0

  init(
    _ file: any OpenedFile, push: @escaping (UnsafeRawBufferPointer) -> BodyReception,
    ended: @escaping (Ending) -> Void
  ) {
    self.file = file
    unsafe self.push = push
    self.ended = ended
  }

  /// There is room again.
  func resume() { isReady = true }

  func cancel() { isDone = true }

  /// Moves some blocks, then lets the driver see to its other work.
  func step() {
    for _ in 0..<4 where isReady && !isDone {
      do throws(FailureCause) { try moveBlock() } catch { end(.failed(error)) }
    }
  }

  private func moveBlock() throws(FailureCause) {
    if held == 0 {
      held = try readBlock()
      if held == 0 {
        try file.requireUnchanged()
        return end(.whole)
      }
    }
    switch unsafe block.withUnsafeBytes({ unsafe push(UnsafeRawBufferPointer(rebasing: $0[..<held])) }) {
    case .taken: held = 0
    case .full: isReady = false
    case .stop: end(.stopped)
    }
  }

  private func readBlock() throws(FailureCause) -> Int {
    var count = 0
    var fault: FailureCause?
    unsafe block.withUnsafeMutableBytes { buffer in
      do throws(FailureCause) { count = try unsafe file.read(into: buffer) } catch { fault = error }
    }
    if let fault { throw fault }
    return count
  }

  private func end(_ ending: Ending) {
    isDone = true
    ended(ending)
  }
}
