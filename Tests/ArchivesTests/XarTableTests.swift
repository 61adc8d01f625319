import SyncModel
import Testing

@testable import Archives

@Suite struct XarTableTests {
  private func packed(_ inner: String, declaration: String = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
    throws
    -> [XarTable.PackedData]
  {
    try XarTable.packed(Array("\(declaration)<xar><toc>\(inner)</toc></xar>".utf8))
  }

  private func data(_ style: String, offset: String = "20", more: String = "") -> String {
    "<data><offset>\(offset)</offset><length>10</length><size>7</size><encoding style=\"\(style)\"/>\(more)</data>"
  }

  @Test func `finds what liblzma unpacks`() throws {
    let lzma = data("application/x-lzma")
    let expected = [XarTable.PackedData(offset: 20, length: 10, size: 7)]
    #expect(try packed("<file>\(lzma)</file>") == expected)
    #expect(try packed("<file>\(data("application/x-xz"))</file>") == expected)
    #expect(try packed("<file><file>\(lzma)</file>\(lzma)</file>") == expected + expected)
    #expect(try packed("<file>\(data("application/x-gzip"))<x:data/></file>") == [])
    #expect(try packed("<file>\(data("application/octet-stream"))</file>") == [])
    // A comment, an end of a tag in a value, a prefix, and an attribute's data.
    let odd = lzma.replacing("<encoding", with: "<!-- <data> --><x:encoding a='>'")
    #expect(try packed("<file>\(odd)</file>") == expected)
    let attribute = lzma.replacing("data>", with: "ea>")
    #expect(
      try packed("<file>\(attribute)</file>") == [XarTable.PackedData(offset: 20, length: 10, size: nil)])
  }

  @Test func `a reference may stand for anything`() throws {
    #expect(try packed("<file>\(data("application/x-l&#122;ma"))</file>").count == 1)
    #expect(try packed("<file><name>a &amp; b</name>\(data("application/x-gzip"))</file>") == [])
  }

  @Test func `what another parser may read differently is refused`() throws {
    let lzma = data("application/x-lzma")
    for inner in [
      "<file>\(lzma)", "<file>\(lzma)</files>", "<file>\(lzma)</file><a b='>", "<!DOCTYPE a>",
      "<![CDATA[<]]>",
      "<!-- ", "<!-->", "<? ", "<?>", "a\0", "<file>\(lzma)<data/></file>", "<acl/><file>\(lzma)</file>",
      "<file>\(data("application/x-xz", offset: "2 0"))</file>", "<file>\(data("x-xz", offset: ""))</file>",
      "<file>\(data("x-xz", offset: "1<a/>"))</file>",
      "<file>\(data("x-xz", offset: "99999999999999999999"))</file>",
      "<file>\(data("x-xz", more: "<offset>7</offset>"))</file>",
      "<file><data><encoding style='xz'/></data></file>",
    ] {
      #expect(throws: ArchiveFault.Reason.self, "\(inner)") { try packed(inner) }
    }
    #expect(throws: ArchiveFault.Reason.self) {
      try packed("<file/>", declaration: "<?xml version='1.0' encoding='UTF-16'?>")
    }
    #expect(try packed("<acl/><file><data/><data/></file>") == [])
    #expect(try packed("<file/>", declaration: "") == [])
  }
}
