import Planning
import SyncModel

/// Files with their digests, such as a `SHA256SUMS`, in every form that a sidecar may have.
///
/// The key is the name as written, without a leading `./`; the URL is the name, relative to the list's own URL. Each
/// line must be a digest with a name, a comment or blank, and a file must have a digest that is compared.
enum ChecksumsReader {
  static func read(_ bytes: [UInt8], into entries: EntryCollector) throws(ListFault) {
    let files: [ChecksumList.File]
    // Every line takes memory, also a blank one.
    guard bytes.count(where: { $0 == 0x0A }) <= 2 * ListLimits.entries else {
      throw ListFault(.tooManyEntries)
    }
    do throws(SidecarFault) { files = try ChecksumList.files(in: bytes) } catch { throw fault(error) }
    for file in files {
      try entries.add { () throws(ListFault) in
        // `./` alone.
        guard !file.name.isEmpty else { throw ListFault(.lacks("a name")) }
        guard file.name.utf8.first != UInt8(ascii: "/"), let path = URLBase.path(naming: file.name) else {
          throw ListFault(.badURL(file.name))
        }
        var entry = ListEntry(
          key: file.name, name: file.name.lastPart, url: try entries.url(entries.base.folder + path))
        entry.digests = file.digests
        return entry
      }
    }
  }

  private static func fault(_ fault: SidecarFault) -> ListFault {
    switch fault {
    case .empty: ListFault(.empty)
    case .seems(let kind): ListFault(.otherFormat(found: kind.words))
    case .unreadableLine(let line): ListFault(.malformed("the line is not a digest and a name"), line: line)
    case .brokenFrame(let line, _): ListFault(.malformed("the frame of the signature is damaged"), line: line)
    case .noEntry: ListFault(.lacks("a name"))
    case .ambiguous(let name): ListFault(.repeatedKey(name))
    case .otherAlgorithm(let other, let name): ListFault(.notCompared(other, of: name))
    case .wrongLength(_, let actual): ListFault(.malformed("a digest has \(actual) digits"))
    case .noDigest: ListFault(.malformed("there is no digest"))
    default: ListFault(.malformed("this is not text"))
    }
  }
}
