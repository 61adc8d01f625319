import CityData
import Foundation
import Testing

@Suite struct CityDataTests {
  private let publisher: Publisher
  private let folder: URL

  init() throws {
    publisher = try Publisher()
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private var data: CityData { CityData(publisher: publisher.url, folder: folder.path) }
  private var database: String? {
    try? String(contentsOf: folder.appendingPathComponent("cities.csv"), encoding: .utf8)
  }

  /// Publishes a database, compressed and with its md5.
  private func publish(_ rows: String) throws -> [UInt8] {
    let plain = folder.appendingPathComponent("published")
    try Data(rows.utf8).write(to: plain)
    let packed = try output("gzip", "-nc", plain.path)
    try packed.write(to: plain)
    let sum = try output("md5sum", plain.path)
    publisher.publish(Array(packed), at: "/cities.csv.gz")
    publisher.publish(Array(sum.prefix(32)), at: "/cities.csv.gz.md5")
    return Array(packed)
  }

  private func output(_ arguments: String...) throws -> Data {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return bytes
  }

  @Test func `the app asks, fetches, unpacks and replaces, and says whether the database changed`()
    async throws
  {
    defer { publisher.stop() }
    _ = try publish("Oslo\n")
    #expect(try await data.isNewer())
    #expect(try await data.update())
    #expect(database == "Oslo\n")
    _ = publisher.requests()
    #expect(try await !data.isNewer())
    #expect(try await !data.update())
    // Only the published md5 was asked for.
    #expect(publisher.requests().allSatisfy { $0.hasSuffix("/cities.csv.gz.md5") })
    _ = try publish("Oslo\nRoma\n")
    #expect(try await data.isNewer())
    #expect(database == "Oslo\n")
    #expect(try await data.update())
    #expect(database == "Oslo\nRoma\n")
  }

  @Test func `a download that breaks off goes on where it was, and is published whole`() async throws {
    defer { publisher.stop() }
    let rows = (0..<400_000).map { "\($0 &* 2_654_435_761 % 4_294_967_291)\n" }.joined()
    let packed = try publish(rows)
    publisher.breakOff(after: packed.count / 2)
    #expect(try await data.update())
    #expect(database == rows)
    #expect(publisher.requests().contains { $0.hasPrefix("GET /cities.csv.gz from ") })
  }
}
