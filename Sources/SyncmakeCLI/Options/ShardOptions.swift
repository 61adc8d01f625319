import ArgumentParser
import Planning
import Reporting
import SyncModel

/// Which part of the targets is this command's (contract, section 13).
struct ShardOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Only this part of the targets, such as 3/16; explain says which part owns the target. seed/16 makes what several \
      parts need: run it first. auto and auto/16 read the scheduler's variables. size:3/16 divides by the sizes in the lock, host:3/16 by hosts.
      """, valueName: "shard"))
  var shard: String?

  @Flag(help: "With --shard: update what other shards need, too, instead of leaving it to seed.")
  var withShared = false

  func validate() throws {
    if withShared, shard == nil { throw ValidationError("--with-shared needs --shard") }
    _ = try found()
  }

  /// The shard, and who has named it if that was left to a scheduler; `nil` for all targets.
  func found() throws -> (shard: Shard, scheduler: ShardScheduler?)? {
    try shard.map(Self.found)
  }

  /// The same for a value of `--shard`.
  static func found(_ text: String) throws -> (shard: Shard, scheduler: ShardScheduler?) {
    switch try Self.request(text, option: "--shard") {
    case .named(let shard): return (shard, nil)
    case .automatic(let division, let total):
      do throws(ShardScheduler.Fault) {
        let answer = try ShardScheduler.find(total: total, in: Environment.variable)
        return (Shard(.number(answer.number), of: answer.total, by: division), answer.scheduler)
      } catch {
        throw ValidationError(ShardWording.message(error))
      }
    }
  }

  /// Whether the values of variables are those that seed has left: which shard a target is in may depend on them.
  var takesPresentValues: Bool {
    guard !withShared, let found = try? found() else { return false }
    return found.shard.part != .seed
  }

  /// The value of `--shards`, such as `16` or `size:16`.
  static func all(_ text: String) throws -> (division: Shard.Division, total: Int) {
    let colon = text.utf8.lastIndex(of: UInt8(ascii: ":"))
    let total = colon.map { String(text[text.utf8.index(after: $0)...]) } ?? text
    let division = colon.map { text[...$0] } ?? ""
    guard !total.contains("/") else {
      throw ValidationError("--shards takes the number of shards, such as 16 or size:16, not '\(text)'")
    }
    guard case .named(let seed) = try request("\(division)seed/\(total)", option: "--shards") else {
      throw ValidationError("--shards needs the number of shards")
    }
    return (seed.division, seed.total)
  }

  private static func request(_ text: String, option: String) throws -> ShardRequest {
    do throws(ShardRequest.Fault) { return try ShardRequest(text) } catch {
      throw ValidationError(ShardWording.message(error, text, option: option))
    }
  }
}
