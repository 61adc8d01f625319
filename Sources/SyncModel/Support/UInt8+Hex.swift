extension UInt8 {
  /// The value of an ASCII hexadecimal digit in either case, 0 to 15; `nil` for another byte.
  var hexValue: UInt8? {
    switch self {
    case 0x30...0x39: self - 0x30
    case 0x41...0x46: self - 0x41 + 10
    case 0x61...0x66: self - 0x61 + 10
    default: nil
    }
  }
}
