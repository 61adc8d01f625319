import Planning
import SyncModel
import Testing

@Suite struct TopFolderTests {
  @Test(
    arguments: [
      (["a/", "a/b", "a/c/d"], 1), (["a/b", "a/c"], 1), (["./a/b"], 1), (["a/b", "c/d"], 0),
      (["a/b", "README"], 0),
      (["README"], 0), (["a/"], 0), ([], 0), (["./", "a/", "a/b"], 1), (["a/b/c", "a/b/d"], 1),
    ] as [([String], Int)])
  func `auto removes the folder that contains everything`(names: [String], strip: Int) {
    var top = TopFolder()
    for name in names {
      top.take(ArchiveEntry(name: Array(name.utf8), kind: name.hasSuffix("/") ? .folder : .file))
    }
    #expect(top.strip == strip)
  }
}
