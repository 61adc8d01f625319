import SyncModel
import Testing

@Suite("Places that no state may name")
struct OwnPlacesTests {
  @Test(arguments: [
    (".git/HEAD", true), ("a/.GIT/config", true), (".git", true), (".syncmake/state.db", true),
    ("syncmake.lock", true), ("x.yaml", true), ("X.yaml", true), ("x.yaml/a", true), ("rows.tsv", true),
    ("a/b", false), ("x.yaml2", false), ("git", false), ("sub/syncmake.lock", false), (".gitignore", false),
  ])
  func reserved(path: String, isReserved: Bool) throws {
    var manifest = Manifest(fileName: "sub/x.yaml", targets: [])
    manifest.rowFiles = [ManifestFile(path: try RelativePath("rows.tsv"), sum: .init(count: 0, hash: 0))]
    #expect(manifest.reserves(try RelativePath(path)) == isReserved)
  }
}
