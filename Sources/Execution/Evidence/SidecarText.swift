import ContentPipeline
import Lists
import Planning
import SyncModel

/// The text of a sidecar or a signature, read in the way that each user of it wants, and once in each way.
final class SidecarText {
  let bytes: [UInt8]
  private(set) lazy var list = DigestText.list(bytes)
  private(set) lazy var document = DigestText.document(bytes)
  private(set) lazy var signature = readSignature()

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Whether the text is usable; if not, it is not stored.
  var isUseful: Bool {
    if case .success = list { return true }
    if case .success = signature { return true }
    if case .success = document { return true }
    return false
  }

  private func readSignature() -> Result<MinisignSignature, SignatureFault> {
    do throws(SignatureFault) { return .success(try MinisignSignature(bytes)) } catch {
      guard error == .notMinisign else { return .failure(error) }
      let kind = FileKind.recognised(in: bytes) ?? FileKind.recognised(inText: bytes)
      return .failure(kind.map { .seems($0) } ?? error)
    }
  }
}

/// Reads texts that contain digests.
enum DigestText {
  /// The list in `bytes`: lines of text, or a Metalink.
  static func list(_ bytes: [UInt8]) -> Result<ChecksumList, DigestTextFault> {
    Result { () throws(DigestTextFault) in
      do throws(SidecarFault) {
        guard ChecksumList.mayBeMetalink(bytes) else { return try ChecksumList(bytes) }
      } catch {
        throw .sidecar(error)
      }
      return try metalink(bytes)
    }
  }

  static func document(_ bytes: [UInt8]) -> Result<JSONValue, DigestTextFault> {
    Result { () throws(DigestTextFault) in
      do throws(SidecarFault) { return try JSONDigest.document(bytes) } catch { throw .sidecar(error) }
    }
  }

  private static func metalink(_ bytes: [UInt8]) throws(DigestTextFault) -> ChecksumList {
    let files: [MetalinkFile]
    do throws(MetalinkFault) { files = try MetalinkReader.files(in: bytes) } catch {
      switch error {
      case .otherDocument: throw .sidecar(.seems(.xml))
      case .malformed(let line, let text): throw .sidecar(.brokenXML(line: line, text: text))
      case .hasDoctype: throw .sidecar(.hasDoctype)
      case .noLibrary: throw .noXML
      }
    }
    let entries = files.flatMap { file in
      file.hashes.map { ChecksumLine(hex: $0.value, name: file.name, tag: $0.type) }
    }
    do throws(SidecarFault) { return try ChecksumList(entries: entries) } catch { throw .sidecar(error) }
  }
}

/// Why a text gives no digest.
enum DigestTextFault: Error {
  case sidecar(SidecarFault)
  /// It is XML, and the library that reads XML is missing.
  case noXML

  /// The failure for a target; `source` is the text's name in it.
  func cause(source: String) -> FailureCause {
    switch self {
    case .sidecar(let fault): .sidecarInvalid(source: source, fault)
    case .noXML: .libraryMissing(name: "libexpat.so.1", purpose: "to read the XML of \(source)")
    }
  }
}
