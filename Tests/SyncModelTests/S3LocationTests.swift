import SyncModel
import Testing

@Suite struct `A place in S3` {
  @Test func `has a bucket, a prefix, a region and a server`() throws {
    let whole = try S3Location("s3://my-bucket/a/b?region=eu-west-1&endpoint=https://s3.corp:9000/")
    #expect(whole.bucket == "my-bucket" && whole.prefix == "a/b" && whole.region == "eu-west-1")
    #expect(whole.endpoint == "https://s3.corp:9000")
    let plain = try S3Location("s3://abc")
    #expect(plain.prefix.isEmpty && plain.region == nil && plain.endpoint == nil)
    let escaped = try S3Location("s3://abc/?endpoint=http%3A%2F%2F127.0.0.1%3A8333&region=auto")
    #expect(escaped.endpoint == "http://127.0.0.1:8333" && escaped.region == "auto")
  }

  @Test(arguments: [
    ("s3://abc/", ""), ("s3://abc//a/", "a"), ("s3://abc/a/b//", "a/b"), ("s3://abc/A.b_~-1", "A.b_~-1"),
    // As it is signed: every byte that is not unreserved has an escape.
    ("s3://abc/a+b=c", "a%2Bb%3Dc"), ("s3://abc/a%20b", "a%20b"), ("s3://abc/%41%2b", "A%2B"),
    ("s3://abc/\u{e9}", "%C3%A9"), ("s3://abc/%c3%a9", "%C3%A9"),
    ("s3://abc/(1)!*'@:$,;", "%281%29%21%2A%27%40%3A%24%2C%3B"),
  ]) func `has a prefix that is sent as it is signed`(text: String, prefix: String) throws {
    #expect(try S3Location(text).prefix == prefix)
  }

  @Test(
    arguments: [
      ("s3://abc/x", "eu-west-1", nil, "https://abc.s3.eu-west-1.amazonaws.com/x"),
      ("s3://abc", "us-east-1", nil, "https://abc.s3.us-east-1.amazonaws.com"),
      ("s3://abc", "cn-north-1", nil, "https://abc.s3.cn-north-1.amazonaws.com.cn"),
      ("s3://a.bc/x", "eu-west-1", nil, "https://s3.eu-west-1.amazonaws.com/a.bc/x"),
      ("s3://abc/x/y", "auto", "https://s3.corp:9000/store", "https://s3.corp:9000/store/abc/x/y"),
      ("s3://abc", "auto", "http://[::1]:9", "http://[::1]:9/abc"),
    ] as [(String, String, String?, String)])
  func `is asked by the bucket's own host, or below a server`(
    text: String, region: String, endpoint: String?, base: String
  ) throws {
    #expect(try S3Location(text).base(region: region, endpoint: endpoint) == base)
  }

  @Test(
    arguments: [
      ("s3:abc", .form), ("s3:/abc", .form), ("https://abc", .form), ("s3://abc/x#y", .form),
      ("s3://abc/x y", .form),
      ("s3://abc/x?region=%zz", .region), ("s3://", .bucket("")), ("s3:///x", .bucket("")),
      ("s3://ab", .bucket("ab")),
      ("s3://Abc", .bucket("Abc")), ("s3://a_b", .bucket("a_b")), ("s3://-abc", .bucket("-abc")),
      ("s3://abc-", .bucket("abc-")), ("s3://a..b", .bucket("a..b")),
      ("s3://127.0.0.1/x", .bucket("127.0.0.1")),
      ("s3://abc:80/x", .bucket("abc:80")),
      ("s3://\(String(repeating: "a", count: 64))", .bucket(String(repeating: "a", count: 64))),
      ("s3://abc/../x", .prefix), ("s3://abc/a/./b", .prefix), ("s3://abc/a//b", .prefix),
      ("s3://abc/%2e%2e/x", .prefix),
      ("s3://abc/a%2fb", .prefix), ("s3://abc/%0a", .prefix), ("s3://abc/%ff", .prefix),
      ("s3://abc/%4", .prefix),
      ("s3://abc/\(String(repeating: "a", count: 901))", .prefix), ("s3://abc?region=", .region),
      ("s3://abc?region=eu:west", .region), ("s3://abc?region=a/b", .region),
      ("s3://abc?region=a&region=b", .twice("region")),
      ("s3://abc?endpoint=https://a&endpoint=https://b", .twice("endpoint")),
      ("s3://abc?endpoint=s3.corp", .endpoint),
      ("s3://abc?endpoint=ftp://s3.corp", .endpoint), ("s3://abc?endpoint=https://s3.corp/?x", .endpoint),
      ("s3://abc?endpoint=https://s3.corp/../x", .endpoint), ("s3://abc?x", .unknownKey("", value: "x")),
      ("s3://abc?secret_key=hush", .unknownKey("secret_key", value: "hush")),
      ("s3://abc?region=a&", .unknownKey("", value: "")),
      ("s3://AKID:hush@abc", .credentials(secret: "hush")), ("s3://hush@abc/x", .credentials(secret: "hush")),
      ("s3://AKID:hu/sh/hush@abc/x?region=r", .credentials(secret: "hu/sh/hush")),
      ("s3://AKID:hu?sh@abc/x", .credentials(secret: "hu?sh")),
      ("s3://AKID:hu#sh@abc", .credentials(secret: "hu#sh")),
      ("s3://AKID:hu sh@abc", .credentials(secret: "hu sh")),
      ("s3:AKID:hush@abc", .credentials(secret: "hush")),
      ("s3://abc?endpoint=http://AKID:hu/sh@s3.corp", .credentials(secret: "hu/sh")),
      ("s3://abc?endpoint=https://u:hush@s3.corp", .credentials(secret: "hush")),
    ] as [(String, S3LocationFault)])
  func `is refused with what is wrong`(text: String, fault: S3LocationFault) {
    #expect(throws: fault) { try S3Location(text) }
  }

  @Test func `tells what must not be shown`() {
    #expect(S3LocationFault.credentials(secret: "hush").secret == "hush")
    #expect(S3LocationFault.unknownKey("key", value: "hush").secret == "hush")
    #expect(
      S3LocationFault.bucket("x").secret == nil && S3LocationFault.unknownKey("key", value: "").secret == nil)
    #expect(S3LocationFault.unknownKey("key", value: "hush").text.contains("\"key\""))
    #expect(!S3LocationFault.unknownKey("", value: "hush").text.contains("hush"))
  }
}
