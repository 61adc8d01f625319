import Foundation
import SyncModel
import Testing

@testable import Lists

/// The documents of `Corpus`: whole, cut off and damaged.
@Suite struct `A list` {
  @Test(arguments: ListShape.all) func `of a known shape has exactly the expected entries`(_ shape: ListShape)
    throws
  {
    #expect(try shape.read(shape.bytes()).rendered == shape.expected())
  }

  @Test(arguments: ListShape.all.filter { $0.fields == ListFields() })
  func `of a known shape is recognised`(_ shape: ListShape) throws {
    let found = ListRecognition.recognise(try shape.bytes(), url: shape.url)
    #expect(found?.format == shape.format)
  }

  @Test(arguments: [
    "", "one\ntwo\n", "{}", "[]", "{\"a\": [1, 2]}", "a,b\n1,2\n", "<html><a href='x.gz'>x</a></html>",
    "<svg xmlns='http://www.w3.org/2000/svg'/>", "\u{1f}\u{8b}\u{8}",
  ])
  func `is not seen in any other document`(_ text: String) {
    #expect(ListRecognition.recognise(Array(text.utf8), url: "https://x.org/page.html") == nil)
  }

  @Test func `of each format is there in five shapes or more, and every file is used`() throws {
    for format in ListFormat.allCases {
      let shapes = ListShape.all.filter { $0.format == format }
      #expect(shapes.count >= 5, "\(format)")
      let folder = ListShape.folder.appending(path: format.rawValue).path
      let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      #expect(files == shapes.flatMap { [$0.file, $0.file + ".expected"] }.sorted())
    }
  }

  /// Only a table and a list of digests have no end. Of such a one, what is there is read; the entry where it ends may
  /// be damaged. A long document is not cut at every place.
  @Test(arguments: ListShape.all) func `that is cut off is a fault, or has the same entries`(
    _ shape: ListShape
  ) throws {
    let bytes = try shape.bytes()
    let whole = try shape.read(bytes)
    let hasEnd = shape.format != .csv && shape.format != .checksums
    for count in stride(from: 0, to: bytes.count, by: bytes.count > 2000 ? 11 : 1) {
      guard let page = try? shape.read(Array(bytes[..<count])) else { continue }
      if hasEnd {
        #expect(page == whole, "of \(count) bytes")
      } else {
        #expect(
          page.entries.dropLast().elementsEqual(whole.entries.prefix(page.entries.count - 1)), "\(count)")
      }
    }
  }

  @Test(arguments: ListShape.all) func `with random changes has only entries that can be used`(
    _ shape: ListShape
  ) throws {
    let bytes = try shape.bytes()
    var random = SplitMix(state: UInt64(bytes.count))
    for _ in 0..<100 {
      var damaged = bytes
      for _ in 0...random.below(3) { damaged[random.below(bytes.count)] = UInt8(random.below(256)) }
      guard let page = try? shape.read(damaged) else { continue }
      for entry in page.entries {
        #expect(WebURL(entry.url) != nil && !entry.key.isEmpty, "\(entry)")
        #expect(entry.digests.allSatisfy { $0.value.text.utf8.count == $0.algorithm.hexCount })
        #expect(entry.size ?? 0 >= 0)
      }
    }
  }

  @Test(arguments: ListShape.all) func `is a fault in every other format`(_ shape: ListShape) throws {
    let bytes = try shape.bytes()
    for format in ListFormat.allCases where format != shape.format {
      // Objects with a URL are rows, whatever else they are.
      if format == .json, shape.format == .github || shape.format == .index { continue }
      let page = try? ListReader(format: format, fields: shape.fields).page(bytes, url: shape.url)
      #expect(page == nil, "\(format)")
    }
  }
}

/// SplitMix64, by its author's constants.
private struct SplitMix {
  var state: UInt64

  mutating func below(_ limit: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int(truncatingIfNeeded: (z ^ (z >> 31)) >> 1) % limit
  }
}
