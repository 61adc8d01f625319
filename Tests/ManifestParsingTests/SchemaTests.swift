import Foundation
import ManifestParsing
import Testing

@Suite struct `The schema` {
  @Test func `the file under schema/ is the one that the program prints`() throws {
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

  @Test(arguments: [
    ("syncmake", #"{"version": 1, "targets": {"a": {"url": "https://x.org/a", "cache": VALUE}}}"#),
    ("configuration", #"{"remote_cache": {"url": VALUE}}"#),
  ])
  func `a plain off may be false, as YAML 1.1 reads it`(name: String, text: String) throws {
    let schema = try String(
      contentsOf: SchemaValidator.repository.appending(path: "schema/\(name).schema.json"), encoding: .utf8)
    for (value, isRight) in [
      ("\"off\"", true), ("false", true), ("true", false), ("0", false), ("null", false),
    ] {
      let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
      try Data(text.replacing("VALUE", with: value).utf8).write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      let verdicts = try SchemaValidator.verdicts([file.path], schema: schema)
      #expect((verdicts[file.path] == .some(nil)) == isRight, "\(value)")
    }
  }

  /// Schema forms that prevent completion, or leave a choice unexplained, in yaml-language-server and in VS Code.
  @Test func `every choice that an editor offers is explained`() throws {
    let schema = try JSONSerialization.jsonObject(with: Data(ManifestSchema.text.utf8)) as? [String: Any]
    let definitions = try #require(schema?["definitions"] as? [String: [String: Any]])
    var choices = 0
    var snippets = 0
    func isExplained(_ branch: [String: Any]) -> Bool {
      if branch["title"] != nil || branch["description"] != nil || branch["enum"] != nil { return true }
      if let reference = branch["$ref"] as? String, let name = reference.split(separator: "/").last {
        return definitions[String(name)]?["description"] != nil
      }
      // A branch of one plain type, or one that only restricts its neighbours, needs no description.
      return branch["properties"] == nil && branch["items"] == nil
    }
    func walk(_ value: Any, _ path: String) {
      if let list = value as? [Any] {
        for item in list { walk(item, path) }
        return
      }
      guard let mapping = value as? [String: Any] else { return }
      if let values = mapping["enum"] as? [Any] {
        choices += 1
        let words = mapping["enumDescriptions"] as? [String]
        #expect(words?.count == values.count, "\(path)")
        #expect(words?.allSatisfy { $0.hasSuffix(".") } == true, "\(path)")
        // An editor would offer "true" beside true.
        #expect(values.allSatisfy { $0 is String }, "\(path)")
      }
      for snippet in mapping["defaultSnippets"] as? [[String: Any]] ?? [] {
        snippets += 1
        #expect(
          snippet["label"] is String && snippet["description"] is String && snippet["body"] != nil, "\(path)")
      }
      // yaml-language-server 0.17 offers nothing if an example is not a scalar.
      let examples = mapping["examples"] as? [Any] ?? []
      #expect(examples.allSatisfy { $0 is String }, "\(path)")
      for key in ["anyOf", "oneOf"] {
        for branch in mapping[key] as? [[String: Any]] ?? [] {
          #expect(isExplained(branch), "\(path).\(key)")
        }
      }
      for (key, value) in mapping where key != "examples" && key != "defaultSnippets" {
        walk(value, "\(path).\(key)")
      }
    }
    walk(schema as Any, "")
    #expect(choices >= 5 && snippets >= 5)
    for name in ["url", "output"] {
      let target = definitions["target"]?["properties"] as? [String: [String: Any]]
      #expect((target?[name]?["examples"] as? [Any])?.isEmpty == false)
    }
    #expect(schema?["title"] is String && schema?["description"] is String)
  }
}
