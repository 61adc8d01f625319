import CCurlShim
import SyncModel

/// A libcurl easy handle with its buffers: its header list and its error text.
///
/// Used for one hop after another; connections belong to the multi handle and outlive the hop.
@safe final class EasyHandle {
  private(set) var easy: UnsafeMutableRawPointer
  /// Whether it has served a hop.
  private var isUsed = false
  private var headers: UnsafeMutablePointer<curl_slist>?
  /// The header lines of plain requests, once there was one.
  private var joined: JoinedHeader?
  private let words: UnsafeMutablePointer<CChar>
  /// The URL of plain requests, once there was one.
  private var parsed: ParsedURL?
  /// Whether libcurl takes the URL from ``parsed``.
  private var usesParsed = false
  /// The handle's settings besides URL, headers and owner; `nil` for a new handle.
  ///
  /// Setting two dozen options again for each of many similar requests costs as much as sending them.
  private var form: Form?

  /// Which addresses its requests may be sent to.
  private var addresses = AddressRule.ordinary
  /// The address that was refused last while a connection was made for the present hop, unless another was allowed.
  private(set) var refusedAddress: (address: NetworkAddress, what: AddressClass)?
  /// Whether an address was allowed for the present hop: if it does not answer, a refusal of others is not to blame.
  private var hasAdmitted = false

  private struct Form: Equatable {
    var method: ExchangeRequest.Method
    var scheme: String
    var isPlain: Bool
    var avoidsStreams = false
    /// Whether `User-Agent` is among the headers' lines.
    var namesAgent = false
    /// Whether the user's own cache is asked, wherever it is.
    var isForCache = false
  }

  /// `nil` when libcurl has no memory.
  init?() {
    guard let easy = unsafe curlshim_easy_new() else { return nil }
    unsafe self.easy = easy
    unsafe words = .allocate(capacity: Int(CURL_ERROR_SIZE))
    unsafe words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  deinit {
    unsafe curlshim_easy_free(easy)
    unsafe curlshim_list_free(headers)
    unsafe words.deallocate()
  }

  /// Makes it ready for one hop; callbacks get `owner`, which must outlive the hop.
  ///
  /// With `avoidsStreams` HTTP/2 is not requested, and a used connection is never shared.
  func prepare(
    _ request: HopRequest, of exchange: ExchangeRequest, url: HopURL, settings: TransferSettings,
    onNewConnection: Bool, avoidsStreams: Bool, owner: HopOwner
  ) throws(FailureCause) {
    try renew()
    let isPlain = request.isPlain
    let wanted = Form(
      method: exchange.method, scheme: url.origin.scheme, isPlain: isPlain, avoidsStreams: avoidsStreams,
      namesAgent: isPlain, isForCache: exchange.isForCache)
    if !isPlain || form != wanted {
      setForm(wanted, settings)
      try setCredentials(request, settings: settings)
    }
    if exchange.method == .put { setUpload(of: exchange.body?.size ?? 0, owner) }
    unsafe url.wire.withCString(setURL)
    set(CURLOPT_FRESH_CONNECT, onNewConnection ? 1 : 0)
    if !isPlain || !setJoined(request.conditions, settings) { try setHeaders(request.lines, settings) }
    try unsafe setOwner(Unmanaged.passUnretained(owner).toOpaque())
  }

  /// Makes it ready for a GET of `url` with the lines in `headers` alone, `User-Agent` among them; both, and `owner`,
  /// must outlive the hop.
  ///
  /// The same request as ``prepare(_:of:url:settings:onNewConnection:avoidsStreams:owner:)`` makes of the other lines.
  func prepare(
    plain url: UnsafePointer<CChar>, scheme: String, headers lines: UnsafeMutablePointer<curl_slist>,
    settings: TransferSettings, owner: HopOwner
  ) throws(FailureCause) {
    try renew()
    let wanted = Form(method: .get, scheme: scheme, isPlain: true, namesAgent: true)
    if form != wanted {
      setForm(wanted, settings)
      set(CURLOPT_FRESH_CONNECT, 0)
      try unsafe setOwner(Unmanaged.passUnretained(owner).toOpaque())
    }
    unsafe setURL(url)
    guard unsafe curlshim_set_list(easy, CURLOPT_HTTPHEADER, lines) == CURLE_OK else {
      throw .internalError("libcurl does not take several header lines as one")
    }
  }

  /// Forgets the last hop, but not the settings.
  private func renew() throws(FailureCause) {
    unsafe words[0] = 0
    refusedAddress = nil
    hasAdmitted = false
    if isUsed, CurlLibrary.handlesServeOnce {
      guard let copy = unsafe curlshim_easy_copy(easy) else {
        throw .internalError("libcurl has no memory")
      }
      unsafe curlshim_easy_free(easy)
      unsafe easy = copy
    }
    isUsed = true
  }

  /// Sets the text in any case: libcurl names it, and repeats a request with it.
  private func setURL(_ url: UnsafePointer<CChar>) {
    unsafe curlshim_expect(url)
    _ = unsafe curlshim_set_text(easy, CURLOPT_URL, url)
    if parsed == nil { parsed = ParsedURL() }
    let isParsed = unsafe parsed?.set(url) == true
    guard isParsed != usesParsed else { return }
    let code = unsafe curlshim_set_pointer(easy, CURLOPT_CURLU, isParsed ? parsed?.handle : nil)
    usesParsed = code == CURLE_OK && isParsed
  }

  private func reset() {
    unsafe curlshim_easy_reset(easy)
    usesParsed = false
  }

  /// Sets all that requests of one form have in common.
  private func setForm(_ form: Form, _ settings: TransferSettings) {
    reset()
    setBasics(scheme: form.scheme, method: form.method, settings: settings)
    if form.avoidsStreams {
      set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
      set(CURLOPT_PIPEWAIT, 0)
    }
    // A proxy's CONNECT request gets none of the lines.
    if !form.namesAgent || settings.proxies.proxy(forScheme: form.scheme) != nil {
      set(CURLOPT_USERAGENT, settings.userAgent)
    }
    setProxy(form, settings)
    addresses = form.isForCache ? .ordinary : settings.addresses(forScheme: form.scheme)
    setCallbacks()
    self.form = form
  }

  private func setBasics(scheme: String, method: ExchangeRequest.Method, settings: TransferSettings) {
    _ = unsafe curlshim_set_web_only(easy)
    unsafe curlshim_set_quick_exit(easy)
    switch method {
    case .get: set(CURLOPT_HTTPGET, 1)
    case .head: set(CURLOPT_NOBODY, 1)
    case .put: set(CURLOPT_UPLOAD, 1)
    }
    // libcurl's own time limits must never expire first: ours consider pauses.
    set(CURLOPT_CONNECTTIMEOUT_MS, 1 << 30)
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_BUFFERSIZE, 64 << 10)
    set(CURLOPT_HTTP09_ALLOWED, 0)
    set(CURLOPT_HTTP_CONTENT_DECODING, 0)
    set(CURLOPT_SSL_VERIFYPEER, 1)
    set(CURLOPT_SSL_VERIFYHOST, 2)
    set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    // The first connection to an https host shows whether others are needed at all.
    set(CURLOPT_PIPEWAIT, scheme == "https" ? 1 : 0)
    if let bundle = settings.caBundle {
      set(CURLOPT_CAINFO, bundle)
      // Debian's libcurl has a folder beside it, and then each connection reads all of both again.
      if settings.caDirectory == nil { _ = unsafe curlshim_set_text(easy, CURLOPT_CAPATH, nil) }
    }
    if let directory = settings.caDirectory { set(CURLOPT_CAPATH, directory) }
  }

  private func setCredentials(_ request: HopRequest, settings: TransferSettings) throws(FailureCause) {
    if let signing = request.signing {
      try setSigning(signing)
    } else if let basic = request.basic {
      set(CURLOPT_HTTPAUTH, 1)  // CURLAUTH_BASIC
      set(CURLOPT_USERNAME, basic.user)
      set(CURLOPT_PASSWORD, basic.password)
    } else if request.usesNetrc, let path = settings.netrcPath {
      set(CURLOPT_HTTPAUTH, 1)
      set(CURLOPT_NETRC, Int(CURL_NETRC_OPTIONAL.rawValue))
      // Never libcurl's own choice, which is in the process's home folder.
      set(CURLOPT_NETRC_FILE, path)
    }
  }

  private func setSigning(_ signing: RequestSigning) throws(FailureCause) {
    guard unsafe curlshim_set_signing(easy, "aws:amz:\(signing.region):s3") == CURLE_OK else {
      throw .internalError("this libcurl cannot sign requests to S3")
    }
    set(CURLOPT_USERNAME, signing.key.id)
    set(CURLOPT_PASSWORD, signing.key.secret)
    set(CURLOPT_ACCEPT_ENCODING, "identity")
    set(CURLOPT_EXPECT_100_TIMEOUT_MS, 500)
  }

  private func setUpload(of size: Int64, _ owner: HopOwner) {
    set(CURLOPT_INFILESIZE, Int(size))
    set(CURLOPT_UPLOAD_BUFFERSIZE, 256 << 10)
    _ = unsafe curlshim_set_data_callback(easy, CURLOPT_READFUNCTION, onSend)
    _ = unsafe curlshim_set_pointer(easy, CURLOPT_READDATA, Unmanaged.passUnretained(owner).toOpaque())
  }

  /// An empty text, unlike none, keeps libcurl from reading the environment.
  private func setProxy(_ form: Form, _ settings: TransferSettings) {
    let proxies = settings.proxies
    set(CURLOPT_PROXY, proxies.proxy(forScheme: form.scheme) ?? "")
    // An untrusted manifest would reach the hosts that are near through an exception.
    let mayExcept = settings.policy == nil || form.isForCache
    set(CURLOPT_NOPROXY, mayExcept ? proxies.exceptions ?? "" : "")
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    set(CURLOPT_HEADEROPT, 1)  // CURLHEADER_SEPARATE: our headers are for the server, not for the proxy
  }

  /// The lines of a simple request with these conditions; `false` if libcurl does not accept them as one entry.
  private func setJoined(_ conditions: [String], _ settings: TransferSettings) -> Bool {
    let header = joined ?? JoinedHeader(settings)
    joined = header
    return unsafe curlshim_set_list(easy, CURLOPT_HTTPHEADER, header.ending(in: conditions)) == CURLE_OK
  }

  private func setHeaders(_ lines: [String], _ settings: TransferSettings) throws(FailureCause) {
    if form?.namesAgent == true { set(CURLOPT_USERAGENT, settings.userAgent) }
    _ = unsafe curlshim_set_list(easy, CURLOPT_HTTPHEADER, nil)
    unsafe curlshim_list_free(headers)
    unsafe headers = nil
    for line in lines {
      guard let longer = unsafe Self.appending(line, to: headers) else {
        throw .internalError("libcurl has no memory")
      }
      unsafe headers = longer
    }
    _ = unsafe curlshim_set_list(easy, CURLOPT_HTTPHEADER, headers)
  }

  private static func appending(
    _ line: String, to list: UnsafeMutablePointer<curl_slist>?
  ) -> UnsafeMutablePointer<curl_slist>? {
    if HeaderText.isPlain(line) { return unsafe curlshim_list_append(list, line) }
    let bytes = (HeaderText.bytes(line) + [0]).map { CChar(bitPattern: $0) }
    return unsafe curlshim_list_append(list, bytes)
  }

  private func setCallbacks() {
    _ = unsafe curlshim_set_pointer(easy, CURLOPT_ERRORBUFFER, words)
    _ = unsafe curlshim_set_data_callback(easy, CURLOPT_HEADERFUNCTION, onHeaderLine)
    _ = unsafe curlshim_set_data_callback(easy, CURLOPT_WRITEFUNCTION, onBody)
    unsafe curlshim_set_address_callback(easy, onAddress, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Whether a connection to the address may be made; `nil` is one of an unknown kind.
  func admits(_ address: NetworkAddress?) -> Bool {
    if let address, let what = addresses.refusal(of: address) {
      if !hasAdmitted { refusedAddress = (address, what) }
      return false
    }
    guard address != nil || addresses.base == .all else { return false }
    refusedAddress = nil
    hasAdmitted = true
    return true
  }

  private func setOwner(_ user: UnsafeMutableRawPointer) throws(FailureCause) {
    _ = unsafe curlshim_set_pointer(easy, CURLOPT_PRIVATE, user)
    _ = unsafe curlshim_set_pointer(easy, CURLOPT_HEADERDATA, user)
    _ = unsafe curlshim_set_pointer(easy, CURLOPT_WRITEDATA, user)
    guard unsafe curlshim_set_request_callback(easy, onRequest, user) == CURLE_OK else {
      throw CurlLibrary.tooOld
    }
  }

  /// Releases the last hop's settings, if they may contain a secret.
  func clear() {
    guard form?.isPlain != true else { return }
    reset()
    unsafe curlshim_list_free(headers)
    unsafe headers = nil
    form = nil
  }

  /// Continues after a pause; held data is offered to the callbacks before this returns.
  func resume() -> CURLcode { unsafe curlshim_easy_pause(easy, 0) }

  /// libcurl's message for the failure, or its general one.
  func errorText(_ code: CURLcode) -> String {
    let special = unsafe String(cString: words)
    return unsafe special.isEmpty ? String(cString: curlshim_easy_words(code)) : special
  }

  /// Whether the hop used an existing connection.
  var usedOldConnection: Bool {
    var made = 0
    return unsafe curlshim_get_long(easy, CURLINFO_NUM_CONNECTS, &made) == CURLE_OK && made == 0
  }

  /// The system's error number of the last failed connection; 0 for none.
  var systemError: Int {
    var number = 0
    return unsafe curlshim_get_long(easy, CURLINFO_OS_ERRNO, &number) == CURLE_OK ? number : 0
  }

  /// The status of the last reply to CONNECT; 0 for none.
  var statusOfProxy: Int {
    var status = 0
    return unsafe curlshim_get_long(easy, CURLINFO_HTTP_CONNECTCODE, &status) == CURLE_OK ? status : 0
  }

  private func set(_ option: CURLoption, _ value: Int) { _ = unsafe curlshim_set_long(easy, option, value) }

  private func set(_ option: CURLoption, _ value: String) {
    // Written out on purpose: passed directly, the text would be copied first.
    _ = unsafe value.withCString { unsafe curlshim_set_text(easy, option, $0) }
  }
}

/// The owner of a transfer, as libcurl's callbacks know it.
class HopOwner {
  /// The connection is established; returns whether the request may be sent. libcurl calls it again if it repeats
  /// the request on another connection.
  func requestGoesOut(over ends: () -> ConnectionEnds) -> Bool { true }

  /// Whether libcurl must continue.
  func receive(headerLine line: UnsafeRawBufferPointer) -> Bool { false }

  /// The action for a piece of the body.
  func receive(body bytes: UnsafeRawBufferPointer) -> BodyReception { .stop }

  /// The next bytes of what is sent: how many, 0 at the end, `nil` if there are none to be had.
  func send(into buffer: UnsafeMutableRawBufferPointer) -> Int? { nil }

  /// The exchange that gets the transfer's end; `nil` if there is none.
  var exchange: LiveExchange? { nil }
}

// MARK: What libcurl calls, always with the owner as `user`.

/// `CURL_WRITEFUNC_PAUSE`.
private let pauseAnswer = 0x1000_0001

private func owner(_ user: UnsafeMutableRawPointer) -> HopOwner {
  unsafe Unmanaged<HopOwner>.fromOpaque(user).takeUnretainedValue()
}

private let onHeaderLine: curlshim_data_callback = { bytes, size, count, user in
  let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
  return unsafe owner(user).receive(headerLine: line) ? line.count : 0
}

private let onBody: curlshim_data_callback = { bytes, size, count, user in
  let body = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
  guard unsafe !body.isEmpty else { return 0 }
  switch unsafe owner(user).receive(body: body) {
  case .taken: return body.count
  case .full: return pauseAnswer
  case .stop: return 0
  }
}

/// `CURL_READFUNC_ABORT`.
private let abortAnswer = 0x1000_0000

private let onSend: curlshim_data_callback = { bytes, size, count, user in
  let buffer = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
  return unsafe owner(user).send(into: buffer) ?? abortAnswer
}

/// Its user is the handle.
private let onAddress: curlshim_address_callback = { user, bytes, count in
  let address = unsafe bytes.flatMap {
    unsafe NetworkAddress(bytes: Array(UnsafeBufferPointer(start: $0, count: count)))
  }
  return unsafe Unmanaged<EasyHandle>.fromOpaque(user).takeUnretainedValue().admits(address) ? 1 : 0
}

private let onRequest: curlshim_request_callback = { user, address, _, port, localPort in
  let mayGo = unsafe owner(user).requestGoesOut {
    unsafe ConnectionEnds(
      address: address.map { unsafe String(cString: $0) } ?? "", port: port, localPort: localPort)
  }
  return mayGo ? 0 : 1  // CURL_PREREQFUNC_ABORT
}
