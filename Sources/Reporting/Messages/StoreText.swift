import SyncModel

/// Why a cache on S3 is not used, and what to do.
enum StoreText {
  static func why(_ fault: StoreKeyFault, _ secrets: SecretMask) -> String {
    switch fault {
    case .missing(let profile, let files):
      "no credentials: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set, and the profile "
        + "\(secrets.shown(profile)) has none in \(places(files, secrets))"
    case .noProfile(let profile, let files):
      "no credentials: the profile \(secrets.shown(profile)) of AWS_PROFILE is not in \(places(files, secrets))"
    case .half(let variable): "no credentials: \(variable) is not set, and the other one is"
    case .unsupported(let profile, let setting):
      "no credentials: the profile \(secrets.shown(profile)) has only \(setting)"
    case .unreadable(let path, let text): "cannot read \(secrets.shown(path)): \(secrets.shown(text))"
    case .writable(let path): "\(secrets.shown(path)) names a program, and every user may write to it"
    case .foreign(let path): "\(secrets.shown(path)) names a program, and it belongs to another user"
    case .process(let fault):
      FailureText.wording(fault, of: "the program of credential_process", secrets.shown)
    case .unusable: "the credentials have characters that no request can have"
    case .noRegion: "nothing says in which region the bucket is"
    case .invalid(let setting): "the value of \(setting) cannot be used"
    }
  }

  private static func places(_ files: [String], _ secrets: SecretMask) -> String {
    files.isEmpty ? "any file, without a home folder" : files.map(secrets.shown).joined(separator: " and ")
  }

  static func hint(_ fault: StoreKeyFault, _ words: HintWords) -> String {
    switch fault {
    case .missing, .noProfile, .half, .unusable:
      "give it credentials, or do without the cache by \(words.noRemoteCache)"
    case .unsupported(let profile, _):
      "add credential_process = aws configure export-credentials --profile \(CleanText.clean(profile))"
        + " --format process to another profile, and name that in AWS_PROFILE"
    case .unreadable, .invalid: "correct it, or do without the cache by \(words.noRemoteCache)"
    case .writable(let path): "chmod o-w \(CleanText.clean(path))"
    case .foreign:
      "check it, and name it in AWS_CONFIG_FILE or AWS_SHARED_CREDENTIALS_FILE to use it all the same"
    case .process: "run the program by hand; \(words.noRemoteCache) does without the cache"
    case .noRegion: "write it into the address, as in s3://bucket/prefix?region=eu-west-1, or set AWS_REGION"
    }
  }

  /// By the word with which a store refuses a request.
  static func hint(code: String, _ words: HintWords) -> String {
    let step =
      switch code {
      case "SignatureDoesNotMatch": "check the secret key, and that no proxy changes requests"
      case "InvalidAccessKeyId":
        "the server does not know this key; check which one is used, and the endpoint"
      case "RequestTimeTooSkewed": "set the clock of this machine"
      case "ExpiredToken", "InvalidToken", "TokenRefreshRequired": "get new credentials"
      case "NoSuchBucket": "create the bucket, or correct its name, region and endpoint"
      case "AccessDenied":
        "the key needs s3:GetObject, and s3:PutObject to write; without s3:ListBucket what is missing is denied"
      case "PermanentRedirect", "TemporaryRedirect", "AuthorizationHeaderMalformed",
        "IllegalLocationConstraintException":
        "the bucket is in another region: correct region= in the address"
      default: "check the bucket"
      }
    return step + "; \(words.noRemoteCache) does without it"
  }
}
