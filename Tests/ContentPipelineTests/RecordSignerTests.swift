import ContentPipeline
import Foundation
import SyncModel
import SyncTestSupport
import Testing

/// Signatures by keys of the real minisign, which another program checks.
@Suite struct RecordSignerTests {
  private static let minisign = [
    "/usr/bin/minisign", "/usr/local/bin/minisign", "/opt/homebrew/bin/minisign",
  ]
  .first { FileManager.default.isExecutableFile(atPath: $0) }

  private struct Keys {
    let secret: [UInt8]
    let shared: MinisignKey

    init(in folder: TemporaryFolder) throws {
      let end = try runProcess(
        RecordSignerTests.minisign ?? "",
        ["-G", "-W", "-f", "-p", folder.path("key.pub"), "-s", folder.path("key.sec")])
      #expect(end.status == 0, "\(end)")
      secret = try #require(folder.read("key.sec"))
      shared = try MinisignKey(String(try #require(folder.text("key.pub")).split(separator: "\n")[1]))
    }
  }

  @Test(.enabled(if: minisign != nil)) func `a key of minisign signs, and its public half verifies`() throws {
    let folder = try TemporaryFolder()
    let keys = try Keys(in: folder)
    let secret = try MinisignSecretKey(keys.secret)
    #expect(secret.number == keys.shared.number && secret.publicBytes == keys.shared.bytes)
    let signer = try #require(RecordSigner(secret))
    #expect(signer.keyNumber == keys.shared.shownNumber)
    let message = Array("{\"format\":\"syncmake.record/1\"}".utf8)
    let signature = try #require(signer.signature(of: message))
    #expect(signature.count == 64)
    #expect(RecordSigner.isValid(signature, of: message, by: keys.shared))
    #expect(!RecordSigner.isValid(signature, of: message + [0x20], by: keys.shared))
    for place in signature.indices {
      var forged = signature
      forged[place] ^= 1
      #expect(!RecordSigner.isValid(forged, of: message, by: keys.shared))
    }
    let other = try Keys(in: try TemporaryFolder())
    #expect(!RecordSigner.isValid(signature, of: message, by: other.shared))
    // Another program: the key in the form of RFC 8410.
    let prefix: [UInt8] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00]
    try Data(prefix + keys.shared.bytes).write(to: URL(fileURLWithPath: folder.path("key.der")))
    try Data(message).write(to: URL(fileURLWithPath: folder.path("message")))
    try Data(signature).write(to: URL(fileURLWithPath: folder.path("signature")))
    let checked = try runProcess(
      "/usr/bin/env",
      [
        "openssl", "pkeyutl", "-verify", "-pubin", "-keyform", "DER", "-inkey", folder.path("key.der"),
        "-rawin",
        "-in", folder.path("message"), "-sigfile", folder.path("signature"),
      ])
    #expect(checked.status == 0, "\(checked)")
  }

  @Test(.enabled(if: minisign != nil)) func `a damaged key is none`() throws {
    let keys = try Keys(in: try TemporaryFolder())
    let lines = keys.secret.split(separator: UInt8(ascii: "\n")).map { Array($0) }
    let key = try #require(Base64.decode(lines[1]))
    func file(_ bytes: [UInt8]) -> [UInt8] { lines[0] + Array("\n\(Base64.encode(bytes))\n".utf8) }
    #expect(try MinisignSecretKey(file(key)) == MinisignSecretKey(keys.secret))
    for place in 62..<126 {
      var damaged = key
      damaged[place] ^= 1
      #expect(RecordSigner(try MinisignSecretKey(file(damaged))) == nil)
    }
    var protected = key
    (protected[2], protected[3]) = (UInt8(ascii: "S"), UInt8(ascii: "c"))
    #expect(throws: MinisignSecretKey.Fault.hasPassword) { try MinisignSecretKey(file(protected)) }
    for bytes in [[], lines[0], lines[1], file(Array(key.dropLast())), file(key + [0]), Array("x\ny\n".utf8)]
    {
      #expect(throws: MinisignSecretKey.Fault.notSecretKey) { try MinisignSecretKey(bytes) }
    }
  }
}
