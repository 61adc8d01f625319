import Foundation
import SyncModel
import SyncTestSupport
import Testing

@testable import Execution

/// Where the credentials for a cache on S3 come from.
@Suite struct `Keys for a store` {
  private let folder: TemporaryFolder
  private let now = Timestamp(seconds: 1_800_000_000)

  init() throws { folder = try TemporaryFolder() }

  private func keys(
    _ variables: [String: String] = [:], _ address: String = "s3://abc/x?region=r&endpoint=http://a.example"
  ) throws -> StoreKeys {
    let all = ["HOME": folder.path, "PATH": "/usr/bin:/bin"].merging(variables) { $1 }
    return StoreKeys(
      try S3Location(address), variable: { name in all[name] },
      environment: { all.map { "\($0.key)=\($0.value)" } })
  }

  private func find(
    _ variables: [String: String] = [:], _ address: String = "s3://abc/x?region=r&endpoint=http://a.example"
  ) throws -> Result<StoreAccess, StoreKeyFault> {
    try keys(variables, address).find(at: now, timeScale: 1)
  }

  private static let pair = ["AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret"]
  private var files: [String] { [folder.path(".aws/credentials"), folder.path(".aws/config")] }

  private func write(credentials: String = "", configuration: String = "") throws {
    try folder.write(credentials, to: ".aws/credentials")
    try folder.write(configuration, to: ".aws/config")
  }

  @Test func `come from variables`() throws {
    let access = try find(Self.pair).get()
    #expect(
      access
        == StoreAccess(base: "http://a.example/abc/x", region: "r", key: StoreKey(id: "id", secret: "secret"))
    )
    let limited = try find(Self.pair.merging(["AWS_SESSION_TOKEN": "t"]) { $1 }).get()
    #expect(limited.key.token == "t")
    #expect(try find(["AWS_ACCESS_KEY_ID": "id"]) == .failure(.half(variable: "AWS_SECRET_ACCESS_KEY")))
    #expect(try find(["AWS_SECRET_ACCESS_KEY": "s"]) == .failure(.half(variable: "AWS_ACCESS_KEY_ID")))
    #expect(try find(Self.pair.merging(["AWS_SESSION_TOKEN": "a\nb"]) { $1 }) == .failure(.unusable))
  }

  @Test func `come from the files of the AWS tools`() throws {
    #expect(try find() == .failure(.missing(profile: "default", files: files)))
    try write(
      credentials: """
        # a comment
        [other]\r
        aws_access_key_id=other-id\r
        aws_secret_access_key = other=secret/+ \r
        [default]
        AWS_Access_Key_ID = id
        aws_secret_access_key=secret
        aws_session_token =token
          nested = no
        """,
      configuration:
        "[default]\nregion = r-1\n[profile \"by config\"]\naws_access_key_id=c\naws_secret_access_key=d\n")
    #expect(try find().get().key == StoreKey(id: "id", secret: "secret", token: "token"))
    #expect(
      try find(["AWS_PROFILE": "other"]).get().key == StoreKey(id: "other-id", secret: "other=secret/+"))
    #expect(try find(["AWS_PROFILE": "by config"]).get().key == StoreKey(id: "c", secret: "d"))
    #expect(try find(["AWS_PROFILE": "none"]) == .failure(.noProfile("none", files: files)))
    // As the tools of AWS read them.
    let indented = "[i]\n  aws_access_key_id: g\n\taws_secret_access_key = h\n"
    try folder.write(
      indented + "[j]\n aws_access_key_id = k\n aws_secret_access_key : l\n  x = y\n", to: "odd")
    try folder.write(
      "[p]\n  aws_access_key_id = m\n  aws_secret_access_key = n\n  [q]\n  aws_access_key_id = o\n",
      to: "within")
    let within = ["AWS_SHARED_CREDENTIALS_FILE": "~/within", "AWS_PROFILE": "p"]
    #expect(try find(within).get().key == StoreKey(id: "m", secret: "n"))
    for (profile, key) in [("i", StoreKey(id: "g", secret: "h")), ("j", StoreKey(id: "k", secret: "l"))] {
      let variables = ["AWS_SHARED_CREDENTIALS_FILE": "~/odd", "AWS_PROFILE": profile]
      #expect(try find(variables).get().key == key)
    }
    // Variables come first.
    #expect(try find(Self.pair.merging(["AWS_PROFILE": "none"]) { $1 }).get().key.id == "id")
    try folder.write("[default]\naws_access_key_id=e\naws_secret_access_key=f\n", to: "elsewhere")
    #expect(try find(["AWS_SHARED_CREDENTIALS_FILE": "~/elsewhere"]).get().key.id == "e")
    #expect(try find(["AWS_SHARED_CREDENTIALS_FILE": folder.path("elsewhere")]).get().key.id == "e")
    #expect(
      try find(["AWS_CONFIG_FILE": folder.path]) == .failure(.unreadable(path: folder.path, "Is a directory"))
    )
    try write(configuration: "[default]\nsso_session = x\n")
    #expect(try find() == .failure(.unsupported(profile: "default", setting: "sso_session")))
  }

  @Test func `have a region and a server`() throws {
    func base(_ address: String, _ variables: [String: String] = [:]) throws -> String {
      let access = try find(variables.merging(Self.pair) { $1 }, address).get()
      return "\(access.region) \(access.base)"
    }
    #expect(try find(Self.pair, "s3://abc") == .failure(.noRegion))
    #expect(try base("s3://abc", ["AWS_DEFAULT_REGION": "b"]) == "b https://abc.s3.b.amazonaws.com")
    #expect(try base("s3://abc", ["AWS_REGION": "a", "AWS_DEFAULT_REGION": "b"]).hasPrefix("a "))
    #expect(try base("s3://abc?region=u", ["AWS_REGION": "a"]).hasPrefix("u "))
    let endpoints = ["AWS_ENDPOINT_URL_S3": "http://s:1", "AWS_ENDPOINT_URL": "http://t:2/"]
    #expect(try base("s3://abc/x", endpoints) == "us-east-1 http://s:1/abc/x")
    #expect(try base("s3://abc/x", ["AWS_ENDPOINT_URL": "http://t:2/"]) == "us-east-1 http://t:2/abc/x")
    #expect(try base("s3://abc/x?endpoint=http://u", endpoints) == "us-east-1 http://u/abc/x")
    let wrong = Self.pair.merging(["AWS_REGION": "a b"]) { $1 }
    #expect(try find(wrong, "s3://abc") == .failure(.invalid(setting: "AWS_REGION")))
    let odd = Self.pair.merging(["AWS_ENDPOINT_URL": "t"]) { $1 }
    #expect(try find(odd, "s3://abc") == .failure(.invalid(setting: "AWS_ENDPOINT_URL")))
    try write(configuration: "[default]\nregion = p\n")
    #expect(try base("s3://abc").hasPrefix("p "))
  }

  // MARK: A program

  /// Makes a program that counts its runs and answers with the file `answer`.
  private func program(_ answer: String) throws -> String {
    try folder.write(answer, to: "answer")
    let script = "#!/bin/sh\necho \"$#$1\" >> '\(folder.path)/runs'\ncat '\(folder.path)/answer'\n"
    try folder.writeProgram(Array(script.utf8), to: "a program")
    return "\"\(folder.path("a program"))\" 'x y'"
  }

  private func answer(expires: Int64? = nil) -> String {
    let end = expires.map { ", \"Expiration\": \"\(Timestamp(seconds: now.seconds + $0).rfc3339)\"" } ?? ""
    return
      "{\"Version\": 1, \"AccessKeyId\": \"id\", \"SecretAccessKey\": \"a-secret\", \"SessionToken\": \"a-token-1\"\(end)}"
  }

  private var runs: [String] { (folder.text("runs") ?? "").split(separator: "\n").map(String.init) }

  @Test func `come from a program, and are asked for again before they expire`() throws {
    try write(configuration: "[default]\ncredential_process = \(program(answer(expires: 3600)))\n")
    let keys = try keys()
    #expect(keys.access(at: now) == nil && keys.secrets.isEmpty)
    let access = try keys.find(at: now, timeScale: 1).get()
    #expect(access.key == StoreKey(id: "id", secret: "a-secret", token: "a-token-1"))
    #expect(keys.secrets == ["a-secret", "a-token-1"])
    func later(_ seconds: Int64) -> Timestamp { Timestamp(seconds: now.seconds + seconds) }
    #expect(try keys.find(at: later(3500), timeScale: 1).get() == access)
    #expect(runs == ["1x y"])
    #expect(keys.access(at: later(3541)) == nil)
    _ = keys.find(at: later(3541), timeScale: 1)
    #expect(runs.count == 2)
  }

  @Test func `of a program that is of no use fail once`() throws {
    for (answer, why) in [
      ("junk", "it is not a JSON object"), ("[]", "it is not a JSON object"),
      ("{}", "its \"Version\" is not 1"),
      ("{\"Version\": 1}", "it has no \"AccessKeyId\" or no \"SecretAccessKey\""),
      (answer(expires: 0), "its key has expired"),
      (
        answer(expires: 1).replacing("2027", with: "soon 2027"),
        "its \"Expiration\" is not a time such as 2026-01-31T12:00:00Z"
      ),
      (answer().replacing("a-secret", with: "a\\nb"), "its key has characters that cannot be sent"),
    ] {
      try write(configuration: "[default]\ncredential_process = \(program(answer))\n")
      #expect(try find() == .failure(.process(.invalid(why))))
    }
    try write(configuration: "[default]\ncredential_process = sh -c 'echo no >&2; exit 3'\n")
    #expect(try find() == .failure(.process(.failed(status: 3, says: "no"))))
    try write(configuration: "[default]\ncredential_process = no-such-program\n")
    #expect(try find() == .failure(.process(.missing)))
    try write(configuration: "[default]\ncredential_process = sh 'x\n")
    #expect(try find() == .failure(.invalid(setting: "credential_process")))
    try write(configuration: "[default]\ncredential_process = sleep 60\n")
    #expect(
      try keys().find(at: now, timeScale: 0.1) == .failure(.process(.late(StoreKeys.longestTime, says: ""))))
    let stopped = try keys()
    #expect(stopped.find(at: now, timeScale: 1) { true } == .failure(.process(.stopped)))
    // Others may wait longer.
    #expect(stopped.access(at: now) == nil)
    chmod(folder.path(".aws/config"), 0o666)
    #expect(try find() == .failure(.writable(path: folder.path(".aws/config"))))
  }

  @Test(
    arguments: [
      ("a b  c", ["a", "b", "c"]), (" \ta ", ["a"]), ("\"a b\" 'c \" d'", ["a b", "c \" d"]),
      ("a\\ b \"\" ''", ["a b", "", ""]),
      ("\"a \\\" \\\\ \\n\"", ["a \" \\ \\n"]), ("a'b'c", ["abc"]), ("", []), ("'a", nil), ("a\\", nil),
      ("\"a'", nil),
    ] as [(String, [String]?)])
  func `command lines have words`(line: String, words: [String]?) {
    #expect(CommandWords.split(line) == words)
  }
}
