/// What a manifest from strangers may do (contract, section 14).
///
/// One that says nothing is that of `--untrusted` alone.
package struct Policy: Sendable, Equatable {
  /// The hosts that may be asked; `nil` for all.
  package var hosts: [HostPattern]?
  /// Whether the bytes of every target must be known beforehand, by a digest in the manifest or in the lock.
  package var requiresDigest = false
  /// The variables of the environment that the manifest may read.
  package var environment: [String] = []
  /// The request headers that the manifest may set, in lower case; `nil` for all.
  package var headers: [String]?
  /// Where outputs may be; `nil` for every place that is not protected.
  package var outputs: [PathPattern]?
  /// How much a command may use.
  package var limits = PolicyLimits()
  /// The addresses that may be asked.
  package var addresses = AddressRule.public

  /// That of `--untrusted` alone.
  package init() {}
}

/// How much a command may use; `nil` for no limit.
package struct PolicyLimits: Sendable, Equatable {
  /// Targets of the manifest, matrices and lists expanded.
  package var targets: Int?
  /// The bytes of all bodies that servers send.
  package var bytes: Int64?
  /// The bytes of one file, downloaded or unpacked.
  package var file: Int64?
  /// Requests, those of redirects and retries included.
  package var requests: Int?
  /// From the command's start.
  package var time: Duration?
  /// Redirects of one request.
  package var redirects: Int?

  /// No limits.
  package init() {}

  /// The limit of targets, if so many are more than it allows.
  package func targets(exceededBy count: Int) -> Int? { targets.flatMap { count > $0 ? $0 : nil } }
}

/// A limit that is reached.
package enum ReachedLimit: Sendable, Equatable {
  /// In bytes.
  case bytes(Int64)
  /// In bytes, of one file.
  case file(Int64)
  case requests(Int)
  case time(Duration)
  /// Of one request.
  case redirects(Int)
}

/// Why a policy refuses an origin.
package enum OriginRefusal: Sendable, Equatable {
  /// The host is this address.
  case address(NetworkAddress, AddressClass)
  case host(HostFault)
}

/// Why a host must not be asked.
package enum HostFault: Error, Sendable, Equatable {
  /// The URL is not `https`.
  case scheme
  /// Another port than 443.
  case port(Int)
  /// It is not among the policy's hosts.
  case host(String)
  /// It is a numeric address in other characters than ASCII's.
  case spelling(String)
  /// The file is outside the root, perhaps by a link, or one of git's own.
  case file
}

extension Policy {
  /// The one port.
  package static let port = 443

  /// Why a request to this origin must not be sent; `nil` if nothing but its address is to be seen yet.
  ///
  /// What is wrong with an address comes first: no host of a policy allows it.
  package func refusal(of origin: WebOrigin) -> OriginRefusal? {
    if let refused = addresses.refusedAddress(of: origin.host) {
      return .address(refused.address, refused.what)
    }
    return (addresses.spellingFault(of: origin.host) ?? fault(of: origin)).map { .host($0) }
  }

  private func fault(of origin: WebOrigin) -> HostFault? {
    if origin.scheme != "https" { return .scheme }
    if origin.port != Self.port { return .port(origin.port) }
    guard let hosts else { return nil }
    let name = HostPattern.withoutFinalDot(origin.host)
    // What a name with other letters is in the end is not seen here.
    let isASCII = name.utf8.allSatisfy { $0 < 0x80 }
    let isAllowed = hosts.contains { $0.covers(name) && (isASCII || $0.text == name || $0.text == "*") }
    return isAllowed ? nil : .host(name)
  }

  /// Whether the manifest may set this header.
  package func allowsHeader(_ name: String) -> Bool { headers?.contains(name.lowercased()) ?? true }
}

extension AddressRule {
  /// The address that a host is, and why it must not be asked; `nil` for a name and for an allowed address.
  package func refusedAddress(of host: String) -> (address: NetworkAddress, what: AddressClass)? {
    guard let address = NetworkAddress(host: host), let what = refusal(of: address) else { return nil }
    return (address, what)
  }

  /// A fault for a numeric address whose value is not seen: every rule refuses some, and it may be one of them.
  package func spellingFault(of host: String) -> HostFault? {
    NetworkAddress.isHidden(in: host) ? .spelling(host) : nil
  }
}
