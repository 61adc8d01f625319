/// Requests to web servers that consist only of a URL and its conditions, ready to be sent.
///
/// Their texts are in one block of memory that never moves or changes, each with a zero byte after it, so that
/// libcurl can use pointers to them: with ten thousand requests, new texts for each would cost as much as the
/// replies.
@safe package final class PlainQuestions: @unchecked Sendable {
  /// The hosts that are asked, and how many connections each may have.
  package struct Host: Sendable, Equatable {
    /// Lower case, as in a URL.
    package var name: String
    /// 1 or more.
    package var connections: Int

    /// `name` must be in lower case, and `connections` 1 or more.
    package init(name: String, connections: Int) {
      self.name = name
      self.connections = connections
    }
  }

  /// The position of a question.
  package struct Place: Sendable, Equatable {
    /// Of its first byte in the texts.
    package var text: UInt32
    /// The index of its host.
    package var host: UInt32

    /// Both must be within the texts and the hosts; they are not checked here.
    package init(text: UInt32, host: UInt32) {
      self.text = text
      self.host = host
    }
  }

  /// The type of the indices ``Place/host`` and ``host(_:)``.
  package let hosts: [Host]
  private let places: [Place]
  private let texts: UnsafeMutableRawBufferPointer

  /// A question's texts are its URL and two header lines, the second or both of which may be empty.
  package static let textsEach = 3

  /// `nil` if a place is outside `texts`, names no web server, or has a control character, which cannot be sent.
  package init?(hosts: [Host], places: [Place], texts: UnsafeRawBufferPointer) {
    // Wherever a question begins, so many texts then end within the bytes.
    guard unsafe texts.suffix(Self.textsEach).elementsEqual(repeatElement(0, count: Self.textsEach)),
      hosts.allSatisfy({ $0.connections > 0 }),
      places.allSatisfy({ Int($0.text) <= texts.count - Self.textsEach && Int($0.host) < hosts.count }),
      places.allSatisfy({ unsafe Self.isWeb(texts[Int($0.text)...]) }), unsafe Self.areSendable(texts)
    else { return nil }
    self.hosts = hosts
    self.places = places
    unsafe self.texts = .allocate(byteCount: texts.count, alignment: 1)
    unsafe self.texts.copyMemory(from: texts)
  }

  deinit { unsafe texts.deallocate() }

  private static func isWeb(_ url: Slice<UnsafeRawBufferPointer>) -> Bool {
    unsafe url.starts(with: "http://".utf8) || url.starts(with: "https://".utf8)
  }

  /// No control characters but tabs, and the zero bytes between texts. Without a branch for each byte, of which
  /// every target has a hundred.
  private static func areSendable(_ texts: UnsafeRawBufferPointer) -> Bool {
    var unsendable: UInt8 = 0
    for place in texts.indices {
      let byte = unsafe texts[place]
      let isControl: UInt8 = byte &- 1 < 0x1f ? 1 : 0
      unsendable |= (isControl & (byte == 0x09 ? 0 : 1)) | (byte == 0x7f ? 1 : 0)
    }
    return unsendable == 0
  }

  /// How many questions there are; their indices count from 0.
  package var count: Int { places.count }

  /// The index of the question's host.
  package func host(_ index: Int) -> Int { Int(places[index].host) }

  /// Valid as long as this object is.
  package func url(_ index: Int) -> UnsafeMutablePointer<CChar> { unsafe text(places[index]) }

  /// The header lines of its conditions; empty ones are left out. Valid as long as this object exists.
  package func conditions(_ index: Int) -> (UnsafeMutablePointer<CChar>, UnsafeMutablePointer<CChar>) {
    let first = unsafe Self.next(url(index))
    return unsafe (first, Self.next(first))
  }

  /// The conditions that are there.
  package func conditionLines(_ index: Int) -> [String] {
    let (first, second) = unsafe conditions(index)
    return unsafe [String(cString: first), String(cString: second)].filter { !$0.isEmpty }
  }

  /// Whether two questions go to the same scheme, host and port.
  package func haveSameOrigin(_ a: Int, _ b: Int) -> Bool {
    var (a, b) = unsafe (UnsafePointer(url(a)), UnsafePointer(url(b)))
    var slashes = 0
    while slashes < 3, unsafe a.pointee != 0 {
      guard unsafe a.pointee == b.pointee else { return false }
      if unsafe a.pointee == CChar(bitPattern: UInt8(ascii: "/")) { slashes += 1 }
      unsafe a += 1
      unsafe b += 1
    }
    return slashes == 3
  }

  /// All that question `index` sends, to be compared byte for byte.
  package func bytes(_ index: Int) -> [UInt8] {
    let start = unsafe url(index)
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: Self.next(conditions(index).1) - start))
  }

  /// The same of a URL and the header lines that are its conditions, two at most.
  package static func bytes(url: String, conditions: [String]) -> [UInt8] {
    var bytes: [UInt8] = []
    append(url: url, conditions: conditions, to: &bytes)
    return bytes
  }

  /// Adds those bytes to others.
  static func append(url: String, conditions: [String], to bytes: inout [UInt8]) {
    func add(_ text: String) {
      bytes += text.utf8
      bytes.append(0)
    }
    add(url)
    for index in 0..<(textsEach - 1) { add(index < conditions.count ? conditions[index] : "") }
  }

  private func text(_ place: Place) -> UnsafeMutablePointer<CChar> {
    // `init` accepts no place if there are no bytes.
    unsafe texts.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: CChar.self) + Int(place.text)
  }

  private static func next(_ text: UnsafeMutablePointer<CChar>) -> UnsafeMutablePointer<CChar> {
    var end = unsafe text
    while unsafe end.pointee != 0 { unsafe end += 1 }
    return unsafe end + 1
  }
}
