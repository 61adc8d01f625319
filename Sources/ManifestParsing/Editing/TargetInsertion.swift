import SyncModel

/// A place for new lines, and the text before and after them.
struct TargetInsertion {
  /// The bytes that the new ones replace: none, or the braces of an empty mapping.
  var replaced: Range<Int>
  /// The position of the new lines; not before ``replaced``.
  private var offset: Int
  private var text: String
  /// ``text`` for people.
  private(set) var shownText: String

  func applied(to bytes: [UInt8]) -> [UInt8] {
    Array(bytes[..<replaced.lowerBound]) + Array(bytes[replaced.upperBound..<offset]) + Array(text.utf8)
      + Array(bytes[offset...])
  }

  /// The key `targets` and its value; `nil` if it is missing.
  static func targets(in document: YAMLDocument) -> (key: NodeID, value: NodeID)? {
    guard let root = document.root, document[root].kind == .mapping else { return nil }
    let children = Array(document.children(of: root))
    for index in stride(from: 0, to: children.count - 1, by: 2) {
      let key = children[index]
      if document[key].kind == .scalar, document.text(of: key) == "targets" {
        return (key, children[index + 1])
      }
    }
    return nil
  }

  /// Possible places for `addition`, the best first.
  ///
  /// `document` is read from `bytes`, or from them with an empty `targets` if they have none.
  static func places(
    for addition: TargetAddition, in bytes: [UInt8], _ document: YAMLDocument
  ) throws(ManifestEditFault) -> [TargetInsertion] {
    let found: Result<[TargetInsertion], ManifestEditFault> = unsafe bytes.withUnsafeBytes { raw in
      var page = unsafe ManifestPage(SourceText(raw), document, bytes.count)
      return Result { () throws(ManifestEditFault) in try page.places(for: addition) }
    }
    return try found.get()
  }

  init(replacing replaced: Range<Int>? = nil, at offset: Int, _ text: String, shown: String) {
    self.replaced = replaced ?? offset..<offset
    self.offset = offset
    self.text = text
    shownText = shown
  }
}
