import Platform
import SyncModel

/// Runs programs that give credentials: to their end, without a shell, within limits.
struct CredentialProgram: Sendable {
  /// Of an answer, in bytes.
  static let longestAnswer = 256 << 10
  /// What a program gets, as `NAME=value`.
  let environment: [String]
  /// The folders for names without a slash.
  let searchPath: [String]

  /// What `program` writes to its standard output; blocks, so that it is not for the deciding thread.
  ///
  /// - Parameters:
  ///   - time: from its start to its end, times `timeScale`.
  ///   - isInVain: asked now and then, whether nobody waits any longer.
  func answer(
    of program: String, _ arguments: [String], input: [UInt8] = [], within time: Duration, timeScale: Double,
    isInVain: () -> Bool
  ) throws(HelperFault) -> [UInt8] {
    guard let path = path(of: program) else { throw .missing }
    let ending: ChildProgram.Ending
    do throws(ChildProgram.Fault) {
      ending = try ChildProgram.run(
        path, arguments, environment: environment, input: input,
        limits: .init(time: time * timeScale, output: Self.longestAnswer), isInVain: isInVain)
    } catch {
      switch error {
      case .unstartable(let error): throw .unstartable(error.text)
      case .late(let errors): throw .late(time, says: Self.line(errors))
      case .tooLong: throw .invalid("it is longer than \(Self.longestAnswer >> 10) KiB")
      case .stopped: throw .stopped
      }
    }
    guard ending.status == 0 else {
      throw .failed(status: ending.status, says: Self.line(ending.errors, without: ending.output))
    }
    return ending.output
  }

  private func path(of program: String) -> String? {
    if program.utf8.contains(UInt8(ascii: "/")) { return program }
    return searchPath.map { $0.hasSuffix("/") ? $0 + program : $0 + "/" + program }
      .first(where: FileStatus.isProgram)
  }

  /// The same; nothing if it repeats a part of the answer, which may be a secret.
  private static func line(_ bytes: [UInt8], without answer: [UInt8]) -> String {
    let line = line(bytes)
    let parts = answer.split { $0 <= 0x20 || "\"'=:,;{}[]".utf8.contains($0) }.filter {
      $0.count >= shortestSecret
    }
    return parts.contains { line.holds(String(decoding: $0, as: UTF8.self)) } ? "" : line
  }

  /// In bytes: shorter parts of an answer are words that an error message may have, too.
  private static let shortestSecret = 6

  /// The first line of what a program says, to be shown.
  static func line(_ bytes: [UInt8]) -> String {
    let line = bytes.drop { $0 <= 0x20 }.prefix { $0 != UInt8(ascii: "\n") }.prefix(200)
    return String(decoding: line, as: UTF8.self)
  }
}
