/// One part of a manifest that is divided among many runs (contract, section 13).
package struct Shard: Sendable, Hashable {
  /// Which part.
  package enum Part: Sendable, Hashable {
    /// From 1 to ``Shard/total``: the targets that it owns.
    case number(Int)
    /// What two shards or more need, before them.
    case seed
  }

  /// How the targets are divided.
  package enum Division: String, Sendable, Hashable, CaseIterable {
    /// By the first URL: stable when targets come and go.
    case hash
    /// By the sizes in the lock: balanced.
    case size
    /// Whole hosts together.
    case host

    /// What stands before the part on a command line, such as `size:`; empty for ``hash``.
    package var prefix: String { self == .hash ? "" : rawValue + ":" }
  }

  /// The largest ``total``: the most pods of an indexed job of Kubernetes, and far more than an array of Slurm has.
  package static let mostShards = 100_000

  /// Which part of it.
  package var part: Part
  /// The number of shards, 1 or more, without ``Part/seed``.
  package var total: Int
  /// How the targets are divided.
  package var division: Division

  /// `total` is from 1 to ``mostShards``, and a number from 1 to `total`.
  package init(_ part: Part, of total: Int, by division: Division = .hash) {
    self.part = part
    self.total = total
    self.division = division
  }

  /// In documents: the shard's number, and 0 for ``Part/seed``.
  package var index: Int { if case .number(let number) = part { number } else { 0 } }

  /// As on a command line, such as `3/16`, `seed/16` or `size:3/16`.
  package var text: String { "\(division.prefix)\(partText)/\(total)" }

  /// The name of its folder below `.syncmake/shards`, such as `3-of-16` or `size-3-of-16`.
  package var folderName: String {
    (division == .hash ? "" : division.rawValue + "-") + "\(partText)-of-\(total)"
  }

  /// The seed of the same division, and this one itself if it is that.
  package var seed: Shard { Shard(.seed, of: total, by: division) }

  private var partText: String { if case .number(let number) = part { "\(number)" } else { "seed" } }

  /// The shard whose ``folderName`` this is; `nil` if there is none.
  package init?(folderName: String) {
    let parts = folderName.split(separator: "-", omittingEmptySubsequences: false)
    let division = parts.count == 4 ? Division(rawValue: String(parts[0])) : .hash
    guard parts.count == 3 || parts.count == 4, let division, parts[parts.count - 2] == "of",
      let request = try? ShardRequest(
        "\(division.rawValue):\(parts[parts.count - 3])/\(parts[parts.count - 1])"),
      case .named(let shard) = request, shard.folderName == folderName
    else { return nil }
    self = shard
  }
}

/// The value of `--shard`.
package enum ShardRequest: Sendable, Equatable {
  /// This one.
  case named(Shard)
  /// The one that the scheduler's variables name; `total` is the user's, if given.
  case automatic(Shard.Division, total: Int?)

  /// Why a text names no shard.
  package enum Fault: Error, Sendable, Equatable {
    /// It has no such form at all.
    case form
    /// What precedes the colon is no way to divide.
    case division(String)
    /// Neither `seed`, `auto` nor a number of digits precedes the slash.
    case part(String)
    /// What follows the slash is not a number from 1 to ``Shard/mostShards``.
    case total(String)
    /// The number is not from 1 to the total.
    case range(String, total: Int)
  }

  /// Reads `[hash:|size:|host:]` and then `N/TOTAL`, `seed/TOTAL`, `auto` or `auto/TOTAL`.
  package init(_ text: String) throws(Fault) {
    var rest = text[...]
    var division = Shard.Division.hash
    if let colon = rest.utf8.firstIndex(of: UInt8(ascii: ":")) {
      let name = String(rest[..<colon])
      guard let known = Shard.Division(rawValue: name) else { throw .division(name) }
      division = known
      rest = rest[rest.utf8.index(after: colon)...]
    }
    let parts = rest.split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
    if parts == ["auto"] {
      self = .automatic(division, total: nil)
      return
    }
    guard parts.count == 2 else { throw .form }
    let total = try Self.total(parts[1])
    switch parts[0] {
    case "auto": self = .automatic(division, total: total)
    case "seed": self = .named(Shard(.seed, of: total, by: division))
    default:
      guard Self.isDigits(parts[0]) else { throw .part(parts[0]) }
      guard let number = Int(parts[0]), (1...total).contains(number) else {
        throw .range(parts[0], total: total)
      }
      self = .named(Shard(.number(number), of: total, by: division))
    }
  }

  /// A number of shards, as the part behind the slash has it.
  private static func total(_ text: String) throws(Fault) -> Int {
    guard isDigits(text), let total = Int(text), (1...Shard.mostShards).contains(total) else {
      throw .total(text)
    }
    return total
  }

  /// Without a sign, which `Int` would take.
  private static func isDigits(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}
