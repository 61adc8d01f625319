package import SyncModel

/// The documents of `syncmake cache`: `syncmake.cache/1`, `schema/cache.schema.json`.
package enum CacheJSON {
  /// What is in the cache, of which at most `maxSize` bytes are kept.
  package static func info(path: String, _ contents: CacheContents, maxSize: Int64) -> String {
    document("info", path) { json in
      write(&json, contents)
      json.field("max_size", maxSize)
    }
  }

  /// What was verified; `bad` are paths.
  package static func verified(path: String, _ contents: CacheContents, bad: [String]) -> String {
    document("verify", path) { json in
      json.field("files", contents.files)
      json.field("bytes", contents.bytes)
      json.strings("bad", bad)
    }
  }

  /// What was removed, and what is left.
  package static func pruned(path: String, removed: CacheContents, left: CacheContents) -> String {
    document("prune", path) { json in
      write(&json, left)
      json.object("removed") { write(&$0, removed) }
    }
  }

  private static func document(
    _ command: String, _ path: String, _ body: (inout JSONWriter) -> Void
  ) -> String {
    JSONWriter.document { json in
      json.field("format", "syncmake.cache/1")
      json.field("command", command)
      json.field("path", path)
      body(&json)
    }
  }

  private static func write(_ json: inout JSONWriter, _ contents: CacheContents) {
    json.field("files", contents.files)
    json.field("bytes", contents.bytes)
    json.field("records", contents.values)
  }
}

/// The lines of `syncmake cache` for people.
package enum CacheText {
  /// What is in the cache; several lines.
  package static func info(path: String, _ contents: CacheContents, maxSize: Int64) -> String {
    CleanText.clean(path) + "\n" + "\(summary(contents)), at most \(Quantity.size(maxSize))\n"
  }

  /// What was verified; one line for each bad file, and one for all.
  package static func verified(_ contents: CacheContents, bad: [String]) -> String {
    bad.map { "bad  \(CleanText.clean($0))\n" }.joined()
      + "\(files(contents)) verified, \(bad.isEmpty ? "none" : String(bad.count)) bad\n"
  }

  /// What was removed, and what is left.
  package static func pruned(removed: CacheContents, left: CacheContents) -> String {
    "\(files(removed)) removed; \(summary(left)) left\n"
  }

  private static func summary(_ contents: CacheContents) -> String {
    "\(files(contents)), \(Quantity.count(contents.values, "record"))"
  }

  private static func files(_ contents: CacheContents) -> String {
    "\(Quantity.count(contents.files, "file")) of \(Quantity.size(contents.bytes))"
  }
}
