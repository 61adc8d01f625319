import Testing

@testable import ManifestParsing

@Suite struct `The shape of an expression` {
  @Test(arguments: [
    ("^v(.*)$", 1), ("(a)(b)", 2), ("\\((a)\\)", 1), ("[(](a)[)]", 1), ("[]()](a)", 1), ("[^](](a)", 1),
    ("[[:alpha:](](a)", 1), ("(", 1), ("[(", 0), ("", 0),
  ])
  func `has its groups`(text: String, groups: Int) { #expect(PatternShape(text).groups == groups) }

  @Test(
    arguments: [
      (#"(a*)\1"#, #"\1"#, 4), (#"(a)\\1"#, nil, 0), (#"[\1](a)"#, nil, 0), (#"(a)\"#, nil, 0),
      (#"(\d+)"#, #"\d"#, 1),
      (#"\.(\(\d)"#, #"\d"#, 5), (#"[^]\w](a)"#, #"\w"#, 3), (#"[\\d](a)"#, nil, 0), (#"[\a](a)"#, nil, 0),
      (#"[$-\d](a)"#, nil, 0), (#"[^$-\d](a)"#, nil, 0), (#"[-\d](a)"#, #"\d"#, 2),
      (#"[^-\d](a)"#, #"\d"#, 3),
      (#"[\-\d](a)"#, #"\d"#, 3), (#"[a\](\S)"#, #"\S"#, 5), (#"\<(a)\>"#, #"\<"#, 0), (#"[\"#, nil, 0),
      (#"\-(a)\ä"#, nil, 0),
    ] as [(String, String?, Int)])
  func `knows an escape that is not in the standard`(text: String, escape: String?, place: Int) {
    let found = PatternShape(text).escape
    #expect(found.map { "\\\($0.character)" } == escape)
    #expect(found == nil || found?.range == place..<place + 2)
  }

  @Test func `costs what its repetitions multiply to`() {
    #expect(PatternShape("([0-9]{8})").cost == 10 * 8)
    #expect(PatternShape("(a{2,3}){4}").cost == 11 * 12)
    #expect(PatternShape("(a{5,})").cost == 7 * 5)
    #expect(PatternShape("([{9}])").cost == 7)
    let usual = "^([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2})$"
    #expect(PatternShape(usual).cost <= PatternShape.highestCost)
    for text in ["(a{1,250}){1,250}", "((a{1,200}){1,200}){1,20}", String(repeating: "a{99}", count: 20)] {
      #expect(PatternShape(text).cost > PatternShape.highestCost)
    }
  }
}
