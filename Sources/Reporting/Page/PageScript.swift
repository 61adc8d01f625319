/// The script that sorts and filters a report page's table and switches its colours.
///
/// It reads the table of the page and writes text only through `textContent`, so text from a manifest or a server
/// never becomes markup. The choices are in the address after `#`, such as
/// `#sort=size&dir=desc&show=failed,skipped&find=chr&theme=dark`, so that a reload or a link keeps them.
enum PageScript {
  /// The digest of ``text`` in Base64, for the page's policy; a test compares them.
  static let sha256 = "PXgz55z8PpLThTGD4oUsB2nVEtj7DcJBufEeEtQAR6Y="

  /// `page.js`, which the build puts into the program.
  static let text = "\n" + String(decoding: PackageResources.page_js, as: UTF8.self)
}
