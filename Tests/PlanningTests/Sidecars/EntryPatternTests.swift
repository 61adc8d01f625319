import SyncModel
import Testing

@Suite struct `The pattern of an entry` {
  @Test(arguments: [
    ("a.gz", "a.gz"), ("a.gz", "dir/a.gz"), ("./a.gz", "a.gz"), ("*.gz", "dir/a.gz"), ("*", "a"), ("*", ""),
    ("a*", "a"), ("**a**", "a"), ("?.gz", "é.gz"), ("a*c*e", "abcde"), ("a*b", "aab"),
    ("dir/*.gz", "dir/a.gz"),
    ("*/a", "dir/a"), ("./dir/a", "./dir/a"), ("dir/?", "dir/a"),
  ])
  func `matches`(pattern: String, name: String) {
    #expect(EntryPattern(pattern).matcher(name))
  }

  @Test(arguments: [
    ("a.gz", "b.gz"), ("a.gz", "a.gz.old"), ("*.gz", "a.gz/b"), ("?", ""), ("??", "a"), ("a*c", "ab"),
    ("dir/a", "a"), ("dir/a", "x/dir/a"), ("*/a", "x/y/a"), ("dir/*", "dir/sub/a"), ("dir?a", "dir/a"),
    ("[ab]", "a"),
  ])
  func `does not match`(pattern: String, name: String) {
    #expect(!EntryPattern(pattern).matcher(name))
  }

  @Test func `is as fast with many stars`() {
    let pattern = String(repeating: "*a", count: 200) + "b"
    #expect(!EntryPattern(pattern).matcher(String(repeating: "a", count: 5_000)))
  }
}
