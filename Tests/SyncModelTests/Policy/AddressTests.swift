import SyncModel
import Testing

@Suite struct `A numeric address` {
  /// How a URL's host spells an address, and which it is.
  static let spellings: [(host: String, address: String)] = [
    ("127.0.0.1", "127.0.0.1"), ("127.0.0.1.", "127.0.0.1"), ("127.1", "127.0.0.1"), ("127.0.1", "127.0.0.1"),
    ("2130706433", "127.0.0.1"), ("0x7f000001", "127.0.0.1"), ("0X7F000001", "127.0.0.1"),
    ("017700000001", "127.0.0.1"), ("0x7f.1", "127.0.0.1"), ("0177.0.0.01", "127.0.0.1"),
    ("0x7f.0.0.0x1", "127.0.0.1"), ("127.0x1", "127.0.0.1"), ("127.0.0.0x01", "127.0.0.1"), ("0", "0.0.0.0"),
    ("0x", "0.0.0.0"), ("0.0", "0.0.0.0"), ("4294967295", "255.255.255.255"),
    ("0xa9fea9fe", "169.254.169.254"),
    ("2852039166", "169.254.169.254"), ("0251.0376.0251.0376", "169.254.169.254"),
    ("169.254.43518", "169.254.169.254"), ("169.16689662", "169.254.169.254"), ("10.1", "10.0.0.1"),
    ("0xc0a80001", "192.168.0.1"), ("[::1]", "::1"), ("[0:0:0:0:0:0:0:1]", "::1"),
    ("[0000:0000:0000:0000:0000:0000:0000:0001]", "::1"), ("[::]", "::"), ("[::0.0.0.1]", "::1"),
    ("[::ffff:127.0.0.1]", "::ffff:127.0.0.1"), ("[::FFFF:7f00:1]", "::ffff:127.0.0.1"),
    ("[0:0:0:0:0:ffff:7f00:0001]", "::ffff:127.0.0.1"), ("[::127.0.0.1]", "::7f00:1"),
    ("[64:ff9b::7f00:1]", "64:ff9b::7f00:1"), ("[64:ff9b::10.0.0.1]", "64:ff9b::a00:1"),
    ("[fe80::1%25eth0]", "fe80::1"), ("[FE80::1%25lo]", "fe80::1"), ("[fd00:ec2::254]", "fd00:ec2::254"),
    ("[fd00:0ec2:0:0:0:0:0:254]", "fd00:ec2::254"), ("[2002:7f00:1::]", "2002:7f00:1::"),
  ]

  @Test(arguments: spellings)
  func `has many spellings`(host: String, address: String) {
    #expect(NetworkAddress(host: host)?.description == address)
    #expect(NetworkAddress(address)?.description == address)
  }

  @Test(arguments: [
    "", ".", "a", "127.0.0.256", "1.2.3.4.5", "256.1.1.1", "08.1.1.1", "0x100000000", "4294967296", "1..2",
    "127.0.0.1..",
    "-1", "1.2.3.-4", "0xg", "1e3", "127.0.0.1a", "[]", "[1]", "[:]", "[::1", "::1", "[::g]",
    "[1:2:3:4:5:6:7]",
    "[1:2:3:4:5:6:7:8:9]", "[1::2::3]", "[12345::]", "[::1.2.3]", "[::1.2.3.4:5]", "[:::]", "127.65536.1",
  ])
  func `is not every host`(host: String) { #expect(NetworkAddress(host: host) == nil) }

  @Test(arguments: ["0127.0.0.1", "127.1", "0x7f.0.0.1", "[::1]", "1.2.3.4 "])
  func `is written in one way where people write it`(text: String) { #expect(NetworkAddress(text) == nil) }

  @Test(arguments: [
    "①⑥⑨.254.169.254", "１６９.254.169.254", "169。254。169。254", "169．254｡169.254。", "⓪xa9fea9fe", "1.2.3.⑩",
    "\u{AD}１２７.1", "a。\u{200B}1", "127.0.0.²",
  ])
  func `is hidden in a host that is converted to ASCII`(host: String) {
    #expect(NetworkAddress(host: host) == nil && NetworkAddress.isHidden(in: host))
  }

  @Test(arguments: ["", "1.2.3.4", "a.1", "ü.example", "１.example", "例.一号店", "例。", "①⑥⑨.xn--p1ai"])
  func `is not hidden in a name, nor in ASCII`(host: String) { #expect(!NetworkAddress.isHidden(in: host)) }

  @Test func `comes as bytes from a socket`() {
    #expect(NetworkAddress(bytes: [127, 0, 0, 1]) == .v4(0x7f00_0001))
    #expect(
      NetworkAddress(bytes: [0xfe, 0x80] + [UInt8](repeating: 0, count: 13) + [7])?.description == "fe80::7")
    #expect(NetworkAddress(bytes: [1, 2, 3]) == nil && NetworkAddress(bytes: []) == nil)
  }

  static let classes: [(AddressClass, [String])] = [
    (
      .public,
      [
        "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
        "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0",
        "192.0.3.0",
        "192.88.98.255", "192.88.100.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0",
        "198.51.99.255", "198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255", "2000::",
        "2001:200::1",
        "2001:db7:ffff::", "2001:db9::", "2606:4700:4700::1111", "2003::1", "3ffe:ffff::", "3fff:1000::",
        "::ffff:8.8.8.8", "64:ff9b::8.8.8.8",
      ]
    ),
    (
      .metadata,
      [
        "169.254.169.254", "169.254.170.2", "169.254.170.23", "169.254.0.23", "100.100.100.200",
        "168.63.129.16",
        "192.0.0.192", "fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254", "fd00:c1::a9fe:a9fe",
        "fe80::a9fe:a9fe",
        "::ffff:169.254.169.254", "64:ff9b::169.254.169.254", "::169.254.169.254", "2002:a9fe:a9fe::",
        "64:ff9b:1::a9fe:a9fe", "2001:0:1:2::5601:5601", "2001:470::200:5efe:169.254.169.254",
        "64:ff9b::100.100.100.200",
      ]
    ),
    (.loopback, ["127.0.0.1", "127.255.255.254", "::1", "::ffff:127.0.0.1", "64:ff9b::127.0.0.1"]),
    (.unspecified, ["0.0.0.0", "0.1.2.3", "::", "::ffff:0.0.0.0"]),
    (
      .private,
      [
        "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "172.16.0.0", "172.31.255.255",
        "192.168.1.1",
        "fc00::1", "fdff::1", "fec0::1", "::ffff:10.0.0.1", "64:ff9b::192.168.0.1",
      ]
    ),
    (.linkLocal, ["169.254.0.1", "169.254.255.255", "fe80::1", "febf::1"]),
    (.multicast, ["224.0.0.1", "239.255.255.255", "ff02::1"]),
    (.documentation, ["192.0.2.1", "198.51.100.7", "203.0.113.255", "2001:db8::1", "3fff::1", "3fff:fff::"]),
    (.benchmarking, ["198.18.0.0", "198.19.255.255", "2001:2::1"]),
    (.tunnel, ["192.88.99.1", "2001::1", "2002:808:808::1", "64:ff9b:1::1"]),
    (
      .reserved,
      [
        "192.0.0.1", "240.0.0.1", "255.255.255.255", "100::1", "2001:1::1", "2001:1ff::", "4000::", "5f00::1",
        "::127.0.0.1", "1::1", "64:ff9b:2::1",
      ]
    ),
  ]

  @Test(arguments: classes)
  func `is for one purpose`(what: AddressClass, addresses: [String]) throws {
    for text in addresses {
      let address = try #require(NetworkAddress(text), "\(text)")
      #expect(AddressClass(address) == what, "\(text)")
      #expect(AddressRule.ordinary.refusal(of: address) == (what == .metadata ? .metadata : nil), "\(text)")
      #expect(AddressRule.public.refusal(of: address) == (what == .public ? nil : what), "\(text)")
    }
  }

  @Test(arguments: [
    ("10.1.0.0/16", ["10.1.0.0", "10.1.255.255"], ["10.0.255.255", "10.2.0.0", "::a01:0"]),
    ("0.0.0.0/0", ["255.1.2.3"], ["::1"]), ("1.2.3.4", ["1.2.3.4"], ["1.2.3.5"]),
    ("fd00::/8", ["fd00::1", "fdff::"], ["fc00::1", "fe00::"]), ("::/0", ["1::1"], ["1.1.1.1"]),
    ("2001:db8:1:2:8000::/65", ["2001:db8:1:2:8000::1"], ["2001:db8:1:2:7fff::"]),
    ("2001:db8:1:2::/64", ["2001:db8:1:2:ffff::"], ["2001:db8:1:3::"]), ("::1", ["::1"], ["::2"]),
  ])
  func `is in a network`(network: String, inside: [String], outside: [String]) throws {
    let network = try AddressNetwork(network)
    for text in inside { #expect(network.contains(try #require(NetworkAddress(text))), "\(text)") }
    for text in outside { #expect(!network.contains(try #require(NetworkAddress(text))), "\(text)") }
  }

  @Test(arguments: [
    "", "10", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/08", "fd00::/129", "a/8", "10.0.0.0/8/8",
  ])
  func `is in no network that cannot be read`(text: String) {
    #expect(throws: AddressNetwork.Fault.unreadable) { try AddressNetwork(text) }
  }

  @Test func `is not alone in a network with bits after its prefix`() {
    #expect(throws: AddressNetwork.Fault.bitsAfterPrefix("10.1.0.0/16")) { try AddressNetwork("10.1.2.3/16") }
  }
}

@Suite struct `A rule for addresses` {
  static let cases: [(base: AddressRule.Base, networks: [String], allowed: [String], refused: [String])] = [
    (
      .public, ["10.1.0.0/16"], ["10.1.2.3", "::ffff:10.1.2.3", "64:ff9b::10.1.2.3", "8.8.8.8"],
      ["10.2.0.1", "::1"]
    ),
    (.none, ["10.1.0.0/16"], ["10.1.2.3"], ["8.8.8.8", "127.0.0.1"]),
    (.none, [], [], ["8.8.8.8", "10.0.0.1"]),
    (.public, ["127.0.0.0/8", "::1"], ["127.0.0.1", "::1"], ["169.254.169.254", "10.0.0.1"]),
    // Who allows a wide network does not think of what a cloud has there.
    (.public, ["100.64.0.0/10"], ["100.64.0.1", "100.100.100.201"], ["100.100.100.200"]),
    (
      .public, ["0.0.0.0/0", "::/0"], ["10.0.0.1", "::1"],
      ["169.254.169.254", "fd00:ec2::254", "::ffff:169.254.169.254"]
    ),
    (
      .public, ["169.254.169.254"], ["169.254.169.254", "::ffff:169.254.169.254"],
      ["169.254.170.2", "169.254.1.1"]
    ),
    (.public, ["169.254.0.0/16"], ["169.254.169.254", "169.254.1.1"], ["100.100.100.200"]),
    (.public, ["fd00:ec2::/32"], ["fd00:ec2::254"], ["fd20:ce::254", "fd00:ec3::1"]),
    (.public, ["fc00::/7"], ["fd00::1"], ["fd00:ec2::254"]),
  ]

  @Test(arguments: cases)
  func `allows what it names`(
    base: AddressRule.Base, networks: [String], allowed: [String], refused: [String]
  ) throws {
    let rule = AddressRule(base, networks: try networks.map { try AddressNetwork($0) })
    for text in allowed { #expect(rule.refusal(of: try #require(NetworkAddress(text))) == nil, "\(text)") }
    for text in refused { #expect(rule.refusal(of: try #require(NetworkAddress(text))) != nil, "\(text)") }
  }
}
