import Execution
import Planning
import Reporting
import SyncModel

/// Files of one root or several, each root with a run of its own, one after the other; blocks while it works.
struct FileRuns {
  private var parts: [(numbers: [Int], work: FileWork)] = []
  private let count: Int

  /// Throws if a value is invalid, or two files have the same destination: then nothing is done.
  ///
  /// `snapshot` is the one that the run writes; `nil` for none.
  init(
    _ files: [FileSync], _ options: RunOptions, _ environment: [String: String],
    writing snapshot: FileSnapshot? = nil
  ) throws(SyncError) {
    count = files.count
    let places = FilePlace.all(files)
    try Self.check(files, places)
    var order: [FilePlace] = []
    var numbers: [FilePlace: [Int]] = [:]
    for (number, place) in places.enumerated() {
      if numbers[place] == nil { order.append(place) }
      numbers[place, default: []].append(number)
    }
    for place in order {
      let chosen = numbers[place] ?? []
      parts.append((chosen, try FileWork(chosen.map { files[$0] }, options, environment, writing: snapshot)))
    }
  }

  /// The same with the error as a value.
  static func made(
    _ files: [FileSync], _ options: RunOptions, _ environment: [String: String],
    writing snapshot: FileSnapshot? = nil
  ) -> Result<FileRuns, SyncError> {
    do throws(SyncError) {
      return .success(try FileRuns(files, options, environment, writing: snapshot))
    } catch {
      return .failure(error)
    }
  }

  /// Brings them up to date: by a snapshot if the sources confirm all of them, else each by its own rule.
  static func perform(
    _ files: [FileSync], _ options: RunOptions, _ environment: [String: String], _ stop: StopSignal,
    _ report: @escaping (Event) -> Void
  ) -> Result<[TargetResult], SyncError> {
    let snapshot = FileSnapshot(files, options, environment)
    let found = snapshot?.find(stop)
    if let results = found?.results { return .success(results) }
    return made(files, options, environment, writing: snapshot).flatMap {
      $0.run(stop, early: found?.early, report)
    }
  }

  /// The errors that a manifest has for these, but with codes of their own.
  private static func check(_ files: [FileSync], _ places: [FilePlace]) throws(SyncError) {
    var seen: Set<ByteString> = []
    for (file, place) in zip(files, places) {
      let path: RelativePath
      do throws(RelativePath.Fault) { path = try file.path } catch {
        guard error == .leavesRoot || error == .absolute else { continue }
        throw SyncError(
          .outsideRoot, CleanText.clean("the destination \"\(file.destination)\" is not below the root"),
          hint: "write a path relative to the root, without ..")
      }
      guard seen.insert(ByteString(place.path(of: path))).inserted else {
        throw SyncError(
          .takenDestination, CleanText.clean("two files have the destination \"\(file.destination)\""))
      }
    }
  }

  func plan(_ stop: StopSignal) -> Result<[PlannedTarget], SyncError> {
    var planned: [PlannedTarget?] = Array(repeating: nil, count: count)
    for (numbers, work) in parts {
      switch work.plan(stop) {
      case .success(let lines): for (number, line) in zip(numbers, lines) { planned[number] = line }
      case .failure(let error): return .failure(error)
      }
    }
    return .success(planned.compactMap { $0 })
  }

  /// The results in the order of the files.
  ///
  /// What one run did is never lost: if the next one cannot begin, or the task was cancelled, its files are skipped ones
  /// with that error. Fails only if no file came to an end.
  ///
  /// `early` are requests that were made before, for files of one root.
  private func run(
    _ stop: StopSignal, early: EarlyAnswers?, _ report: @escaping (Event) -> Void
  ) -> Result<[TargetResult], SyncError> {
    let all: [TargetResult]
    if parts.count == 1 {
      all = parts[0].work.run(stop, early: early, report)
    } else {
      var results: [TargetResult?] = Array(repeating: nil, count: count)
      for (numbers, work) in parts {
        for (number, result) in zip(numbers, work.run(stop, report)) { results[number] = result }
      }
      all = results.compactMap { $0 }
    }
    if all.allSatisfy({ $0.outcome == .skipped }), let error = all.lazy.compactMap(\.error).first {
      return .failure(error)
    }
    return .success(all)
  }
}

extension FileSync {
  /// The destination in its normal form; that of a folder ends without its slash.
  var path: RelativePath {
    get throws(RelativePath.Fault) {
      try RelativePath(isFolder ? String(destination.dropLast()) : destination)
    }
  }

  /// The same as what it is.
  var output: Output {
    get throws(RelativePath.Fault) { isFolder ? .folder(try path) : .file(try path, mode: nil) }
  }

  private var isFolder: Bool { destination.utf8.last == UInt8(ascii: "/") }
}
