import Platform
package import SyncModel

/// A file that is open for reading from its start; closed when the last reference goes.
///
/// Used by one thread at a time.
package final class ReadableFile: @unchecked Sendable {
  /// As it was when it was opened.
  package let signature: FileSignature
  let descriptor: Descriptor
  private let subject: FailureSubject
  /// Whether others may set its time at any moment, which then says nothing of its bytes.
  private let isTouched: Bool
  private var offset: Int64 = 0

  init(
    _ descriptor: consuming Descriptor, _ signature: FileSignature, _ subject: FailureSubject,
    isTouched: Bool = false
  ) {
    self.descriptor = descriptor
    self.signature = signature
    self.subject = subject
    self.isTouched = isTouched
  }

  /// Whether somebody may execute it; throws `.sourceUnreadable`.
  package var isExecutable: Bool {
    get throws(FailureCause) {
      try subject.attempt { () throws(SystemError) in try FileStatus(descriptor).isExecutable }
    }
  }

  /// Reads on into `buffer`, which is not empty.
  ///
  /// - Returns: how many bytes came, which may be fewer than fit; 0 at the end. Throws `.sourceUnreadable`.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(FailureCause) -> Int {
    let count = try subject.attempt { () throws(SystemError) in
      try unsafe descriptor.read(into: buffer, at: offset)
    }
    offset += Int64(count)
    return count
  }

  /// Hands the bytes from here on to `body` in blocks, until there are no more or it returns false.
  package func readBlocks(_ body: (UnsafeRawBufferPointer) -> Bool) throws(FailureCause) {
    var block = [UInt8](repeating: 0, count: 256 << 10)
    var goesOn = true
    while goesOn {
      var fault: FailureCause?
      unsafe block.withUnsafeMutableBytes { buffer in
        do throws(FailureCause) {
          let count = try unsafe read(into: buffer)
          goesOn = unsafe count > 0 && body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        } catch { fault = error }
      }
      if let fault { throw fault }
    }
  }

  /// Reads at `offset`; the place of ``read(into:)`` stays.
  package func read(
    at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(FailureCause) -> Int {
    try subject.attempt { () throws(SystemError) in try unsafe descriptor.read(into: buffer, at: offset) }
  }

  /// Throws `.sourceUnreadable` if its size or time has changed since it was opened: the bytes may be a mixture.
  package func requireUnchanged() throws(FailureCause) {
    let now = try subject.attempt { () throws(SystemError) in try FileStatus(descriptor).signature }
    guard now.size == signature.size, isTouched || now.modified == signature.modified else {
      throw .sourceUnreadable(path: subject.path, .changedMeanwhile)
    }
  }
}
