import ContentPipeline
import LocalFiles
import Planning
import SyncModel

/// The new outputs that an `update` withholds until all of its targets have succeeded, and access to them.
final class WithheldShelf {
  /// A new output of this update.
  struct New {
    var output: WithheldOutput
    /// The observation behind the target's verdict.
    var over: OutputObservation
    /// The old file's digest; `nil` if unknown.
    var overDigest: HexDigest?
  }

  /// An output that stays and is to get another time.
  struct Retiming {
    var record: TargetRecord
    var time: Timestamp
  }

  private let folder: StateFolder
  private let folders: WithheldFolders
  /// The withheld outputs of earlier updates.
  private var earlier: [RelativePath: WithheldOutput] = [:]
  private var new: [RelativePath: New] = [:]
  /// In the order in which they came.
  private(set) var retimings: [Retiming] = []

  init(_ folder: StateFolder, for root: RootFolder, earlier: [WithheldOutput]) {
    self.folder = folder
    folders = WithheldFolders(folder, for: root)
    for withheld in earlier { self.earlier[withheld.record.output] = withheld }
  }

  /// The name of an output's file in the state folder.
  static func key(of output: RelativePath) -> String { BodyIntake.key(of: output) }

  /// Removes withheld files without a record: a killed update has left them.
  ///
  /// Call it only if the state could be read.
  func removeUnrecorded() {
    let recorded = Set(
      earlier.keys.flatMap { [Self.key(of: $0), Self.key(of: $0) + WithheldFolders.ending] })
    for key in folder.withheldKeys() where !recorded.contains(key) { folder.removeWithheld(key) }
  }

  /// Drops withheld outputs that no target makes any more, with their files; returns these outputs.
  func dropUnknown(_ isKnown: (RelativePath) -> Bool) -> [RelativePath] {
    let unknown = earlier.keys.filter { !isKnown($0) }.sorted()
    for output in unknown {
      earlier[output] = nil
      folder.removeWithheld(Self.key(of: output))
      folders.remove(output)
    }
    return unknown
  }

  /// The withheld output of an earlier update for `output`, if its file is unchanged.
  func earlier(for output: RelativePath) -> TargetRecord? {
    guard let withheld = earlier[output] else { return nil }
    let signature = (try? folder.withheldSignature(Self.key(of: output))) ?? folders.signature(output)
    return signature == withheld.record.signature ? withheld.record : nil
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

  /// Opens the new output at `output`; `nil` if there is none, so that the output itself is read.
  func opener(of output: RelativePath) -> (@Sendable () throws(FailureCause) -> any OpenedFile)? {
    guard holds(output) else { return nil }
    let (folder, key) = (folder, Self.key(of: output))
    return { () throws(FailureCause) -> any OpenedFile in try folder.readWithheld(key, of: output) }
  }
}
