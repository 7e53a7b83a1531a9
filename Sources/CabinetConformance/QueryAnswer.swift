import Cabinet

/// A query, and the names of the records that it found.
struct QueryAnswer: Equatable {
    /// The query's filter, order and limits.
    let query: String

    /// The result of the query: record names in order, or a count.
    let found: [String]

    init(_ query: Query, inPagesOf size: Int, _ found: [String]) {
        self.query = "\(query.filter) of \(query.recordType)\(Self.text(of: query.sortDescriptors)), \(size) at a time"
        self.found = found
    }

    init(countOf query: Query, _ count: Int) {
        self.query = "the count of \(query.filter) of \(query.recordType)"
        found = ["\(count)"]
    }

    private static func text(of order: [Sort]) -> String {
        if order.isEmpty { return "" }
        return " by " + order.map { "\($0.key) \($0.ascending ? "ascending" : "descending")" }.joined(separator: ", ")
    }
}

/// Throws unless all queries have the expected results, and names the first one that does not.
///
/// - Throws: ``ConformanceFailure``.
func expect(
    _ subject: String, _ answers: [QueryAnswer], equal expected: [QueryAnswer], fileID: String = #fileID,
    line: Int = #line
) throws {
    for (answer, expected) in zip(answers, expected) where answer != expected {
        try expect("\(subject): \(answer.query)", answer.found, equals: expected.found, fileID: fileID, line: line)
    }
    try expect("\(subject): the number of queries", answers.count, equals: expected.count, fileID: fileID, line: line)
}
