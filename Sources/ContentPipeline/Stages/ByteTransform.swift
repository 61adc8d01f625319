import SyncModel

/// A step that makes other bytes of those that come: a decompressor, or the extractor of an archive's entry.
protocol ByteTransform: AnyObject {
  /// Resets it to the start.
  func restart()

  /// Transforms until `input` is used up or `output` is full; returns the number of bytes of `input` that were used.
  ///
  /// A full `output` means that there may be more, even without more input: call again with another block and the
  /// rest of the input, until there is room left. `isLast`: there is no more input, and everything that is held is
  /// returned.
  func unpack(_ input: UnsafeRawBufferPointer, into output: Block, isLast: Bool) throws(FailureCause) -> Int

  /// The input has ended. Throws unless it was whole; call it after `unpack` with `isLast`.
  func finish() throws(FailureCause)

  /// Whether all output of the calls before the last one is void, and what that call has returned is the new
  /// start; asked once after each call.
  func takesBack() -> Bool

  /// Ends what it does beside, and uses no file until it is used again.
  func stop()

  /// Whether what comes out is a program, as an archive says of its files; `nil` if nothing says so.
  var isExecutable: Bool? { get }
}

extension ByteTransform {
  func stop() {}
  func takesBack() -> Bool { false }
  var isExecutable: Bool? { nil }
}
