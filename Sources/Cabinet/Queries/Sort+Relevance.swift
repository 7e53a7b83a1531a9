extension Sort {
    /// The order of relevance: the records that fit the query's search best come first.
    ///
    /// ```swift
    /// Query(recordType: "Items", filter: .search("anvil rop"), sortedBy: .relevance)
    /// ```
    ///
    /// A record gets points for what it has in its searched fields:
    ///
    /// - 100,000,000 for each word of the search that occurs as a whole word, rather than as the beginning of one.
    /// - 10,000,000 if a field begins with the first word of the search.
    /// - 100,000 for each two neighbors of the search that are also neighbors in a field, in the same order.
    /// - 99,999 to 1 for short texts: 100,000 less the number of bytes of all searched fields in UTF-8.
    ///
    /// So a record with more whole words always comes first; among those with as many, one that begins with the first word;
    /// then one with more neighbors; then the shortest.
    ///
    /// The points depend on the searched texts alone, so every store gives the same, and a cursor stays exact while other
    /// records change. If the filter has several searches, their points are added. A search that the record does not match
    /// gives none, and neither do searches below NOT, those of lists' elements, and those for a field's text. If no search
    /// has a word, all records are alike.
    ///
    /// A query without a search refuses this order. In text its key is `@relevance`: `cabinet query --sort=-@relevance`.
    public static let relevance = Sort(relevanceKey, ascending: false)

    private static let relevanceKey = "@relevance"

    /// Whether the records are ordered by their relevance, in either direction.
    package var isByRelevance: Bool { key == Self.relevanceKey && origin == nil }

    /// Whether the records are ordered by a key path.
    var isByPath: Bool { FieldPath.leadsToOthers(key) && !isByRelevance }
}
