/// A publisher that signs its files with minisign.
extension Recipe {
  private static let resolvers = "/resolvers-list/v3/public-resolvers.md"

  static let resolverList = Recipe(
    name: "resolver-list", address: "https://download.dnscrypt.info",
    publish: { edition, publisher in
      let name = "public-resolvers.md"
      publisher.serve(resolvers, edition.arriving(name), edition)
      publisher.serve("\(resolvers).minisig", signatures[edition.number - 1], edition)
      return [name: edition.content(name)]
    },
    confirmations: [resolvers], refusal: "signature-invalid")

  /// Of the two editions, as `minisign -S` makes them with the key `TestKey.one`.
  private static let signatures = [
    """
    untrusted comment: signature from minisign secret key
    RUSynZOhuUrQgPtvZpD+uED509iLotFuIw7qi90T2I6RTYdtuqZb9r2o7PdYFXqL20y5z+8VZjQXt2sszSAi9lz4qcHglrWFGgU=
    trusted comment: file:public-resolvers.md
    lBrZ3dE7Tst224x8frCLW3ZE9IUEi5gv0s2d3YGUEAk14ILVXnFwbIFLATcYQfVDO/mj2b0G1+yo9QCq8BVyBg==

    """,
    """
    untrusted comment: signature from minisign secret key
    RUSynZOhuUrQgI8BzqJ8b+N7hUIQH4Xaw4xsf+LfM6Yu9Q2PR7opr9yLR81/TZtCBmXfGyGMrMq/3Pvt/1uhsWgjiRDXm+uBcg4=
    trusted comment: file:public-resolvers.md
    XnLBOxG05gfzSk7Nx0h/VPru4uVeMtyPExvKJA1xv0p1j+FleFeiv61s28hXZlpS3Xjft1WrSAIsEC4tRsktBA==

    """,
  ]
}
