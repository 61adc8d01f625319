import SyncModel

/// The form of a list of changes in the ``ChangeLog``.
enum LoggedChanges {
  /// Precedes each change; part of the file format.
  private enum Kind: UInt8 {
    case intend = 1
    case commit = 2
    case withdraw = 3
    case forget = 4
  }

  /// `nil` if one of them is never logged: what an update withholds, and sidecars, which may be long.
  static func encode(_ changes: [StateChange]) -> [UInt8]? {
    var out: [UInt8] = []
    for change in changes {
      switch change {
      case .intend(let record): add(.intend, record, to: &out)
      case .commit(let record): add(.commit, record, to: &out)
      case .withdraw(let output): add(.withdraw, output, to: &out)
      case .forget(let output): add(.forget, output, to: &out)
      case .sidecar, .withhold, .unwithhold, .decide, .concludePublication: return nil
      }
    }
    return out
  }

  private static func add(_ kind: Kind, _ record: TargetRecord, to out: inout [UInt8]) {
    out.append(kind.rawValue)
    IntentionList.append(record, to: &out)
  }

  private static func add(_ kind: Kind, _ output: RelativePath, to out: inout [UInt8]) {
    var row = IntentionList.Writer()
    row.text(output.text)
    out.append(kind.rawValue)
    out += row.out.bytes
  }

  /// The changes in their order; throws if `bytes` are not valid.
  static func decode(_ bytes: UnsafeRawBufferPointer) throws(DamagedData) -> [StateChange] {
    var reader = unsafe IntentionList.Reader(bytes)
    var changes: [StateChange] = []
    while !reader.isAtEnd {
      guard let kind = Kind(rawValue: try reader.byte()) else { throw DamagedData() }
      switch kind {
      case .intend: changes.append(.intend(try RecordRow.read(&reader)))
      case .commit: changes.append(.commit(try RecordRow.read(&reader)))
      case .withdraw: changes.append(.withdraw(output: try output(&reader)))
      case .forget: changes.append(.forget(output: try output(&reader)))
      }
    }
    return changes
  }

  private static func output(_ reader: inout IntentionList.Reader) throws(DamagedData) -> RelativePath {
    let text = try reader.text()
    guard let path = try? RelativePath(text), path.text == text else { throw DamagedData() }
    return path
  }

  /// The changes without those intentions of which a later one of them is the record.
  ///
  /// Those that come to nothing stay: without them a transaction might change nothing, and the log would stay valid.
  static func withoutSettled(_ changes: [StateChange]) -> [StateChange] {
    guard changes.contains(where: \.isIntention) else { return changes }
    var settled: Set<String> = []
    var kept: [StateChange] = []
    for change in changes.reversed() {
      switch change {
      case .commit(let record): settled.insert(record.output.text)
      case .intend(let record) where settled.contains(record.output.text): continue
      case .intend, .withdraw, .forget, .sidecar, .withhold, .unwithhold, .decide, .concludePublication: break
      }
      kept.append(change)
    }
    return kept.reversed()
  }
}

extension StateChange {
  /// Whether it announces a file that is about to be put in place.
  var isIntention: Bool { if case .intend = self { true } else { false } }
}
