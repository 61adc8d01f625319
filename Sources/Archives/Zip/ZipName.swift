import SyncModel

/// The name of a zip's member in UTF-8.
enum ZipName {
  /// What the bytes from 0x80 on mean without the flag for UTF-8: code page 437.
  private static let codePage437 = Array(
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}"
      .unicodeScalars)

  /// Programs on Unix write names as the file system has them, which is UTF-8 nearly everywhere, and some leave out
  /// the flag.
  static func decode(_ fields: ZipFields, isOfUnix: Bool) throws(FailureCause) -> [UInt8] {
    let isASCII = fields.name.allSatisfy { $0 < 0x80 }
    if let unicode = fields.unicodeName {
      // Readers that do not know the field take the other name.
      if isASCII || fields.isUTF8, unicode != fields.name {
        throw .archive(.disagreement("it has a second name"))
      }
      return try requireUTF8(unicode)
    }
    if isASCII { return fields.name }
    if fields.isUTF8 { return try requireUTF8(fields.name) }
    if isOfUnix, String(validating: fields.name, as: UTF8.self) != nil { return fields.name }
    var text = ""
    for byte in fields.name {
      text.unicodeScalars.append(byte < 0x80 ? Unicode.Scalar(byte) : codePage437[Int(byte) - 0x80])
    }
    return Array(text.utf8)
  }

  private static func requireUTF8(_ name: [UInt8]) throws(FailureCause) -> [UInt8] {
    guard String(validating: name, as: UTF8.self) != nil else {
      throw .archive(.ambiguous("its name is not UTF-8"))
    }
    return name
  }
}
