import ArgumentParser
import Platform
import Reporting
import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

struct MergeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge", abstract: "Make one report of the reports of all shards.",
    usage: "syncmake merge [<options>] <file> ...",
    discussion: """
      Reads what `run --shard --json` printed for each shard. Ends in 3 if a report is missing, is there twice, is cut off \
      or is of another manifest; else in the worst status of all shards, of which 2 is worse than 75.

      Examples:
        syncmake merge out/*.json                     the shards and all failures
        syncmake merge out/*.json --json > run.json   one document, as of one run
        syncmake merge out/*.json --junit junit.xml   a test suite for each shard
      """)

  @OptionGroup var folder: FolderOptions
  @OptionGroup var talk: TalkOptions

  @Flag(help: "Print one JSON document.")
  var json = false

  @Option(
    help: ArgumentHelp("Write a JUnit file with a suite for each shard.", valueName: "file"),
    completion: .file())
  var junit: String?

  @Argument(help: ArgumentHelp("The JSON documents of all shards.", valueName: "file"), completion: .file())
  var files: [String]

  /// The document of a million targets has a few hundred megabytes.
  private static let largest = 2 << 30

  func validate() throws {
    if files.isEmpty {
      throw ValidationError("merge needs the reports of all shards, as in `syncmake merge out/*.json`")
    }
    if json, junit.map(ReportFile.isStandardOutput) == true {
      throw ValidationError("--json and a report cannot both go to standard output")
    }
  }

  func run() throws {
    try folder.enter(talk.style)
    try refuseOwnReports()
    let merged: MergedReports
    let reports = try read()
    do throws(MergedReports.Fault) { merged = try MergedReports(reports) } catch {
      let (message, hint) = MergeText.wording(error)
      throw Failure.manifest(message, hint, talk.style)
    }
    if let junit { try write(merged.junit(), to: junit) }
    if json {
      Console.out(merged.json())
    } else if !talk.silent {
      Console.out(merged.table(talk.outStyle))
    }
    Console.err(merged.problems(talk.style))
    if merged.exitStatus != 0 { throw ExitCode(Int32(merged.exitStatus)) }
  }

  /// The result is not written over a report that it is made of.
  private func refuseOwnReports() throws {
    guard let junit, !ReportFile.isStandardOutput(junit), let place = try? ReportPlace(junit),
      let report = files.first(where: { (try? ReportPlace($0))?.isSame(as: place) == true })
    else { return }
    throw Failure.usage("cannot write \(junit): it is the report \(report)", talk.style)
  }

  private func read() throws -> [ShardReport] {
    try files.map { path in
      let bytes: [UInt8]
      do throws(SystemError) {
        bytes = try Self.bytes(path)
      } catch {
        throw Failure.manifest("cannot read \(path): \(error.text)", nil, talk.style)
      }
      do throws(ShardReport.Fault) { return try ShardReport(bytes, path: path) } catch {
        let (message, hint) = MergeText.wording(error, path: path)
        throw Failure.manifest(message, hint, talk.style)
      }
    }
  }

  private static func bytes(_ path: String) throws(SystemError) -> [UInt8] {
    let status = try unsafe FileStatus(path, in: AT_FDCWD, followingLinks: true)
    guard status.kind == .other else {
      return try Descriptor(path, in: AT_FDCWD, O_RDONLY).readAll(limit: largest)
    }
    // A pipe has neither a size nor places, and its writer is waited for.
    let file = Descriptor(owning: try call { unsafe open(path, O_RDONLY | O_CLOEXEC) })
    var bytes: [UInt8] = []
    try unsafe file.readBlocks { block in
      unsafe bytes += block
      return bytes.count < largest
    }
    return bytes
  }

  private func write(_ text: String, to path: String) throws {
    do throws(ReportFile.Problem) { try ReportFile.write(whole: text, to: path) } catch {
      throw Failure.report(path, error, talk.style)
    }
  }
}
