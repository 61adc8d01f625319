import SyncModel

/// Reads local files on a worker thread, for the driver.
enum OutputHasher {
  /// Digests an existing output; `done` is called on the driver's thread.
  ///
  /// A folder's digest is its tree digest, whatever `algorithms` are; `locked` is that of the lock.
  static func hash(
    _ output: Output, _ algorithms: Set<DigestAlgorithm>, keepingEdits: Bool = false,
    locked: HexDigest? = nil, in context: RunContext,
    done: @escaping (Result<OutputReading, FailureCause>) -> Void
  ) {
    let (root, path) = (context.root, output.path)
    let trees = output.isFolder ? context.state.trees : nil
    let mayWrite = context.state.committer != nil
    context.driver.work { isInVain in
      .digested(
        Result { () throws(FailureCause) in
          if let trees {
            return try trees.read(
              path, keepingEdits: keepingEdits, mayWrite: mayWrite, locked: locked, isInVain: isInVain)
          }
          return OutputReading(content: try root.open(path).identity(algorithms, isInVain: isInVain))
        })
    } done: { letter in
      if case .digested(let result) = letter { done(result) }
    }
  }

  /// Reads a whole small file: an output, or a `file` source; more than `limit` bytes is `tooLarge`.
  static func read(
    _ open: @escaping @Sendable () throws(FailureCause) -> any OpenedFile, limit: Int, in context: RunContext,
    done: @escaping (Result<[UInt8], FailureCause>) -> Void
  ) {
    context.driver.work { _ in
      .read(Result { () throws(FailureCause) in try all(of: try open(), limit: limit) })
    } done: { letter in
      if case .read(let result) = letter { done(result) }
    }
  }

  /// The whole of `file`, on this thread; more than `limit` bytes is `tooLarge`.
  static func all(of file: any OpenedFile, limit: Int) throws(FailureCause) -> [UInt8] {
    guard file.signature.size <= limit else {
      throw .tooLarge(limit: Int64(limit), size: file.signature.size)
    }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      var count = 0
      var fault: FailureCause?
      unsafe block.withUnsafeMutableBytes { buffer in
        do throws(FailureCause) { count = try unsafe file.read(into: buffer) } catch { fault = error }
      }
      if let fault { throw fault }
      if count == 0 { return bytes }
      bytes += block[..<count]
      guard bytes.count <= limit else { throw .tooLarge(limit: Int64(limit), size: Int64(bytes.count)) }
    }
  }
}
