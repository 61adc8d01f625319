package import SyncModel

/// Limits the number of one host's targets in progress, so that targets that would only wait for its connections
/// leave their jobs to targets of other hosts.
///
/// It only counts; ``WaitingLine`` has the order. A target's host is that of its first URL; a target without a web
/// URL has none. A lane allows a few more targets than its host's connections: they are examined in advance, and
/// send their requests as soon as a connection is free. If the host has a rate limit, its lane allows no more than
/// begin in a second: the others would only wait.
package struct HostLanes: Sendable {
  private let manifest: Manifest
  private var numbers: [String: Int] = [:]
  private var limits: [Int] = []
  /// The beginning of the URL asked about last, up to its path, and its lane: many targets in a row have one.
  private var last: (start: Substring, lane: Int)?

  /// The lanes get the limits of `manifest`; no target is in progress.
  package init(_ manifest: Manifest) { self.manifest = manifest }

  /// A number from 0, the same for all targets of a host; `nil` for a target that asks no host.
  mutating func lane(of id: TargetID) -> Int? {
    guard case .web(let url)? = manifest.targets[id.index].source.mirrors?.first else { return nil }
    // 100,000 URLs are not to be taken apart.
    if let last, url.utf8.starts(with: last.start.utf8) { return last.lane }
    let lane = number(of: WebURL.host(of: url).lowercased())
    let path = WebURL.server(of: url).endIndex
    last = url[path...].utf8.first == UInt8(ascii: "/") ? (url[...path], lane) : nil
    return lane
  }

  /// Targets that may be in progress in `lane` at once, 1 or more.
  func limit(of lane: Int) -> Int { limits[lane] }

  /// The host was found to take so many requests at once, over HTTP/2; returns its lane.
  mutating func widen(_ host: String, to requests: Int) -> Int {
    let lane = number(of: host)
    let most = manifest.hosts.rate(for: host)?.perSecond ?? .max
    limits[lane] = max(limits[lane], Self.withSpare(min(requests, most)))
    return lane
  }

  private mutating func number(of host: String) -> Int {
    if let known = numbers[host] { return known }
    numbers[host] = limits.count
    limits.append(Self.withSpare(manifest.hosts.atOnce(for: host)))
    return limits.count - 1
  }

  private static func withSpare(_ connections: Int) -> Int { connections + max(1, connections / 8) }
}
