import SyncModel
import Transfer

/// The network of one run, which is opened when the first server is asked.
final class Network {
  /// `nil` until ``open(_:)`` was called.
  private(set) var loop: TransferLoop?
  private let settings: RunSettings
  private let hosts: HostLimits
  private let secrets: SecretMask
  private let early: EarlyAnswers?

  /// `early` has the requests that were sent before the run; they must not be sent again.
  init(_ settings: RunSettings, _ manifest: Manifest, _ early: EarlyAnswers?) {
    self.settings = settings
    self.early = early
    hosts = manifest.hosts
    secrets = manifest.secrets
  }

  /// The loop, whose waker `mailbox` uses from now on; libcurl is loaded on the first call.
  func open(_ mailbox: Mailbox) throws(FailureCause) -> TransferLoop {
    if let loop { return loop }
    var transfer = TransferSettings(
      settings.network, hosts: hosts, secrets: secrets, timeScale: settings.timeScale)
    transfer.tracesRequests = settings.reportsTimes
    let made = try TransferLoop(transfer, after: early?.replies)
    loop = made
    mailbox.setWaker(made.waker)
    return made
  }
}
