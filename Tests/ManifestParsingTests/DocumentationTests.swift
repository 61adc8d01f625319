import Foundation
import ManifestParsing
import Testing

@Suite struct `docs/manifest.md` {
  private func text(_ page: String = "manifest.md") throws -> String {
    try String(contentsOf: SchemaValidator.repository.appending(path: "docs/\(page)"), encoding: .utf8)
  }

  @Test(arguments: [("manifest.md", 10), ("archives.md", 2), ("lists.md", 5), ("values.md", 2)])
  func `every YAML block is a manifest without errors`(page: String, least: Int) throws {
    let blocks = try text(page).components(separatedBy: "```yaml\n").dropFirst().map {
      $0.components(separatedBy: "\n```").first ?? ""
    }
    #expect(blocks.count >= least)
    for block in blocks {
      let parse = parse(block)
      #expect(parse.diagnostics.isEmpty, "\(block)\n\(Corpus.render(parse.diagnostics))")
    }
  }

  @Test func `every key of the schema is described`() throws {
    let text = try text()
    let schema = try JSONSerialization.jsonObject(with: Data(ManifestSchema.text.utf8))
    func walk(_ value: Any) {
      if let list = value as? [Any] { return list.forEach(walk) }
      guard let mapping = value as? [String: Any] else { return }
      for key in (mapping["properties"] as? [String: Any] ?? [:]).keys {
        #expect(text.contains("`\(key)`") || text.contains("\(key):"), "\(key)")
      }
      mapping.values.forEach(walk)
    }
    walk(schema)
  }
}
