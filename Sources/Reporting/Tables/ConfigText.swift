package import SyncModel

/// The user's settings in force, and where each comes from.
package struct ShownSettings {
  /// One setting.
  struct Row {
    var key: String
    var value: String
    /// `option`, `environment`, `file` or `default`.
    var source: String
    /// The option or the variable.
    var name: String?
    /// In the file, from 1; `nil` elsewhere.
    var line: Int?
  }

  /// What the file says.
  package let configuration: UserConfiguration
  /// The file, as messages name it; `nil` if there is none.
  package let file: String?
  /// The option or variable that names the file; `nil` if it is in its usual place.
  package var namedBy: String?
  /// The value of `-j`; `nil` if it is not given.
  package var jobs: Int?
  /// The value of `-j` that nothing gives.
  package var usualJobs = 0

  /// The cache that an option or a variable names, and what names it.
  package var cache: (path: String, by: String)?
  /// The cache on a server that an option or a variable names, and what names it.
  package var remoteCache: (url: String, by: String)?
  /// The size of a cache that nothing gives, in bytes.
  package var usualCacheSize: Int64 = 0

  /// Settings without options.
  package init(_ configuration: UserConfiguration, file: String?) {
    self.configuration = configuration
    self.file = file
  }

  /// In the order of the contract, the items of a list in that of the file.
  var rows: [Row] {
    var rows: [Row] = []
    if let jobs {
      rows.append(Row(key: "jobs", value: String(jobs), source: "option", name: "--jobs"))
    } else {
      rows.append(row("jobs", configuration.jobs) { String($0) } ?? standard("jobs", String(usualJobs)))
    }
    rows.append(
      cache.map { named("cache", $0.path, by: $0.by) } ?? row("cache", configuration.cache) { $0 }
        ?? standard("cache", "off"))
    rows.append(
      row("cache_size", configuration.cacheSize) { Quantity.size($0) }
        ?? standard("cache_size", Quantity.size(usualCacheSize)))
    rows.append(
      row("cache_link", configuration.cacheLink) { $0.rawValue }
        ?? standard("cache_link", CacheLink.reflink.rawValue))
    rows.append(remoteRow)
    rows += list("rewrite", configuration.rewrites) { rule in
      "\(rule.from) -> \(rule.to)" + (rule.otherwise == .never ? "" : " (else: \(rule.otherwise.rawValue))")
    }
    rows += list("credentials", configuration.credentials) { "\($0.hosts.text): \($0.helper)" }
    rows += list("hosts", configuration.hostLines) { "\($0): \(limits($0))" }
    return rows
  }

  private var remoteRow: Row {
    let configured = configuration.remoteCache
    let rule = (configured?.value ?? RemoteCacheRule()).named(remoteCache?.url)
    let text = rule.map { "\($0.url ?? "") (\($0.mode.rawValue), trust: \(trust($0)))" } ?? "off"
    if let remoteCache { return named("remote_cache", text, by: remoteCache.by) }
    return row("remote_cache", configured) { _ in text } ?? standard("remote_cache", text)
  }

  private func trust(_ rule: RemoteCacheRule) -> String {
    guard rule.trust == .signed else { return rule.trust.rawValue }
    return rule.trust.rawValue + " by " + rule.keys.map(\.shownNumber).joined(separator: " ")
  }

  /// A setting that the option or variable `name` gives.
  private func named(_ key: String, _ value: String, by name: String) -> Row {
    Row(key: key, value: value, source: name.hasPrefix("-") ? "option" : "environment", name: name)
  }

  private func list<Value>(
    _ key: String, _ items: [UserConfiguration.Placed<Value>], _ text: (Value) -> String
  ) -> [Row] {
    items.isEmpty ? [standard(key, "none")] : items.compactMap { row(key, $0, text) }
  }

  private func row<Value>(
    _ key: String, _ item: UserConfiguration.Placed<Value>?, _ text: (Value) -> String
  ) -> Row? {
    item.map { Row(key: key, value: text($0.value), source: "file", line: $0.line) }
  }

  private func standard(_ key: String, _ value: String) -> Row {
    Row(key: key, value: value, source: "default")
  }

  private func limits(_ host: String) -> String {
    let limits = configuration.hosts
    let rate = host == "*" ? limits.otherRate : limits.rate(for: host)
    let connections = host == "*" ? limits.otherwise : limits.limit(for: host)
    let shownRate = rate.map { "\($0.count)/\($0.period == .seconds(60) ? "m" : "s")" }
    // With a rate alone, the number of connections is the default, which the manifest may change.
    let isDefault = connections == HostLimits.usualConnections && rate != nil
    return [isDefault ? nil : Quantity.count(connections, "connection"), shownRate].compactMap(\.self)
      .joined(separator: ", ")
  }
}

/// What `syncmake config` prints for people.
package enum ConfigText {
  /// A line for the file, and one for each setting. Ends in a line end.
  package static func render(_ settings: ShownSettings, style: TextStyle) -> String {
    var table = TextTable([("SETTING", .whole), ("VALUE", .middle), ("FROM", .middle)])
    for row in settings.rows {
      table.add([row.key, CleanText.clean(row.value), CleanText.clean(from(row, settings))])
    }
    let file = settings.file.map { $0 + (settings.namedBy.map { " (\($0))" } ?? "") } ?? "none"
    return "configuration: \(CleanText.clean(file))\n" + table.render(style)
  }

  private static func from(_ row: ShownSettings.Row, _ settings: ShownSettings) -> String {
    row.line.map { "\(settings.file ?? ""):\($0)" } ?? row.name ?? row.source
  }
}

/// The document that `syncmake config --json` prints: `syncmake.config/1`, `schema/config.schema.json`.
package enum ConfigJSON {
  /// Settings in the order of the contract. Ends in a line end.
  package static func render(_ settings: ShownSettings) -> String {
    JSONWriter.document { json in
      json.field("format", "syncmake.config/1")
      if let file = settings.file { json.field("file", file) } else { json.null("file") }
      json.field("named_by", settings.namedBy)
      json.objects("settings", settings.rows) { json, row in
        json.field("key", row.key)
        json.field("value", row.value)
        json.field("source", row.source)
        json.field("line", row.line)
      }
    }
  }
}
