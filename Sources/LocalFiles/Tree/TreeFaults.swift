import Platform
import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension StagedTree {
  /// Gives failures the path of the entry.
  func attempt<Result: ~Copyable>(
    _ path: [UInt8], _ body: () throws(SystemError) -> Result
  ) throws(FailureCause) -> Result {
    do throws(SystemError) { return try body() } catch {
      // A live file that was to be used is another by now.
      if error.code == ESTALE, !path.isEmpty { throw .edited([path]) }
      throw FailureSubject.output(path.isEmpty ? order.output.text : order.output.text(of: path)).cause(error)
    }
  }
}

extension FailureCause {
  /// Names the first of the edited files.
  static func edited(_ paths: [[UInt8]]) -> FailureCause {
    let first = paths.sorted { $0.lexicographicallyPrecedes($1) }.prefix(10)
    return .filesModified(paths: first.map { String(decoding: $0, as: UTF8.self) }, count: paths.count)
  }
}
