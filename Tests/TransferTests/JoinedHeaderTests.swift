import CCurlShim
import Testing

@testable import Transfer

@Suite struct `A header that libcurl gets as one entry` {
  @Test func `has the common lines, followed by the non-empty lines of each request`() {
    let header = JoinedHeader("A: 1\r\nB: 2")
    func text(_ first: String, _ second: String) -> String {
      let list = header.ending(in: first, second)
      #expect(list.pointee.next == nil)
      return String(cString: list.pointee.data)
    }
    let long = "L: " + String(repeating: "x", count: 5000)
    #expect(text("C: 3", "D: 4") == "A: 1\r\nB: 2\r\nC: 3\r\nD: 4")
    #expect(text("C: 3", "") == "A: 1\r\nB: 2\r\nC: 3")
    #expect(text(long, long) == "A: 1\r\nB: 2\r\n\(long)\r\n\(long)")
    #expect(text("", "D: 4") == "A: 1\r\nB: 2\r\nD: 4")
    #expect(text("", "") == "A: 1\r\nB: 2")
  }

  @Test func `has any number of lines after them, for one request after another`() {
    let header = JoinedHeader("A: 1")
    func text(_ lines: [String]) -> String { String(cString: header.ending(in: lines).pointee.data) }
    let long = "L: " + String(repeating: "x", count: 3000)
    #expect(text([]) == "A: 1")
    #expect(text(["B: 2", long, "C: 3", long]) == "A: 1\r\nB: 2\r\n\(long)\r\nC: 3\r\n\(long)")
    #expect(text(["É: ü"]) == "A: 1\r\nÉ: ü")
    #expect(text([]) == "A: 1")
  }
}
