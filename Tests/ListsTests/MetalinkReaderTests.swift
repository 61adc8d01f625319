import Lists
import Testing

@Suite struct `A Metalink` {
  private func files(_ text: String) throws(MetalinkFault) -> [String] {
    try MetalinkReader.files(in: Array(text.utf8)).map { file in
      file.name + file.hashes.map { " \($0.type)=\($0.value)" }.joined()
    }
  }

  @Test func `of version 4 gives the digests of whole files, not of pieces`() throws {
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <metalink xmlns="urn:ietf:params:xml:ns:metalink">
        <generator>x</generator>
        <file name="dir/a.iso"><size>5</size>
          <hash type="md5">aa</hash><hash type="sha-256">
            b<!-- a comment -->b
          </hash>
          <pieces length="1" type="sha-1"><hash>cc</hash></pieces>
          <url priority="1">https://h/a.iso</url></file>
        <file name="b&amp;c"><hash type="sha-512">dd</hash></file>
      </metalink>
      """
    #expect(try files(text) == ["dir/a.iso md5=aa sha-256=bb", "b&c sha-512=dd"])
  }

  @Test func `of version 3 is read, with or without a namespace prefix`() throws {
    let plain = """
      <metalink version="3.0" xmlns="http://www.metalinker.org/"><files><file name="a"><verification>
      <hash type="sha1">aa</hash><pieces type="sha1" length="2"><hash piece="0">bb</hash></pieces>
      </verification><resources><url>x</url></resources></file></files></metalink>
      """
    let prefixed = """
      <m:metalink xmlns:m="http://www.metalinker.org/"><m:files><m:file name="a"><m:verification>
      <m:hash type="sha1">aa</m:hash></m:verification></m:file></m:files></m:metalink>
      """
    #expect(try files(plain) == ["a sha1=aa"])
    #expect(try files(prefixed) == ["a sha1=aa"])
  }

  @Test(
    arguments: [
      ("<html><metalink/></html>", .otherDocument),
      ("<!DOCTYPE metalink [<!ENTITY a \"b\">]><metalink>&a;</metalink>", .hasDoctype),
      ("<!DOCTYPE metalink SYSTEM \"http://h/x.dtd\"><metalink/>", .hasDoctype),
      ("<metalink>\n<file>\n</metalink>", .malformed(line: 3, text: "mismatched tag")),
      ("<metalink>\n&unknown;</metalink>", .malformed(line: 2, text: "undefined entity")),
      ("<metalink>", .malformed(line: 1, text: "no element found")),
      ("", .malformed(line: 1, text: "no element found")),
    ] as [(String, MetalinkFault)])
  func `that is damaged, or another document, is refused`(text: String, fault: MetalinkFault) {
    #expect(throws: fault) { try files(text) }
  }

  @Test func `has no digest where an element is inside one`() throws {
    let file = "<file name='a'><hash type='md5'>aa<x>b</x>cc</hash><hash type='sha1'>dd</hash></file>"
    #expect(try files("<metalink>\(file)</metalink>") == ["a sha1=dd"])
  }

  @Test func `may be empty or deeply nested`() throws {
    #expect(try files("<metalink/>") == [])
    let depth = 20_000
    let deep = String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
    #expect(try files("<metalink>\(deep)<file name='f'/></metalink>") == ["f"])
  }
}
