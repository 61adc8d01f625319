import Syncmake

// The functions of docs/library.md, as they are there.

func newer(_ site: String, _ folder: String) async throws -> Bool {
  let file = FileSync("\(site)/terms.txt", to: "terms.txt", in: folder)
  return try await file.run().isChanged
}

func daily(_ site: String, _ folder: String) async throws -> Bool {
  var file = FileSync("\(site)/rates.json", to: "rates.json", in: folder)
  file.rule = .interval(.seconds(86_400))
  return try await file.run().isChanged
}

func pictures(_ site: String, _ folder: String) async throws -> [String] {
  let files = (1...3).map { FileSync("\(site)/p\($0).png", to: "pictures/p\($0).png", in: folder) }
  let results = try await FileSync.run(files)
  return results.filter(\.isChanged).map(\.output)
}

func docset(_ site: String, _ folder: String, onProgress: @escaping @Sendable (Int64, Int64?) -> Void)
  async throws -> Bool
{
  var file = FileSync("\(site)/docset.tar", to: "docset.tar", in: folder)
  file.rule = .modificationTime
  return try await file.run(onProgress: onProgress).isChanged
}

func database(_ site: String, _ folder: String) async throws -> Bool {
  var file = FileSync("\(site)/cities.db.gz", to: "cities.db", in: folder)
  file.rule = .digest(Digest(.md5, at: "\(site)/cities.db.gz.md5"))
  file.steps = [.gunzip]
  return try await file.run().isChanged
}
