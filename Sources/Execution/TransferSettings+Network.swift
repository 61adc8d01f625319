import SyncModel
import Transfer

extension TransferSettings {
  /// How a run talks to servers.
  init(_ network: NetworkSettings, hosts: HostLimits, secrets: SecretMask, timeScale: Double) {
    self.init(userAgent: network.userAgent, hosts: hosts, secrets: secrets)
    self.timeScale = timeScale
    netrcPath = network.netrcPath
    caBundle = network.caBundle
    caDirectory = network.caDirectory
    proxies = ProxySettings(
      http: network.httpProxy, https: network.httpsProxy, all: network.allProxy, exceptions: network.noProxy)
  }
}
