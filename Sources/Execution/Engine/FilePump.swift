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

  /// The most that is read at once, in bytes.
  private static let largestBlock: Int64 = 256 << 10

  private(set) var isDone = false
  private(set) var isReady = true
  /// `nil` after its end: thousands may wait to be published.
  private var file: (any OpenedFile)?
  private let push: (UnsafeRawBufferPointer) -> BodyReception
  private let ended: (Ending) -> Void
  private var block: [UInt8]
  /// Read and not taken yet.
  private var held = 0

  init(
    _ file: any OpenedFile, push: @escaping (UnsafeRawBufferPointer) -> BodyReception,
    ended: @escaping (Ending) -> Void
  ) {
    self.file = file
    // Thousands of small files may be read at once. Files of the system's own, such as those in /proc, claim to be empty.
    let size =
      file.signature.size > 0 ? min(Self.largestBlock - 1, file.signature.size) + 1 : Self.largestBlock
    block = [UInt8](repeating: 0, count: Int(size))
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
    guard let file else { return }
    if held == 0 {
      held = try read(file)
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

  private func read(_ file: any OpenedFile) throws(FailureCause) -> Int {
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
    file = nil
    block = []
    ended(ending)
  }
}
