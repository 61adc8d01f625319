import SyncModel

/// The reply to S3's `ListObjectsV2`, by Amazon or another server.
///
/// - The key is the object's key; its URL is the list's without the query, and the key behind it. Keys that end in a
///   slash are folders and are left out.
/// - With `EncodingType` `url` keys are decoded; a plus is a blank then.
/// - A cut reply names its continuation; the further page is the list's own URL with that token.
/// - Amazon always says whether a reply is cut. One of another server that does not is whole, unless something else in it
///   says that there is more: what is missing would pass for gone.
enum S3Reader {
  static func read(_ bytes: [UInt8], into entries: EntryCollector) throws(ListFault) {
    let listener = S3Listener()
    do throws(XMLFault) { try XMLWalk.read(bytes, shape, listener) } catch {
      throw DocumentKind.fault(bytes, error)
    }
    // How keys are written stands behind them.
    let path = entries.base.server + entries.base.path
    let bucket = path.utf8.last == UInt8(ascii: "/") ? path : path + "/"
    for object in listener.objects {
      try entries.add { () throws(ListFault) in try listed(object, listener.isEncoded, bucket, entries) }
    }
    guard listener.objects.count <= ListLimits.entries else { throw ListFault(.tooManyEntries) }
    guard let isTruncated = listener.isTruncated else {
      guard !listener.saysThereIsMore else { throw ListFault(.lacks("IsTruncated")) }
      return
    }
    guard isTruncated else { return }
    guard let token = listener.token else { throw ListFault(.lacks(ListFault.continuation)) }
    try entries.addFurther(nextPage(of: entries.base.url, token))
  }

  fileprivate enum Part: Int {
    case list, isTruncated, token, marker, keyCount, maxKeys, folder, encoding, object, key, date, tag, size
  }

  private static let shape = XMLShape(
    .element(
      "ListBucketResult", Part.list,
      [
        .element(
          "Contents", Part.object,
          [
            .text("Key", Part.key), .text("LastModified", Part.date), .text("ETag", Part.tag),
            .text("Size", Part.size),
          ]),
        .element("CommonPrefixes", Part.folder, []),
        .text("IsTruncated", Part.isTruncated), .text("NextContinuationToken", Part.token),
        .text("NextMarker", Part.marker), .text("KeyCount", Part.keyCount), .text("MaxKeys", Part.maxKeys),
        .text("EncodingType", Part.encoding),
      ]))

  fileprivate struct Object {
    var key: String?
    var date: String?
    var tag: String?
    var size: String?
  }

  private static func listed(
    _ object: Object, _ isEncoded: Bool, _ bucket: String, _ entries: EntryCollector
  ) throws(ListFault) -> ListEntry? {
    guard let written = object.key else { throw ListFault(.lacks("a key")) }
    guard let key = isEncoded ? decoded(written) : written else {
      throw ListFault(.badField(name: "Key", value: written))
    }
    guard key.utf8.last != UInt8(ascii: "/") else { return nil }
    guard let path = URLBase.path(naming: key) else { throw ListFault(.badURL(key)) }
    let url = try entries.url(bucket + path)
    var entry = ListEntry(key: key, name: key.lastPart, url: url)
    entry.size = try EntryCollector.size(object.size, field: "Size")
    entry.updated = try EntryCollector.moment(object.date, field: "LastModified")
    entry.entityTag = object.tag.flatMap { EntryCollector.filled(unquoted($0)) }
    return entry
  }

  private static func decoded(_ key: String) -> String? {
    WebURL.percentDecoded(
      String(decoding: key.utf8.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }, as: UTF8.self))
  }

  private static func unquoted(_ tag: String) -> String {
    let bytes = tag.utf8
    guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else {
      return tag
    }
    return String(Substring(bytes.dropFirst().dropLast()))
  }

  private static func nextPage(of url: String, _ token: String) -> String {
    let bytes = url.utf8
    let path = Substring(bytes.prefix { $0 != UInt8(ascii: "?") })
    let query = Substring(bytes.dropFirst(path.utf8.count + 1))
    let kept = query.split(separator: "&").filter {
      !$0.hasPrefix("continuation-token=") && !$0.hasPrefix("start-after=")
    }
    return path + "?"
      + (kept + ["continuation-token=" + URLBase.queryValue(token)[...]]).joined(separator: "&")
  }
}

private final class S3Listener: XMLListener {
  private(set) var objects: [S3Reader.Object] = []
  /// `nil` if the reply does not say it.
  private(set) var isTruncated: Bool?
  private(set) var isEncoded = false
  private(set) var token: String?
  private var object = S3Reader.Object()
  private var marker: String?
  private var folders = 0
  private var keyCount: Int?
  private var maxKeys: Int?

  /// Whether there are more keys than came, by anything but ``isTruncated``; as many as were asked for may be cut, too.
  var saysThereIsMore: Bool {
    let came = objects.count + folders
    let count = max(came, keyCount ?? 0)
    return token != nil || marker != nil || count > came || maxKeys.map { count >= $0 } ?? false
  }

  func began(_ part: Int, _ attributes: XMLAttributes) {
    if part == S3Reader.Part.object.rawValue { object = S3Reader.Object() }
  }

  func ended(_ part: Int, _ text: String?) {
    let text = EntryCollector.filled(text)
    switch S3Reader.Part(rawValue: part) {
    case .key: object.key = text
    case .date: object.date = text
    case .tag: object.tag = text
    case .size: object.size = text
    // One above the limit is enough to know.
    case .object: if objects.count <= ListLimits.entries { objects.append(object) }
    case .folder: folders += 1
    case .isTruncated: isTruncated = text.map { $0 == "true" }
    case .marker: marker = text
    case .keyCount: keyCount = text.flatMap { Int($0) }
    case .maxKeys: maxKeys = text.flatMap { Int($0) }
    case .token: token = text
    case .encoding: isEncoded = text == "url"
    default: break
    }
  }
}
