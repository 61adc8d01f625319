import Platform
import Testing

@Suite struct `A search path outside of a checkout` {
  @Test(arguments: [
    ("/usr:/", "/usr", "/"), ("bin:./bin::/usr", "/", "/usr"), ("bin:./bin::/usr", "/usr", "/usr/bin:/bin"),
    ("/usr/bin:/nowhere/bin:..:/", "/nowhere", "/usr/bin:/"), ("bin:/usr", nil, "/usr"),
    ("", "/", "/usr/bin:/bin"),
  ])
  func `has whole paths of folders that are there`(path: String, root: String?, left: String) {
    #expect(Checkout.searchPath(path, outside: root) == left)
  }
}
