import Foundation
import ManifestParsing
import Testing

@Suite struct `The schema` {
  @Test func `the file in schema is the one that the program prints`() throws {
    let file = SchemaValidator.repository.appending(path: "schema/syncmake.schema.json")
    #expect(
      try Data(contentsOf: file) == Data(ManifestSchema.text.utf8), "copy what `syncmake schema` prints")
  }

  @Test func `every key has a description`() throws {
    let schema = try JSONSerialization.jsonObject(with: Data(ManifestSchema.text.utf8)) as? [String: Any]
    let definitions = try #require(schema?["definitions"] as? [String: Any])
    var keys = 0
    func isDescribed(_ value: Any) -> Bool {
      guard let value = value as? [String: Any] else { return false }
      if let text = value["description"] as? String { return text.hasSuffix(".") }
      guard let reference = value["$ref"] as? String, let name = reference.split(separator: "/").last else {
        return false
      }
      return definitions[String(name)].map(isDescribed) ?? false
    }
    func walk(_ value: Any) {
      if let list = value as? [Any] { return list.forEach(walk) }
      guard let mapping = value as? [String: Any] else { return }
      for (key, property) in mapping["properties"] as? [String: Any] ?? [:] {
        keys += 1
        #expect(isDescribed(property), "\(key)")
      }
      mapping.values.forEach(walk)
    }
    walk(schema as Any)
    #expect(keys > 60)
  }
}
