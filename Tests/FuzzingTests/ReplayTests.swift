import Foundation
import Testing

/// A bounded part of what `scripts/fuzz` does without bounds: every committed seed, and mutations of them.
@Suite struct ReplayTests {
  /// Slow checks get fewer; `SYNCMAKE_FUZZ_CASES` asks for another number.
  private static func count(_ check: FuzzCheck) -> Int {
    if let asked = ProcessInfo.processInfo.environment["SYNCMAKE_FUZZ_CASES"].flatMap({ Int($0) }) {
      return asked
    }
    if check.name.hasPrefix("list-") { return 500 }
    return ["gzip": 200, "decoders": 600, "cleaning": 300, "manifest": 800, "lock": 800, "sidecar": 300][
      check.name] ?? 2000
  }

  @Test(arguments: FuzzCheck.all)
  func `the seeds and their mutations have every required property`(_ check: FuzzCheck) throws {
    let seeds = try Seeds.of(check.name)
    try #require(!seeds.isEmpty)
    for seed in seeds { try replay(check, seed.bytes, "seed \(seed.name)") }
    var mutations = Mutations(of: seeds.map(\.bytes), seed: 20_261_121)
    for number in 0..<Self.count(check) {
      try replay(check, mutations.next(), "mutation \(number)")
    }
  }

  /// Ends the test at the first violation: later ones would mostly repeat it.
  private func replay(_ check: FuzzCheck, _ input: [UInt8], _ name: String) throws {
    do throws(Violation) {
      try check.run(input)
    } catch {
      Issue.record("\(check.name), \(name), \(Data(input).base64EncodedString()): \(error)")
      throw error
    }
  }

  @Test func `every check has seeds, and all seeds have a check`() throws {
    let folders = try FileManager.default.contentsOfDirectory(atPath: Seeds.folder.path).sorted()
    #expect(folders == FuzzCheck.all.map(\.name).sorted())
  }
}

extension FuzzCheck: CustomTestStringConvertible {
  var testDescription: String { name }
}

/// The inputs in `Tests/Support/Fuzzing/Seeds`, in the order of their names.
enum Seeds {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Support/Fuzzing/Seeds")

  static func of(_ check: String) throws -> [(name: String, bytes: [UInt8])] {
    let folder = folder.appending(path: check)
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map { name in
      (name, try [UInt8](Data(contentsOf: folder.appending(path: name))))
    }
  }
}
