import Syncmake

/// `library-benchmark URL FOLDER OUTCOME COUNT`: brings that many files up to date in one call. Each of them must end with
/// this outcome, `updated` or `fresh`.
@main
struct LibraryBenchmark {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count == 4, let count = Int(arguments[3]) else {
      return print("usage: library-benchmark URL FOLDER updated|fresh COUNT")
    }
    let (url, folder, outcome) = (arguments[0], arguments[1], arguments[2])
    let files = (0..<count).map { number in
      let digits = String(number)
      let name = "f" + String(repeating: "0", count: 6 - digits.count) + digits
      return FileSync("\(url)/\(name)", to: "out/\(name)", in: folder)
    }
    let results = try await FileSync.run(files)
    guard let odd = results.first(where: { $0.outcome.rawValue != outcome }) else { return }
    throw Odd(text: "\(odd)")
  }

  /// A file that ended in another way.
  struct Odd: Error {
    let text: String
  }
}
