import CExpatShim
import SyncModel

/// What a reader of one kind of XML document is told of the elements of its ``XMLShape``.
protocol XMLListener: AnyObject {
  /// An element begins.
  func began(_ part: Int, _ attributes: XMLAttributes)
  /// An element ends. `text` is its own if the shape asks for it, with blanks removed around it; `nil` if not, or if an
  /// element is inside.
  func ended(_ part: Int, _ text: String?)
  /// An element with a prefix and a text ended, in an element that keeps others; `name` is `prefix:local`.
  func other(_ name: String, _ text: String)
}

extension XMLListener {
  func other(_ name: String, _ text: String) {}
}

/// Why a document is not the wanted one.
enum XMLFault: Error {
  /// The root is another element; its name is the local one.
  case otherRoot(String)
  /// Not well-formed; `text` is expat's.
  case malformed(line: Int, text: String)
  case hasDoctype
  case noLibrary
}

/// The attributes of an element, only while it begins.
@safe struct XMLAttributes {
  private let list: UnsafePointer<UnsafePointer<CChar>?>

  fileprivate init(_ list: UnsafePointer<UnsafePointer<CChar>?>) { unsafe self.list = list }

  /// The value of the attribute with this name and no namespace.
  subscript(_ name: String) -> String? { value(name) }

  /// The base for relative URLs inside the element.
  var base: String? { value("http://www.w3.org/XML/1998/namespace\u{C}base\u{C}xml") }

  private func value(_ wanted: String) -> String? {
    var next = unsafe list
    while let name = unsafe next[0], let value = unsafe next[1] {
      if unsafe Self.isSame(name, wanted) { return unsafe String(cString: value) }
      unsafe next += 2
    }
    return nil
  }

  private static func isSame(_ name: UnsafePointer<CChar>, _ wanted: String) -> Bool {
    var place = 0
    for byte in wanted.utf8 {
      guard unsafe UInt8(bitPattern: name[place]) == byte else { return false }
      place += 1
    }
    return unsafe name[place] == 0
  }
}

/// Follows the elements of one document by expat. A DOCTYPE ends the reading.
struct XMLWalk {
  private static let isLoaded = expatshim_load() != 0

  private let listener: any XMLListener
  private var place: XMLPlace

  /// Tells `listener` what a whole document says.
  static func read(_ bytes: [UInt8], _ shape: XMLShape, _ listener: any XMLListener) throws(XMLFault) {
    guard isLoaded else { throw .noLibrary }
    // An empty array may have no address.
    guard !bytes.isEmpty else { throw .malformed(line: 1, text: "no element found") }
    var walk = XMLWalk(listener: listener, place: XMLPlace(shape))
    var line = 0
    var words: UnsafePointer<CChar>?
    let outcome = unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe bytes.withMemoryRebound(to: CChar.self) { bytes in
        guard let start = bytes.baseAddress else { return expatshim_no_memory }
        return unsafe withUnsafeMutablePointer(to: &walk) { walk in
          unsafe expatshim_parse(
            start, bytes.count, XMLWalk.events, UnsafeMutableRawPointer(walk), &line, &words)
        }
      }
    }
    // Another document is mostly a web page, which is rarely well-formed.
    if let root = walk.place.otherRoot { throw .otherRoot(root) }
    switch outcome {
    case expatshim_whole: return
    case expatshim_doctype: throw .hasDoctype
    case expatshim_malformed:
      throw unsafe .malformed(line: line, text: words.map { unsafe String(cString: $0) } ?? "")
    default: throw .malformed(line: max(1, line), text: "out of memory")
    }
  }

  /// The context of each is the walk, which stays where it is until the parser returns.
  private static var events: expatshim_events {
    unsafe expatshim_events(
      began: { context, name, size, attributes in
        guard let walk = unsafe context?.assumingMemoryBound(to: XMLWalk.self) else { return 0 }
        return unsafe walk.pointee.begin(UnsafeRawBufferPointer(start: name, count: size), attributes)
      },
      ended: { context, _ in
        guard let walk = unsafe context?.assumingMemoryBound(to: XMLWalk.self) else { return 0 }
        return unsafe walk.pointee.end()
      },
      text: { context, bytes, size in
        guard let walk = unsafe context?.assumingMemoryBound(to: XMLWalk.self) else { return }
        unsafe walk.pointee.place.add(UnsafeRawBufferPointer(start: bytes, count: Int(size)))
      })
  }

  private mutating func begin(
    _ name: UnsafeRawBufferPointer, _ attributes: UnsafePointer<UnsafePointer<CChar>?>
  ) -> CInt {
    let (part, wantsText) = unsafe place.begin(name)
    if let part { unsafe listener.began(part, XMLAttributes(attributes)) }
    return wantsText ? 1 : 0
  }

  private mutating func end() -> CInt {
    let (ending, wantsText) = place.end()
    switch ending {
    case .nothing: break
    case .wanted(let part, let text): listener.ended(part, text)
    case .other(let name, let text): listener.other(name, text)
    }
    return wantsText ? 1 : 0
  }
}
