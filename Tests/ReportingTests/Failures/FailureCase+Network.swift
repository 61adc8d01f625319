import SyncModel

@testable import Reporting

/// Failures of a request or its reply.
extension FailureCase {
  private static let helperHint = "run the helper by hand; `syncmake config` shows which line names it"

  static let network: [FailureCase] = [
    FailureCase(
      .httpStatus(401, url: url), "HTTP status 401 (unauthorized) from https://h/f.gz",
      "if the server requires a login, add `auth` to the target"),
    FailureCase(
      .httpStatus(404, url: url), "HTTP status 404 (not found) from https://h/f.gz",
      "check the URL"),
    FailureCase(
      .httpStatus(404, url: "https://h/" + String(repeating: "a", count: 1000)),
      "HTTP status 404 (not found) from https://h/" + String(repeating: "a", count: 490) + "…",
      "check the URL"),
    FailureCase(
      .httpStatus(503, url: url), "HTTP status 503 (service unavailable) from https://h/f.gz",
      "the server may recover: run again later"),
    FailureCase(
      .httpStatus(599, url: url), "HTTP status 599 from https://h/f.gz",
      "request the URL with curl -v to see the server's answer"),
    FailureCase(
      .proxyRefused(407, proxy: "http://p:3128", url: url),
      "the proxy http://p:3128 did not connect to https://h/f.gz: HTTP status 407 (proxy authentication required)",
      "put the proxy's user and password into the proxy's environment variable"),
    FailureCase(
      .proxyRefused(403, proxy: nil, url: url),
      "the proxy did not connect to https://h/f.gz: HTTP status 403 (forbidden)",
      "the proxy's rules may forbid the address; `no_proxy` names hosts that are reached without it"),
    FailureCase(
      .proxyRefused(503, proxy: nil, url: url),
      "the proxy did not connect to https://h/f.gz: HTTP status 503 (service unavailable)",
      "the proxy may recover: run again later"),
    FailureCase(
      .retryAfter(seconds: 7200, status: 429, url: url),
      "HTTP status 429 (too many requests) from https://h/f.gz; it asks to wait 2h, which is more than 60 s",
      "run again in 2h"),
    FailureCase(
      .connectFailed(url: url, text: "Connection refused"),
      "cannot connect to https://h/f.gz: Connection refused",
      "check the host name, the network and any proxy"),
    FailureCase(
      .helperFailed(url: url, helper: "corp-helper", .failed(status: 3, says: "no session")),
      "no credentials for https://h/f.gz: the helper corp-helper exited with 3: no session", helperHint),
    FailureCase(
      .helperFailed(url: url, helper: "corp-helper", .failed(status: nil, says: "")),
      "no credentials for https://h/f.gz: the helper corp-helper was ended by a signal", helperHint),
    FailureCase(
      .helperFailed(url: url, helper: "corp-helper", .missing),
      "no credentials for https://h/f.gz: the helper corp-helper was not found in PATH",
      "`syncmake config` shows which line names it; with --policy, PATH is without the folders of the checkout"
    ),
    FailureCase(
      .helperFailed(url: url, helper: "./h", .unstartable("Permission denied")),
      "no credentials for https://h/f.gz: the helper ./h cannot be started: Permission denied",
      helperHint
    ),
    FailureCase(
      .helperFailed(url: url, helper: "corp-helper", .late(.seconds(10), says: "")),
      "no credentials for https://h/f.gz: the helper corp-helper had not answered after 10 s", helperHint),
    FailureCase(
      .helperFailed(url: url, helper: "corp-helper", .invalid("it is not JSON")),
      "no credentials for https://h/f.gz: the answer of the helper corp-helper cannot be used: it is not JSON",
      helperHint),
    FailureCase(
      .timeout(url: url, phase: .connect, after: .seconds(10)),
      "no connection to https://h/f.gz within 10 s",
      "`timeout: {connect: …}` allows more time"),
    FailureCase(
      .timeout(url: url, phase: .total, after: .seconds(3600)),
      "the reply from https://h/f.gz took more than 1h",
      "`timeout: {total: …}` allows more time"),
    FailureCase(
      .stalled(url: url, after: .seconds(30), received: 0, expected: nil),
      "no data came from https://h/f.gz for 30 s",
      "run again, or let `timeout: {stall: …}` allow longer pauses"),
    FailureCase(
      .stalled(url: url, after: .seconds(30), received: 1_234_567, expected: 5_000_000),
      "no more data came from https://h/f.gz for 30 s, after 1.2 MB of 5.0 MB",
      "run again, or let `timeout: {stall: …}` allow longer pauses"),
    FailureCase(
      .tls(url: url, text: "certificate has expired"),
      "no secure connection to https://h/f.gz: certificate has expired",
      "the certificate is not valid at this time: check this machine's clock, or tell the server's operator"),
    FailureCase(
      .tls(url: url, text: "unable to get local issuer certificate"),
      "no secure connection to https://h/f.gz: unable to get local issuer certificate",
      "syncmake always verifies certificates; CURL_CA_BUNDLE or SSL_CERT_FILE can name a file with other CA certificates"
    ),
    FailureCase(
      .tls(url: url, text: "tlsv1 alert protocol version"),
      "no secure connection to https://h/f.gz: tlsv1 alert protocol version",
      "the server speaks only versions of TLS that this machine does not allow: tell its operator"),
    FailureCase(
      .tls(url: url, text: "tlsv13 alert certificate required"),
      "no secure connection to https://h/f.gz: tlsv13 alert certificate required",
      "the server asks for a client's certificate, and syncmake sends none"),
    FailureCase(
      .tls(url: url, text: "SSL: no alternative certificate subject name matches target host name 'h'"),
      "no secure connection to https://h/f.gz: SSL: no alternative certificate subject name matches target host name 'h'",
      "the certificate is that of another host: check the host name of the URL"),
    FailureCase(
      .tls(url: url, text: "error adding trust anchors from file: /none.pem"),
      "no secure connection to https://h/f.gz: error adding trust anchors from file: /none.pem",
      "the file that CURL_CA_BUNDLE or SSL_CERT_FILE names cannot be used"),
    FailureCase(
      .tls(url: url, text: "error setting certificate file: /none.pem"),
      "no secure connection to https://h/f.gz: error setting certificate file: /none.pem",
      "the file that CURL_CA_BUNDLE or SSL_CERT_FILE names cannot be used"),
    FailureCase(
      .truncated(url: url, received: 12_345_678, expected: 12_345_679),
      "the reply from https://h/f.gz broke off after 12345678 bytes of 12345679 bytes",
      "run again; if the failure repeats, the server or a proxy truncates replies"),
    FailureCase(
      .truncated(url: url, received: 0, expected: nil), "the reply from https://h/f.gz broke off after 0 B",
      "run again; if the failure repeats, the server or a proxy truncates replies"),
    FailureCase(
      .lengthUnproven(url: url, received: 456),
      "nothing proves that the 456 B from https://h/f.gz are the complete file",
      "`unproven_length: accept` accepts such replies; a `verify` step checks them"),
    FailureCase(
      .offline, "this needs a request, but --offline is set",
      "run again without --offline (--frozen implies --offline)"),
  ]

  static let protocols: [FailureCase] = [
    FailureCase(
      .protocolError(url: url, .unequalContentLengths),
      "the reply from https://h/f.gz has two different lengths",
      "the server is faulty"),
    FailureCase(
      .protocolError(url: url, .headerTooLarge(limit: 300_000)),
      "the header of the reply from https://h/f.gz is larger than 300.0 kB",
      "the server is faulty"),
    FailureCase(
      .protocolError(url: url, .unexpectedStatus(304)),
      "HTTP status 304 (not modified) from https://h/f.gz, which was not requested",
      "the server or a cache in front of it is faulty: run again later"),
    FailureCase(
      .protocolError(url: url, .wrongRange("it starts at 7, not 5")),
      "the reply from https://h/f.gz does not continue the partial download: it starts at 7, not 5",
      "run again: the download starts over"),
    FailureCase(
      .protocolError(url: url, .contentEncoding("br")),
      "the reply from https://h/f.gz is encoded as br, which was not requested",
      "the server ignores `Accept-Encoding: identity`; look for a URL of the unencoded file"),
    FailureCase(
      .protocolError(url: url, .malformed("Received HTTP/0.9")),
      "the reply from https://h/f.gz is not valid: Received HTTP/0.9",
      "check that the URL points to a web server"),
    FailureCase(
      .hostRefused(url: "http://h/f", from: nil, .scheme),
      "refused to ask for http://h/f: an untrusted manifest may use https only", nil),
    FailureCase(
      .hostRefused(url: "https://h:8443/f", from: url, .port(8443)),
      "refused the redirect from https://h/f.gz to https://h:8443/f: an untrusted manifest may use port 443 only, not 8443",
      nil),
    FailureCase(
      .hostRefused(url: "https://g/f", from: nil, .host("g")),
      "refused to ask for https://g/f: the policy's \"hosts\" do not have \"g\"",
      "add the host to `hosts` of the policy if it may be asked"),
    FailureCase(
      .hostRefused(url: "https://①.1/f", from: nil, .spelling("①.1")),
      "refused to ask for https://①.1/f: the address \"①.1\" must be written in ASCII", nil),
    FailureCase(
      .hostRefused(url: "../f", from: nil, .file),
      "refused to read ../f: an untrusted manifest may read files of its folder only, and none of git's", nil),
    FailureCase(
      .addressRefused(url: url, .v4(0x7f00_0001), .loopback),
      "refused to connect to https://h/f.gz: 127.0.0.1 is a loopback address",
      "`addresses` of a policy (--policy FILE) allows 127.0.0.1 if it names it"),
    FailureCase(
      .addressRefused(url: url, .v4(0xa9fe_a9fe), .metadata),
      "refused to connect to https://h/f.gz: 169.254.169.254 is a metadata address, where a cloud gives a machine its credentials",
      "`addresses` of a policy (--policy FILE) allows 169.254.169.254 if it names it"),
    FailureCase(
      .addressRefused(url: url, .v4(0x0101_0101), .public),
      "refused to connect to https://h/f.gz: 1.1.1.1 is not in the policy's \"addresses\"",
      "`addresses` of a policy (--policy FILE) allows 1.1.1.1 if it names it"),
    FailureCase(
      .budgetExceeded(.bytes(2_000_000)), "the downloads exceed the policy's limit of 2.0 MB",
      "`limits` of the policy has \"bytes\""),
    FailureCase(
      .budgetExceeded(.file(1000)), "the file exceeds the policy's limit of 1.0 kB",
      "`limits` of the policy has \"file\""),
    FailureCase(
      .budgetExceeded(.requests(20)), "the policy's limit of 20 requests is reached",
      "`limits` of the policy has \"requests\""),
    FailureCase(
      .budgetExceeded(.time(.seconds(600))), "the policy's time of 10m is over",
      "`limits` of the policy has \"time\""),
    FailureCase(
      .budgetExceeded(.redirects(1)), "the policy's limit of 1 redirect is reached",
      "`limits` of the policy has \"redirects\""),
    FailureCase(
      .redirectRefused(from: url, to: "https://h/g", .tooMany),
      "more than 10 redirects, the last from https://h/f.gz to https://h/g",
      "open the URL, and write the file's final address in the manifest"),
    FailureCase(
      .redirectRefused(from: url, to: "https://h/g", .circle),
      "more than 10 redirects in a loop: the last is from https://h/f.gz to https://h/g",
      "the server redirects every request: open the URL in a browser to see what it expects"),
    FailureCase(
      .redirectRefused(from: url, to: "http://h/g", .downgrade),
      "refused the redirect from https://h/f.gz to http://h/g: it goes from https to http",
      "if you trust that address, write it in the manifest"),
    FailureCase(
      .redirectRefused(from: url, to: "ftp://h/g", .scheme),
      "refused the redirect from https://h/f.gz to ftp://h/g: it is neither http nor https",
      "open the URL, and write the file's final address in the manifest"),
    FailureCase(
      .redirectRefused(from: url, to: "", .location),
      "the redirect from https://h/f.gz has no target address",
      "open the URL, and write the file's final address in the manifest"),
    FailureCase(
      .redirectRefused(from: url, to: "http://[" + String(repeating: "a", count: 1000), .location),
      "the redirect from https://h/f.gz leads to http://[\(String(repeating: "a", count: 492))…, which is not a URL",
      "open the URL, and write the file's final address in the manifest"),
    FailureCase(
      .redirectRefused(from: url, to: "http://[", .location),
      "the redirect from https://h/f.gz leads to http://[, which is not a URL",
      "open the URL, and write the file's final address in the manifest"),
  ]
}
