import Planning
import SyncModel

/// Reads each list of digests in `{target: T, entry: NAME}` once per run.
///
/// The cache stays valid: a list is read only after its target is settled for the run.
final class ListShelf {
  /// The longest list in bytes.
  static let longest = 64 << 20

  typealias Answer = (Result<ChecksumList, FailureCause>) -> Void

  private enum Entry {
    case underWay(Waiting)
    case here(Result<ChecksumList, FailureCause>)
  }

  /// The waiting callers; there may be thousands.
  private final class Waiting {
    var answers: [Answer]

    init(_ first: @escaping Answer) { answers = [first] }
  }

  private unowned let context: RunContext
  private var entries: [TargetID: Entry] = [:]

  init(_ context: RunContext) { self.context = context }

  /// `done` gets what the output of `id` lists.
  func read(_ id: TargetID, done: @escaping Answer) {
    switch entries[id] {
    case .here(let result): return done(result)
    case .underWay(let waiting): return waiting.answers.append(done)
    case nil: entries[id] = .underWay(Waiting(done))
    }
    let path = context.manifest[id].path
    let name = context.manifest[id].name.text
    OutputHasher.read(
      context.opener(of: path), limit: Self.longest, in: context,
      done: { [unowned self] bytes in
        finish(id, bytes.flatMap { ExpectedDigest.list($0, source: name) })
      })
  }

  /// The same at once.
  func read(_ id: TargetID) -> Result<ChecksumList, FailureCause> {
    if case .here(let result)? = entries[id] { return result }
    let target = context.manifest[id]
    let result = Result { () throws(FailureCause) in
      try ExpectedDigest.list(in: context.opener(of: target.path)(), source: target.name.text)
    }
    if entries[id] == nil { entries[id] = .here(result) }
    return result
  }

  private func finish(_ id: TargetID, _ list: Result<ChecksumList, FailureCause>) {
    guard case .underWay(let waiting) = entries[id] else { return }
    entries[id] = .here(list)
    for answer in waiting.answers { answer(list) }
  }
}
