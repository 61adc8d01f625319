import SyncTestSupport

/// One section after its interpretation.
struct ScenarioStep {
  enum Action {
    case requirements([Requirement])
    case data
    case script(server: String, ServerScript)
    case environment([EnvironmentChange])
    case edits([FileEdit])
    case run(Command)
    case start(name: String, Command)
    case await([Condition])
    case end(name: String, [RunCheck])
    case check([RunCheck])
    case json([JSONCheck])
    case requests(server: String, isOrdered: Bool, [RequestPattern])
    case traffic(server: String, [TrafficCheck])
    case files([FileCheck])
  }

  var line: Int
  var action: Action
}

/// The requirements of the scenario on the machine.
enum Requirement {
  /// A user other than root, since root ignores file modes.
  case user
  case linux
  /// Python and openssl, which `front` sections need.
  case tls
  /// The program that was built with the tests, whose libraries are all outside: a release has some in it.
  case debug
}

/// A variable that is set or removed for the programs that run later.
struct EnvironmentChange {
  var name: String
  var value: String?
}

/// A program to run, actions while it runs, and the expected results.
struct Command {
  /// The first is `syncmake`, or `sh` for a line of shell in which `$SYNCMAKE` is the program.
  var arguments: [String] = []
  var environment: [EnvironmentChange] = []
  var signal: Int32?
  var signalCondition: Condition?
  var checks: [RunCheck] = []
}

/// Something to wait for, at most ten seconds.
struct Condition {
  enum Event {
    /// This number of requests for a path has arrived.
    case asked(server: String, path: String, count: Int)
    /// This number of body bytes was sent for a path.
    case sent(server: String, path: String, bytes: Int)
    /// The files in the state folder have this total size.
    case saved(bytes: Int)
    /// A program's standard error contains this text; `nil` for the present program.
    case stderr(program: String?, text: String)
    case exists(path: String)
  }

  var line: Int
  var event: Event
}

/// A requirement on a program's end.
struct RunCheck {
  enum Expectation {
    case status(Int32)
    case signal(Int32)
    case empty(Stream)
    case contains(Stream, String)
    case lacks(Stream, String)
    case matches(Stream, String)
    case text(Stream, TextPattern)
    case within(seconds: Double)
    case takes(atLeast: Double)
  }

  enum Stream: String { case stdout, stderr }

  var line: Int
  var expectation: Expectation
}

/// A requirement on a place in the JSON document on standard output.
struct JSONCheck {
  enum Expectation {
    case equal(JSONValue)
    case differs(JSONValue)
    case present, absent
    case matches(String)
    case contains(String)
    case lacks(String)
    case count(Int)
    case compare(String, Double)
  }

  var line: Int
  /// `.targets[0].name`, `.targets[name=genes].outcome`; `.` for the whole document.
  var path: String
  var expectation: Expectation
}

/// A request that must have arrived, and headers that it must or must not have.
struct RequestPattern {
  struct Header {
    var line: Int
    var name: String
    /// `nil` if it must be absent.
    var value: TextPattern?
  }

  var line: Int
  /// Method and target.
  var request: String
  var headers: [Header] = []
}

/// A requirement on all requests together.
struct TrafficCheck {
  enum Quantity {
    case requests(path: String?)
    case connections, peakConnections, peakRequests
  }

  var line: Int
  var quantity: Quantity
  var comparison: String
  var number: Int
}
