import SyncModel

@testable import Reporting

/// Failures of what lists say.
extension FailureCase {
  private static func list(_ problem: ListProblem, _ text: String, _ hint: String? = nil) -> FailureCase {
    FailureCase(.listInvalid(source: url, problem), "the list https://h/f.gz cannot be used: " + text, hint)
  }

  private static func list(
    _ reason: ListFault.Reason, line: Int? = nil, entry: Int? = nil, _ text: String,
    _ hint: String? = publisher
  ) -> FailureCase {
    list(.list(ListFault(reason, line: line, entry: entry)), text, hint)
  }

  private static let page = "open the URL: is it a page for people, or another `format`?"
  private static let publisher =
    "check `fields` in `list`, if there are any; else only its publisher can correct the list"
  private static let exclude = "`exclude` leaves an entry out"

  static let lists: [FailureCase] = [
    list(.malformed("no element found"), line: 7, "line 7: it is damaged or cut off: no element found", page),
    list(.otherFormat(found: "an HTML page"), "it is an HTML page", page),
    list(
      .hasDoctype, "it is XML with a DOCTYPE, which syncmake does not read",
      "only its publisher can correct the list"),
    list(.empty, "it has no entry", "nothing is removed because of an empty list"),
    list(.tooManyPages, "it has more than 1000 pages", nil),
    list(.tooLarge, "it is larger than 67.1 MB", nil),
    list(
      .repeatedPage("https://h/2"), "a page names https://h/2 as the next one, which was read before",
      "only its publisher can correct the list"),
    list(
      .badPage("ftp://h/2"), "\"ftp://h/2\" cannot be the URL of its next page",
      "only its publisher can correct the list"),
    list(
      .pageHasCredentials, "the URL of its next page has a user's name or a password",
      "only its publisher can correct the list"),
    list(
      .badLinkField, "the reply's header field `Link`, which may name the next page, cannot be read",
      "only its publisher can correct the list"),
    list(
      .unaskedPages("/links/next"),
      "its member \"/links/next\" says that there are further pages, and not at which URL",
      "ask for more entries on one page in the URL, if the server can"),
    list(.lacks("a URL"), entry: 3, "entry 3: a URL is missing"),
    list(
      .lacks(ListFault.continuation), "a continuation token is missing",
      "write `list-type=2` in the query of its URL: without it, further pages cannot be asked for"),
    list(
      .noColumn("url", among: ["key", "link"]), line: 1,
      "line 1: the column \"url\" is missing; there are \"key\", \"link\"",
      "`fields: {url: …}` in `list` says where the URL is"),
    list(
      .noColumn("url", among: ["key;url"]), line: 1,
      "line 1: the column \"url\" is missing; there are \"key;url\"",
      "only commas separate the columns of `csv`: convert the table, or ask for one with commas"),
    list(
      .noColumn("name", among: Array(repeating: "c", count: 12)), line: 1,
      "line 1: the column \"name\" is missing; there are "
        + Array(repeating: "\"c\"", count: 10).joined(separator: ", ") + " and 2 more",
      "`fields` in `list` says which column is which"),
    list(
      .noDigest("/sum"), "no row has a digest at \"/sum\" that can be compared",
      "`digest` in `fields` is where a row has an md5, sha1, sha256 or sha512"),
    list(
      .notCompared("sha384", of: "a.txt"), "\"a.txt\" has only a digest that is not compared: sha384",
      "each selected file needs an md5, sha1, sha256 or sha512: look for such a list beside this one, or `exclude` the file"
    ),
    list(
      .noRows(pointer: "/files"), "there is no array at \"/files\"",
      "`entries` is a pointer to an array in the document, such as `/files`"),
    list(
      .badURL("a.txt"), line: 2, "line 2: \"a.txt\" cannot be the URL of an entry",
      "check `fields` in `list`, if there are any: an entry's URL is http or https, "
        + "not http if the list's is https, and absolute if the list is a local file"),
    list(.badField(name: "size", value: "x"), entry: 1, "entry 1: \"x\" cannot be the size of an entry"),
    list(
      .expansion(.notOne(count: 0)), "0 of its entries are selected, and the target takes exactly one",
      "`include`, `exclude` and `match` leave nothing, or pre-releases only, which `prerelease: true` takes"),
    list(
      .expansion(.notOne(count: 2)), "2 of its entries are selected, and the target takes exactly one",
      "write `newest: 1`, with `match` where the version is in the name; or `${entry.key}` in the target's name"
    ),
    list(.expansion(.tooMany(count: 9)), "its 9 entries make more than a million targets", nil),
    list(
      .expansion(.repeatsTooMuch(count: 9)),
      "with its 9 entries, the manifest repeats more than 32 million keys and values",
      "move the common keys to \"defaults\""),
    list(
      .expansion(.sameName("d/a", keys: ["a b", "a_b"])),
      "the entries \"a b\" and \"a_b\" make two targets called \"d/a\"", exclude),
    list(
      .expansion(.sameName("d/a", keys: ["a", "a"], versions: ["v2", "v1"])),
      "the entries \"a\" (v2) and \"a\" (v1) make two targets called \"d/a\"",
      "`newest: 1` takes one version of each key, `${entry.version}` in the target's name and `output` tells them apart"
    ),
    list(
      .expansion(.badPath(.slash, value: "a/b", field: "key", key: "a/b")),
      "the key \"a/b\" of the entry \"a/b\" cannot be a part of an output: it has a slash, which only "
        + "`tree: true` allows", "write `tree: true` in `list` if the entries are in folders"),
    list(
      .expansion(.badURL("ftp://h/a", key: "a")),
      "the URL \"ftp://h/a\" of the entry \"a\" is not one of http or https", exclude),
    list(
      .expansion(.hasCredentials(key: "a")), "the URL of the entry \"a\" has a user's name or a password",
      exclude),
    FailureCase(
      .listInvalid(source: url, .expansion(.noSuchEntry(name: nil))),
      "the list https://h/f.gz has no entry that this target needs",
      "`syncmake list` lists the targets that it makes"),
    FailureCase(
      .listInvalid(source: url, .expansion(.noSuchEntry(name: "d/a"))),
      "the list https://h/f.gz makes no target \"d/a\", which a target or a group needs",
      "`syncmake list` lists the targets that it makes"),
    list(
      .suspect(gone: 5, recorded: 20),
      "5 of its 20 recorded entries have left it, with no other version in their place",
      "if that is right, run again with --allow-removals"),
  ]
}
