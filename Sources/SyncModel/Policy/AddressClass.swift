/// What an address is for, by IANA's registries of special-purpose addresses and those of clouds (contract, section 14).
package enum AddressClass: String, Sendable, CaseIterable {
  /// Any host of the internet may have it.
  case `public`
  /// A cloud gives a machine its credentials there.
  case metadata
  case loopback
  /// "This host" or "this network": `0.0.0.0/8`, `::`.
  case unspecified
  /// For private networks, and those between a provider and its customers.
  case `private`
  case linkLocal
  case multicast
  case documentation
  case benchmarking
  /// It is for another address, which is inside: 6to4, Teredo, NAT64 of a site.
  case tunnel
  /// Everything else that is not public.
  case reserved

  /// The class of `address`; an address that stands for another one has the class of that.
  package init(_ address: NetworkAddress) {
    self = Self.isMetadata(address) ? .metadata : Self.special(address.reached)
  }

  /// Whether it is a metadata address, or has one in it.
  package static func isMetadata(_ address: NetworkAddress) -> Bool {
    switch address {
    case .v4(let bits): metadata4.contains(bits)
    case .v6(let high, let low):
      metadata6.contains { $0 == (high, low) } || (address.embedded.map(isMetadata) ?? false)
    }
  }

  /// As a noun with its article, for messages.
  package var words: String {
    switch self {
    case .public: "a public address"
    case .metadata: "a metadata address"
    case .loopback: "a loopback address"
    case .unspecified: "an address of no host"
    case .private: "a private address"
    case .linkLocal: "a link-local address"
    case .multicast: "a multicast address"
    case .documentation: "an address for documentation"
    case .benchmarking: "an address for benchmarks"
    case .tunnel: "an address of a tunnel"
    case .reserved: "a reserved address"
    }
  }

  // Several clouds share 169.254.169.254. The others: containers and pods at AWS, Tencent, Alibaba, Azure's agent,
  // and Oracle's first cloud.
  private static let metadata4: [UInt32] = [
    0xa9fe_a9fe, 0xa9fe_aa02, 0xa9fe_aa17, 0xa9fe_0017, 0x6464_64c8, 0xa83f_8110, 0xc000_00c0,
  ]
  // AWS, its pods, Google, Oracle, and OpenStack.
  private static let metadata6: [(UInt64, UInt64)] = [
    (0xfd00_0ec2_0000_0000, 0x0254), (0xfd00_0ec2_0000_0000, 0x0023), (0xfd20_00ce_0000_0000, 0x0254),
    (0xfd00_00c1_0000_0000, 0xa9fe_a9fe), (0xfe80_0000_0000_0000, 0xa9fe_a9fe),
  ]

  private static func special(_ address: NetworkAddress) -> AddressClass {
    for (network, what) in networks where network.contains(address) { return what }
    guard case .v6(let high, _) = address else { return .public }
    // Only this eighth of all addresses is for hosts (RFC 4291, section 2.4).
    return high >> 61 == 1 ? .public : .reserved
  }

  /// IANA's registries of 2025, without what is public in them. No network is inside an earlier one of another class.
  private static let networks: [(AddressNetwork, AddressClass)] =
    [
      ("0.0.0.0/8", .unspecified), ("10.0.0.0/8", .private), ("100.64.0.0/10", .private),
      ("127.0.0.0/8", .loopback), ("169.254.0.0/16", .linkLocal), ("172.16.0.0/12", .private),
      ("192.0.0.0/24", .reserved), ("192.0.2.0/24", .documentation), ("192.88.99.0/24", .tunnel),
      ("192.168.0.0/16", .private), ("198.18.0.0/15", .benchmarking), ("198.51.100.0/24", .documentation),
      ("203.0.113.0/24", .documentation), ("224.0.0.0/4", .multicast), ("240.0.0.0/4", .reserved),
      ("::/128", .unspecified), ("::1/128", .loopback), ("64:ff9b:1::/48", .tunnel), ("100::/64", .reserved),
      ("2001::/32", .tunnel), ("2001:2::/48", .benchmarking), ("2001:db8::/32", .documentation),
      ("2001::/23", .reserved), ("2002::/16", .tunnel), ("3fff::/20", .documentation),
      ("fc00::/7", .private), ("fe80::/10", .linkLocal), ("fec0::/10", .private), ("ff00::/8", .multicast),
    ].map { (AddressNetwork(known: $0), $1) }
}

/// The addresses that may be asked.
package struct AddressRule: Sendable, Equatable {
  /// Which are allowed besides ``networks``.
  package enum Base: Sendable, Equatable {
    /// All but those of metadata.
    case all
    /// The public ones.
    case `public`
    case none
  }

  /// Which are allowed besides ``networks``.
  package var base: Base
  /// Those that are allowed, whatever they are for.
  package var networks: [AddressNetwork]

  /// The rule of every run without a policy.
  package static let ordinary = AddressRule(.all)
  /// The rule of a policy that says nothing of addresses.
  package static let `public` = AddressRule(.public)

  /// Allows `base`, and `networks`.
  package init(_ base: Base, networks: [AddressNetwork] = []) {
    self.base = base
    self.networks = networks
  }

  /// Why `address` must not be asked; `nil` if it may.
  ///
  /// A metadata address is allowed only by a network that is about it, not by one that is wider than `/16` or, with
  /// IPv6, `/32`: who allows `100.64.0.0/10` does not think of it.
  package func refusal(of address: NetworkAddress) -> AddressClass? {
    let what = AddressClass(address)
    if base == .all, what != .metadata { return nil }
    let reached = address.reached
    let isNamed = networks.contains { network in
      network.contains(reached) && (what != .metadata || network.prefix >= (reached.width == 32 ? 16 : 32))
    }
    if isNamed { return nil }
    return base == .public && what == .public ? nil : what
  }
}
