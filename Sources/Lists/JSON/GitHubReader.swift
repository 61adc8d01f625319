import SyncModel

/// The releases of a GitHub repository, as its API and those of Gitea and Forgejo give them: an array, or one release.
///
/// Each asset is an entry: its name is the key, the release's tag the version, the release's name the title. Drafts are
/// left out, and assets whose upload has not ended. The next page is in the reply's field `Link`, not in the document
/// (``LinkField``).
enum GitHubReader {
  private static let notReleases = "JSON that is not a list of releases"

  static func read(_ bytes: [UInt8], into entries: EntryCollector) throws(ListFault) {
    var json = JSONSource(bytes)
    if json.kind() == .array {
      try json.items { (json: inout JSONSource, _: Int) throws(ListFault) in try addRelease(&json, entries) }
    } else {
      try addRelease(&json, entries)
    }
    try json.end()
  }

  private struct Asset {
    var name: String?
    var url: String?
    var size: String?
    var digest: String?
    var updated: String?
    var state: String?
  }

  private struct Release {
    var tag: String?
    var name: String?
    var isDraft = false
    var isPrerelease = false
    var assets: [Asset]?
  }

  private static func addRelease(_ json: inout JSONSource, _ entries: EntryCollector) throws(ListFault) {
    guard json.kind() == .object else {
      // What is no JSON at all is another fault.
      try json.skip()
      throw ListFault(.otherFormat(found: notReleases))
    }
    let release = try release(&json)
    guard let tag = release.tag, let assets = release.assets else {
      throw ListFault(.otherFormat(found: notReleases))
    }
    guard !release.isDraft else { return }
    for asset in assets where asset.state ?? "uploaded" == "uploaded" {
      try entries.add { () throws(ListFault) in
        var entry = try listed(asset, entries)
        entry.version = tag
        entry.isPrerelease = release.isPrerelease
        entry.title = EntryCollector.filled(release.name)
        return entry
      }
    }
  }

  private static func release(_ json: inout JSONSource) throws(ListFault) -> Release {
    var release = Release()
    let keys = ["tag_name", "name", "draft", "prerelease", "assets"]
    try json.members(keys) { (json: inout JSONSource, key: Int) throws(ListFault) in
      guard keys[key] != "assets" else {
        guard json.kind() == .array else { return try json.skip() }
        var assets: [Asset] = []
        try json.items { (json: inout JSONSource, _: Int) throws(ListFault) in
          if assets.count <= ListLimits.entries { assets.append(try asset(&json)) } else { try json.skip() }
        }
        release.assets = assets
        return
      }
      let text = try json.text(keys[key])
      switch keys[key] {
      case "tag_name": release.tag = EntryCollector.filled(text)
      case "name": release.name = text
      case "draft": release.isDraft = text == "true"
      default: release.isPrerelease = text == "true"
      }
    }
    return release
  }

  private static func asset(_ json: inout JSONSource) throws(ListFault) -> Asset {
    guard json.kind() == .object else { throw ListFault(.otherFormat(found: notReleases)) }
    var asset = Asset()
    let keys = ["name", "browser_download_url", "size", "digest", "updated_at", "state"]
    try json.members(keys) { (json: inout JSONSource, key: Int) throws(ListFault) in
      let text = EntryCollector.filled(try json.text(keys[key]))
      switch keys[key] {
      case "name": asset.name = text
      case "browser_download_url": asset.url = text
      case "size": asset.size = text
      case "digest": asset.digest = text
      case "updated_at": asset.updated = text
      default: asset.state = text
      }
    }
    return asset
  }

  private static func listed(_ asset: Asset, _ entries: EntryCollector) throws(ListFault) -> ListEntry {
    guard let name = asset.name else { throw ListFault(.lacks("a name")) }
    guard let reference = asset.url else { throw ListFault(.lacks("a URL")) }
    var entry = ListEntry(key: name, name: name, url: try entries.url(reference))
    entry.size = try EntryCollector.size(asset.size, field: "size")
    if let text = asset.digest { entry.digests = try ListDigest.digests(in: text, of: "digest") }
    entry.updated = try EntryCollector.moment(asset.updated, field: "updated_at")
    return entry
  }
}
