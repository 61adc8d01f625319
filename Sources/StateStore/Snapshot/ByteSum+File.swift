package import Platform
package import SyncModel

extension ByteSum {
  /// The sum of all bytes of a file; `nil` if it cannot be read.
  package static func value(of file: borrowing Descriptor, _ key: Key) -> Value? {
    var sum = ByteSum(key)
    do throws(SystemError) {
      try unsafe file.readBlocks { block in
        unsafe sum.update(block)
        return true
      }
    } catch {
      return nil
    }
    return sum.value
  }
}
