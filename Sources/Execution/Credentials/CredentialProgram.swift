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
      case .late: throw .late(time, says: "")
      case .tooLong: throw .invalid("it is longer than \(Self.longestAnswer >> 10) KiB")
      case .stopped: throw .stopped
      }
    }
    guard ending.status == 0 else {
      // With an answer, what it says may repeat a secret of that.
      let isSilent = ending.output.allSatisfy { $0 <= 0x20 }
      throw .failed(status: ending.status, says: isSilent ? Self.line(ending.errors) : "")
    }
    return ending.output
  }

  private func path(of program: String) -> String? {
    if program.utf8.contains(UInt8(ascii: "/")) { return program }
    return searchPath.map { $0.hasSuffix("/") ? $0 + program : $0 + "/" + program }
      .first(where: FileStatus.isProgram)
  }

  /// The first line of what a program says, to be shown.
  static func line(_ bytes: [UInt8]) -> String {
    let line = bytes.drop { $0 <= 0x20 }.prefix { $0 != UInt8(ascii: "\n") }.prefix(200)
    return String(decoding: line, as: UTF8.self)
  }
}
