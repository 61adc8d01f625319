import SyncModel
import Testing

@Suite struct ShardTests {
  @Test(arguments: [
    ("3/16", Shard(.number(3), of: 16)), ("hash:3/16", Shard(.number(3), of: 16)),
    ("1/1", Shard(.number(1), of: 1)), ("size:16/16", Shard(.number(16), of: 16, by: .size)),
    ("host:2/3", Shard(.number(2), of: 3, by: .host)), ("seed/16", Shard(.seed, of: 16)),
    ("size:seed/4", Shard(.seed, of: 4, by: .size)), ("007/100000", Shard(.number(7), of: 100_000)),
  ])
  func `a shard is named by its number or seed, and the total`(_ text: String, _ shard: Shard) throws {
    #expect(try ShardRequest(text) == .named(shard))
    #expect(try ShardRequest(shard.text) == .named(shard))
    #expect(Shard(folderName: shard.folderName) == shard)
  }

  @Test(arguments: [
    ("auto", ShardRequest.automatic(.hash, total: nil)), ("auto/16", .automatic(.hash, total: 16)),
    ("size:auto", .automatic(.size, total: nil)), ("host:auto/2", .automatic(.host, total: 2)),
  ])
  func `auto leaves the number, and perhaps the total, to the scheduler`(
    _ text: String, _ request: ShardRequest
  ) throws {
    #expect(try ShardRequest(text) == request)
  }

  @Test(arguments: [
    ("", ShardRequest.Fault.form), ("3", .form), ("3/16/2", .form), ("seed", .form), ("autos", .form),
    ("/16", .part("")), ("+1/3", .part("+1")), ("-1/3", .part("-1")), ("1.0/3", .part("1.0")),
    (" 1/3", .part(" 1")), ("Auto/3", .part("Auto")), ("٣/16", .part("٣")),
    ("1/", .total("")), ("1/0", .total("0")), ("1/+3", .total("+3")), ("1/-3", .total("-3")),
    ("1/100001", .total("100001")), ("1/99999999999999999999", .total("99999999999999999999")),
    ("auto/0", .total("0")), ("seed/x", .total("x")),
    ("0/3", .range("0", total: 3)), ("4/3", .range("4", total: 3)),
    ("99999999999999999999/3", .range("99999999999999999999", total: 3)),
    ("count:1/3", .division("count")), (":1/3", .division("")), ("SIZE:1/3", .division("SIZE")),
  ])
  func `anything else is refused with what is wrong`(_ text: String, _ fault: ShardRequest.Fault) {
    #expect(throws: fault) { try ShardRequest(text) }
  }

  @Test(arguments: [
    "", "3", "3-of", "3-of-2", "03-of-16", "hash-3-of-16", "x-3-of-16", "3-in-16", "3-of-16-",
  ])
  func `a folder of another name is no shard's`(_ name: String) {
    #expect(Shard(folderName: name) == nil)
  }

  @Test func `documents count seed as 0`() {
    #expect(Shard(.seed, of: 3).index == 0)
    #expect(Shard(.number(3), of: 3).index == 3)
    #expect(Shard(.number(3), of: 3, by: .size).seed == Shard(.seed, of: 3, by: .size))
  }
}
