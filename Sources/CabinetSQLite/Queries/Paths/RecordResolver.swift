import Cabinet

/// Gets the records that references lead to, for the part of a filter that the evaluator decides.
///
/// Many records refer to the same few; those are fetched once.
final class RecordResolver {
    private let connection: Connection
    private var known: [RecordID: StoredRecord?] = [:]

    /// The most records to remember.
    static let limit = 4096
    /// The number of records that are remembered, for tests.
    var count: Int { known.count }

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// The record with an ID, or `nil` if there is none.
    func record(_ id: RecordID) throws -> StoredRecord? {
        if let record = known[id] { return record }
        let record = try connection.records(for: [id], keys: nil).first ?? nil
        if known.count >= Self.limit { known = [:] }
        known[id] = .some(record)
        return record
    }
}
