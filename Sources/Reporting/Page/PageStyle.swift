/// The look of a report page.
///
/// Few colours, each with one meaning, and a shape beside it: updated is a dot, fresh a ring, failed a diamond,
/// skipped a dash. No font but the system's, nothing that is loaded.
enum PageStyle {
  /// The digest of ``text`` in Base64, for the page's policy; a test compares them.
  static let sha256 = "eK2UqrB0H6EfIveiNN41ub5BoMhEBVWljLbO/f+4DZ0="

  /// `page.css`, which the build puts into the program.
  static let text = "\n" + String(decoding: PackageResources.page_css, as: UTF8.self)
}
