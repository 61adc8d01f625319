import ContentPipeline
import LocalFiles
import Planning
import SyncModel

/// What an `update` withholds until all of its targets have succeeded: the new outputs, and what reads them meanwhile.
final class WithheldShelf {
  /// A new output of this update.
  struct New {
    var output: WithheldOutput
    /// What the target was judged by, and what stood there then.
    var over: OutputObservation
    /// The digest of what stood there; `nil` where it is not known.
    var overDigest: HexDigest?
  }

  /// An output that stays and is to get another time.
  struct Retiming {
    var record: TargetRecord
    var time: Timestamp
  }

  private let folder: StateFolder
  /// What earlier updates have withheld.
  private var earlier: [RelativePath: WithheldOutput] = [:]
  private var new: [RelativePath: New] = [:]
  /// In the order in which they came.
  private(set) var retimings: [Retiming] = []

  init(_ folder: StateFolder, earlier: [WithheldOutput]) {
    self.folder = folder
    for withheld in earlier { self.earlier[withheld.record.output] = withheld }
  }

  /// The name of an output's file in the state folder.
  static func key(of output: RelativePath) -> String { BodyIntake.key(of: output) }

  /// Removes the files of which nothing is recorded: an update that was killed has left them.
  ///
  /// Call only where the state could be read.
  func removeUnrecorded() {
    let recorded = Set(earlier.keys.map(Self.key))
    for key in folder.withheldKeys() where !recorded.contains(key) { folder.removeWithheld(key) }
  }

  /// What an earlier update has withheld for `output`, if its file is still what it was.
  func earlier(for output: RelativePath) -> TargetRecord? {
    guard let withheld = earlier[output],
      folder.withheldSignature(Self.key(of: output)) == withheld.record.signature
    else { return nil }
    return withheld.record
  }

  /// Whether an earlier update has withheld the file that is taken now, with the time that it is to have.
  private func keepsTime(_ output: RelativePath) -> Bool { earlier[output]?.keepsTime ?? false }

  func add(_ withholding: TargetAction.Withholding) {
    let output = withholding.record.output
    new[output] = New(
      output: WithheldOutput(
        record: withholding.record, keepsTime: withholding.keepsTime ?? keepsTime(output)),
      over: withholding.over, overDigest: withholding.overDigest)
  }

  func add(_ retiming: Retiming) { retimings.append(retiming) }

  /// Whether `output` is new in this update.
  func holds(_ output: RelativePath) -> Bool { new[output] != nil }

  /// All new outputs, sorted.
  var all: [New] { new.values.sorted { $0.output.record.output < $1.output.record.output } }

  /// What reads the new output at `output`; `nil` if there is none, so that the output itself is to be read.
  func opener(of output: RelativePath) -> (@Sendable () throws(FailureCause) -> ReadableFile)? {
    guard holds(output) else { return nil }
    let (folder, key) = (folder, Self.key(of: output))
    return { () throws(FailureCause) in try folder.readWithheld(key, of: output) }
  }
}
