import SyncModel
import Transfer

/// Opens the network of one run when the first server is asked.
final class NetworkOpener {
  /// `nil` until ``open(_:)`` was called.
  private(set) var network: (any ExchangeNetwork)?
  let settings: RunSettings
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

  /// The network, whose waker `mailbox` uses from now on; libcurl is loaded on the first call.
  func open(_ mailbox: Mailbox) throws(FailureCause) -> any ExchangeNetwork {
    if let network { return network }
    var transfer = TransferSettings(
      settings.network, hosts: hosts, secrets: secrets, timeScale: settings.resources.timeScale)
    transfer.policy = settings.policy?.network
    transfer.tracesRequests = settings.reports.hasTimes
    transfer.connectionsBefore = settings.earlier.connections
    let made = try TransferLoop(transfer, after: early?.replies)
    use(made, mailbox)
    return made
  }

  /// Uses one that is open already.
  func use(_ network: any ExchangeNetwork, _ mailbox: Mailbox) {
    self.network = network
    mailbox.setWaker(network.waker)
  }
}
