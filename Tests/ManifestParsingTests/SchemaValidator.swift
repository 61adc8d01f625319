import Foundation
import SyncTestSupport

/// Runs `Tests/Support/Tools/validate-json.py`, which needs python3 with jsonschema and yaml.
enum SchemaValidator {
  struct Unusable: Error, CustomStringConvertible {
    var description: String
  }

  static let repository = TestTools.project

  /// For each path, the error of a schema; `nil` if it accepts the file.
  static func verdicts(_ paths: [String], schema: String) throws -> [String: String?] {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).schema.json")
    try Data(schema.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let process = try runProcess(
      "/usr/bin/env", ["python3", "-B", TestTools.path("validate-json.py"), file.path] + paths)
    guard let status = process.status, status < 2 else {
      throw Unusable(
        description: "validate-json.py cannot run: install python3, python3-jsonschema and python3-yaml")
    }
    var verdicts: [String: String?] = [:]
    for line in process.stdout.split(separator: "\n") {
      if line.hasPrefix("valid ") {
        verdicts.updateValue(nil, forKey: String(line.dropFirst(6)))
      } else if line.hasPrefix("invalid "), let colon = line.firstRange(of: ": ") {
        verdicts[String(line[..<colon.lowerBound].dropFirst(8))] = String(line[colon.upperBound...])
      }
    }
    return verdicts
  }
}
