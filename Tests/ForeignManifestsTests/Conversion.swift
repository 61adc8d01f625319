import Foundation
import ManifestParsing
import SyncModel
import Testing

@testable import ForeignManifests

/// Converts `text` for a `syncmake.yaml` in the current folder.
func convert(_ text: String, _ name: String = "list.txt") -> Result<ForeignConversion, ForeignRefusal> {
  convert(Array(text.utf8), name)
}

func convert(_ bytes: [UInt8], _ name: String) -> Result<ForeignConversion, ForeignRefusal> {
  ForeignConversion.convert(
    bytes, fileName: name, context: ManifestContext { _ in nil }, withSchema: false)
}

/// The first problem as `LINE:COLUMN: MESSAGE`, or `MESSAGE` if it has no place.
func refusal(_ result: Result<ForeignConversion, ForeignRefusal>) -> String? {
  guard case .failure(let refusal) = result, let problem = refusal.diagnostics.first else { return nil }
  return (problem.span.map { "\($0.line):\($0.column): " } ?? "") + problem.message
}

extension Result<ForeignConversion, ForeignRefusal> {
  /// The manifest's lines below its head; empty after a refusal.
  var lines: [String] {
    guard case .success(let conversion) = self else { return [] }
    return conversion.text.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
  }
}

/// One file of `Corpus`, in a shape that such files have; the values are our own.
struct ForeignShape: Sendable, CustomTestStringConvertible {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus")

  var kind: ForeignKind
  /// Below the kind's folder.
  var name: String

  static let all: [ForeignShape] = [
    ("aria2", ["mirrors.txt", "models.txt", "users.txt"]),
    ("urls", ["wget.txt", "ena.txt", "secrets.txt"]),
    ("vendir", ["http.yml", "releases.yaml", "others.yml"]),
    ("pooch", ["registry.txt", "urls.txt", "mixed.txt"]),
    ("dvc", ["data/data.xml.dvc", "old.csv.dvc", "others.dvc"]),
    ("chezmoi", [".chezmoiexternal.toml", "external.yaml", "external.json", "subset.toml"]),
  ].flatMap { kind, names in
    names.map { ForeignShape(kind: ForeignKind(rawValue: kind) ?? .urls, name: $0) }
  }

  var testDescription: String { "\(kind.rawValue)/\(name)" }

  func bytes() throws -> [UInt8] { try read(name) }

  /// The manifest that it becomes.
  func expected() throws -> String { String(decoding: try read(name + ".manifest"), as: UTF8.self) }

  private func read(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: Self.folder.appending(path: "\(kind.rawValue)/\(name)")))
  }
}

extension ForeignKind: CustomTestStringConvertible {
  package var testDescription: String { rawValue }
}
