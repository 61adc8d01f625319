package import SyncModel

/// What a record in a cache is found by: its name there is the sha256 of this text.
package struct CacheKey: Sendable, Hashable {
  /// The text to digest.
  package let text: ByteString

  /// The key of what is at `url`, asked with `headers`.
  ///
  /// The headers may select a representation. `url` is the manifest's, before a rewrite, with all of its parameters: the
  /// name of one that signs, such as `sp`, may be that of one that selects a file.
  package init(url: String, headers: [RequestHeader]) {
    var text = "syncmake.url/1\n" + url + "\n"
    let lines = headers.map { $0.name.lowercased() + ":" + $0.value + "\n" }
    for line in lines.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) { text += line }
    self.text = ByteString(text)
  }

  /// The key of the bytes with this digest, if it is not the one by which files are named.
  package init(_ algorithm: DigestAlgorithm, _ digest: HexDigest) {
    text = ByteString("syncmake.digest/1\n\(algorithm.rawValue):\(digest.text)\n")
  }
}

/// A digest that something beside the cache names, and that the bytes as they come will be compared with.
package struct NamedDigest: Sendable, Hashable {
  /// The algorithm of ``digest``.
  package var algorithm: DigestAlgorithm
  /// The value.
  package var digest: HexDigest

  /// The length of `digest` must be that of `algorithm`.
  package init(_ algorithm: DigestAlgorithm, _ digest: HexDigest) {
    self.algorithm = algorithm
    self.digest = digest
  }
}

/// What a target asks a cache before it asks its source.
package struct CacheQuestion: Sendable, Equatable {
  /// Any file that has one of them will do; the strongest first.
  package var names: [NamedDigest]
  /// Where the record of the source is.
  package var key: CacheKey
  /// Whether records of what a mirror of a user's has sent count: only where requests of this run go to a mirror, too. They
  /// say nothing of the source.
  package var takesMirrors = false
  /// Whether only the cache on a server is asked: a file of this machine's was bad.
  package var isOfServer = false

  /// `names` may be empty: then only the record is of use.
  package init(names: [NamedDigest], key: CacheKey) {
    self.names = names
    self.key = key
  }

  /// The record if it counts.
  package func counting(_ record: CacheRecord?) -> CacheRecord? {
    guard let url = record?.url, ResourceURL.isOfMirror(url), !takesMirrors else { return record }
    return nil
  }
}

/// What a cache has.
package struct CacheAnswer: Sendable, Equatable {
  /// The file that one of the names leads to, though nothing has shown yet that it has the digest.
  package var named: CachedFile?
  /// The record of the source, if whoever can write to the cache is trusted and the record's file is there.
  package var record: CacheRecord?
  /// Whether the file of ``record`` is on a server.
  package var isRecordRemote = false

  /// Nothing by default.
  package init(named: CachedFile? = nil, record: CacheRecord? = nil) {
    self.named = named
    self.record = record
  }
}

/// A file in a cache.
package struct CachedFile: Sendable, Hashable {
  /// By which it is found, and which its bytes must have.
  package var sha256: HexDigest
  /// In bytes.
  package var size: Int64
  /// Whether it is on a server.
  package var isRemote: Bool

  /// `size` is that of the file that is there.
  package init(sha256: HexDigest, size: Int64, isRemote: Bool = false) {
    self.sha256 = sha256
    self.size = size
    self.isRemote = isRemote
  }

  /// As JSON has it.
  var origin: BodyOrigin { isRemote ? .remoteCache : .localCache }
}

/// A download to keep in a cache.
package struct CacheEntry: Sendable, Equatable {
  /// What is known of it.
  package var record: CacheRecord
  /// Where the record goes; `nil` if nothing is known of the source's version.
  package var key: CacheKey?
  /// Other digests of the bytes, by which they are to be found.
  package var digests: [NamedDigest]
  /// Whether the bytes come from a cache on a server, which need not get them again.
  package var isFromRemote = false
  /// Whether this run has heard from the source that it has them: only then is it signed.
  package var isWitnessed = true

  /// `digests` must be of the bytes that `record` is of.
  package init(_ record: CacheRecord, at key: CacheKey?, digests: [NamedDigest]) {
    self.record = record
    self.key = key
    self.digests = digests
  }

  /// The records to keep, with their keys.
  package var records: [(key: CacheKey, record: CacheRecord)] {
    var bare = record
    (bare.url, bare.etag, bare.lastModified) = (nil, nil, nil)
    return (key.map { [($0, record)] } ?? []) + digests.map { (CacheKey($0.algorithm, $0.digest), bare) }
  }
}
