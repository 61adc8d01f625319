import SyncModel

/// The listing of a folder that nginx (`autoindex_format json`) or Caddy (`Accept: application/json`) gives as JSON.
///
/// Sizes and dates are those that a request for the file gives, and so they are taken: nginx's in seconds, Caddy's in
/// fractions of them. Of a symbolic link Caddy gives the link's own date, so nothing is taken of one.
enum JSONListing {
  private static let notListing = "JSON that is not the listing of a folder"

  static func read(_ bytes: [UInt8], into entries: EntryCollector) throws(ListFault) {
    var json = JSONSource(bytes)
    guard json.kind() == .array else {
      try json.skip()
      try json.end()
      throw ListFault(.otherFormat(found: notListing))
    }
    try json.items { (json: inout JSONSource, _: Int) throws(ListFault) in
      guard json.kind() == .object else {
        try json.skip()
        throw ListFault(.otherFormat(found: notListing))
      }
      let item = try item(&json)
      guard let name = item.name, let isFile = item.isFile else {
        throw ListFault(.otherFormat(found: notListing))
      }
      try entries.add { () throws(ListFault) in isFile ? try listed(item, name, entries) : nil }
    }
    try json.end()
  }

  private struct Item {
    var name: String?
    var isFile: Bool?
    var size: String?
    var date: String?
    var isLink = false
  }

  private static func item(_ json: inout JSONSource) throws(ListFault) -> Item {
    var item = Item()
    let keys = ["name", "size", "mtime", "mod_time", "type", "is_dir", "is_symlink"]
    try json.members(keys) { (json: inout JSONSource, key: Int) throws(ListFault) in
      let text = EntryCollector.filled(try json.text(keys[key]))
      switch keys[key] {
      case "name": item.name = text
      case "size": item.size = text
      case "mtime", "mod_time": item.date = text
      case "type": item.isFile = text == "file"
      case "is_dir": item.isFile = text == "false"
      default: item.isLink = text == "true"
      }
    }
    return item
  }

  private static func listed(
    _ item: Item, _ name: String, _ entries: EntryCollector
  ) throws(ListFault) -> ListEntry {
    guard !name.utf8.contains(UInt8(ascii: "/")), let path = URLBase.path(naming: name) else {
      throw ListFault(.badURL(name))
    }
    var entry = ListEntry(key: name, name: name, url: try entries.url(entries.base.folder + path))
    if item.isLink { return entry }
    entry.size = try EntryCollector.size(item.size, field: "size")
    entry.updated = try EntryCollector.moment(item.date, field: "mtime")
    return entry
  }
}
