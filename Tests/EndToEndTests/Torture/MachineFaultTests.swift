import Foundation
import SyncTestSupport
import Testing

/// The machine fails the program: no space, no descriptors, no memory, a read-only file system. In all cases an
/// output is the old file or the new one, and the next run on a healthy machine succeeds.
@Suite(.enabled(if: SyncmakeProgram.path != nil)) struct MachineFaultTests {
  @Test func `a failing machine costs a run, but never a file`() throws {
    let tally = TortureTally("machine-faults")
    let faults = MachineFault.all.filter(\.isPossible)
    let all = faults.reduce(0) { $0 + $1.levels.count }
    // The cases cover all levels of all faults.
    let step = max(1, all / max(1, Torture.cases(usually: 50)))
    for fault in faults {
      let patient = try Patient(onOwnFileSystem: fault.needsFileSystem)
      for level in fault.levels.enumerated().filter({ $0.offset % step == 0 }).map(\.element) {
        try patient.suffer(fault, level) { tally.violation("\(fault.name) \(level): \($0)") }
        tally.count()
      }
    }
    let isClean = tally.close()
    #expect(isClean, "\(tally.firstViolations.joined(separator: "\n"))")
  }
}

/// One resource that a machine can lack, at many levels.
private struct MachineFault {
  var name: String
  var levels: [Int]
  /// The command that runs the program under it; `$0` is the program, the rest its arguments.
  var shell: @Sendable (Int) -> String
  /// The codes that a target may fail with.
  var codes: Set<String>
  /// From this level on the run must succeed.
  var harmlessFrom = Int.max
  /// Whether the program itself may fail to start, or may be killed.
  var mayDie = false
  var needsFileSystem = false
  var tool: String?

  var isPossible: Bool {
    if needsFileSystem && !OwnFileSystem.isPossible { return false }
    guard let tool else { return true }
    return ["/usr/bin", "/bin"].contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(tool)") }
  }

  static let all = [
    // The free space in KiB: from none to enough for everything.
    MachineFault(
      name: "disk-full", levels: Array(stride(from: 0, to: 1400, by: 4)),
      shell: { _ in "exec \"$0\" \"$@\"" },
      codes: ["disk-full"], harmlessFrom: 1380, needsFileSystem: true),
    MachineFault(
      name: "file-size-limit", levels: Array(stride(from: 1, to: 1000, by: 12)),
      shell: { "ulimit -f \($0); exec \"$0\" \"$@\"" },
      codes: ["disk-full", "output-unwritable"]),
    MachineFault(
      name: "few-descriptors", levels: Array(3...64), shell: { "ulimit -n \($0); exec \"$0\" \"$@\"" },
      codes: ["output-unwritable", "connect-failed", "internal", "sidecar-invalid"], harmlessFrom: 32,
      mayDie: true),
    MachineFault(
      name: "little-memory", levels: Array(stride(from: 20_000, to: 700_000, by: 10_000)),
      shell: { "ulimit -v \($0); exec \"$0\" \"$@\"" },
      codes: ["output-unwritable", "connect-failed", "internal", "disk-full"], mayDie: true),
    // The n-th write to a file is refused, as by a quota.
    MachineFault(
      name: "quota", levels: Array(1...60),
      shell: {
        "exec strace -f -qq -o /dev/null -e trace=pwrite64,ftruncate,fsync,fdatasync,mkdirat "
          + "-e inject=pwrite64,ftruncate,fsync,fdatasync,mkdirat:error=EDQUOT:when=\($0) \"$0\" \"$@\""
      }, codes: ["disk-full", "output-unwritable"], tool: "strace"),
    MachineFault(
      name: "read-only", levels: Array(0...3), shell: { _ in "exec \"$0\" \"$@\"" },
      codes: ["output-unwritable"], needsFileSystem: true),
  ]
}

/// A root on a machine that first fails and then works again.
private final class Patient {
  private static let names = ["a", "big", "packed", "copy", "deep"]

  private let program: String
  private let folder: TemporaryFolder
  private let disk: OwnFileSystem?
  private let server: LoopbackServer
  private let environment: [String: String]
  private var version = 0
  private let packed: [[UInt8]]

  init(onOwnFileSystem: Bool) throws {
    program = try #require(SyncmakeProgram.path)
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path("root"), withIntermediateDirectories: true)
    disk = onOwnFileSystem ? try OwnFileSystem(at: folder.path("root")) : nil
    server = try LoopbackServer()
    // A Swift toolchain has a program that the runtime starts after a crash; without memory it can wait for ever.
    environment = [
      "PATH": "/usr/bin:/bin", "HOME": folder.path("home"), "BASE": server.url(),
      "SWIFT_BACKTRACE": "enable=no",
    ]
    packed = try (0...1).map { try TestData.gzip(Self.plain($0)) }
    try folder.write(
      """
      version: 1
      targets:
        a: {url: "${env:BASE}/a"}
        big: {url: "${env:BASE}/big"}
        packed: {url: "${env:BASE}/packed", steps: [gunzip]}
        copy: {from: a, output: copy}
        deep: {url: "${env:BASE}/deep", output: some/where/deep}
      """, to: "root/syncmake.yaml")
    serve()
    let first = try run("exec \"$0\" \"$@\"")
    guard first.status == 0 else { throw ProcessFailure(call: "the first run: \(first)", code: EIO) }
  }

  private static func plain(_ version: Int) -> [UInt8] {
    Array(repeating: UInt8(version % 2), count: 150_000) + TestData.random(50_000, seed: UInt64(version % 2))
  }

  private func body(_ name: String, _ version: Int) -> [UInt8] {
    switch name {
    case "big": TestData.random(200_000, seed: UInt64(version))
    case "packed": Self.plain(version)
    case "copy": body("a", version)
    default: Array("\(name) \(version)\n".utf8)
    }
  }

  private func serve() {
    for name in Self.names {
      let bytes = name == "packed" ? packed[version % 2] : body(name, version)
      server.on("/\(name)", .file(bytes, etag: "\"\(name)-\(version)\""))
    }
  }

  private func run(_ shell: String) throws -> ProcessResult {
    try runProcess(
      "/bin/sh", ["-c", shell, program, "-C", folder.path("root"), "-k", "--json"], environment: environment,
      timeoutSeconds: 60)
  }

  private func output(_ name: String) -> [UInt8]? {
    folder.read(name == "deep" ? "root/some/where/deep" : "root/\(name)")
  }

  func suffer(_ fault: MachineFault, _ level: Int, _ violation: (String) -> Void) throws {
    let isStale = fault.name != "read-only" || level % 2 == 1
    let old = version
    if isStale { version += 1 }
    serve()
    if fault.name == "disk-full" { try disk?.remount("size=\((disk?.used ?? 0) + level)k") }
    if fault.name == "read-only" { try disk?.remount("ro") }
    let end = try run(fault.shell(level))
    if fault.name == "read-only" { try disk?.remount("rw") }
    check(end, fault, level, isStale: isStale, violation)
    for name in Self.names where ![body(name, old), body(name, version)].contains(output(name)) {
      violation("\(name) is neither the old file nor the new one")
    }

    if fault.name == "disk-full" { try disk?.remount("size=64m") }
    let next = try run("exec \"$0\" \"$@\"")
    if next.status != 0 { violation("the next run ended with \(next)") }
    for name in Self.names where output(name) != body(name, version) {
      violation("after the next run \(name) has wrong bytes")
    }
  }

  private func check(
    _ end: ProcessResult, _ fault: MachineFault, _ level: Int, isStale: Bool, _ violation: (String) -> Void
  ) {
    if end.timedOut { return violation("it hung: \(end.stderr)") }
    if level >= fault.harmlessFrom || !isStale {
      if end.status != 0 { violation("it should not have been felt: \(end)") }
      return
    }
    if end.status == 0 { return }
    if fault.mayDie && end.status != 2 { return }
    guard end.status == 2 else { return violation("it ended with \(end)") }
    let codes = end.stdout.split(separator: "\"code\":").dropFirst().compactMap {
      $0.split(separator: "\"", maxSplits: 2).dropFirst(0).first { $0 != " " }.map(String.init)
    }
    if codes.isEmpty, !end.stderr.contains("error:") { violation("it does not say what is wrong: \(end)") }
    let surprising = Set(codes).subtracting(fault.codes)
    if !surprising.isEmpty { violation("codes \(surprising.sorted()): \(end.stderr)") }
  }
}
