import CFuzzer

@testable import FuzzChecks

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// One check under libFuzzer: its name in `SYNCMAKE_FUZZ_CHECK`, libFuzzer's own arguments on the command line.
///
/// Without a name it lists them.
@main enum Fuzz {
  private static let check: FuzzCheck? = {
    guard let name = getenv("SYNCMAKE_FUZZ_CHECK").map({ String(cString: $0) }) else { return nil }
    return FuzzCheck.all.first { $0.name == name }
  }()

  static func main() {
    guard check != nil else {
      for check in FuzzCheck.all { print(check.name) }
      return
    }
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    exit(
      LLVMFuzzerRunDriver(&count, &arguments) { data, size in
        let input = Array(UnsafeBufferPointer(start: data, count: size))
        do throws(Violation) {
          try Fuzz.check?.run(input)
        } catch {
          // libFuzzer keeps the input of whatever ends the program.
          fatalError("violation: \(error)")
        }
        return 0
      })
  }
}
