import Cabinet

/// The records of a query, of which only as many are fetched as a person has looked at.
struct FetchedRecords {
    private(set) var records: [Record] = []
    private let query: Query
    private var next = Next.firstPage

    private enum Next {
        case firstPage
        case page(Query.Cursor)
        case end
    }

    /// Begins without records.
    init(_ query: Query) {
        self.query = query
    }

    /// Fetches page after page until there are this many records, or no more.
    mutating func fetch(atLeast count: Int, from database: Database) async throws {
        while records.count < count {
            let page: (matchResults: [(RecordID, Result<Record, CabinetError>)], queryCursor: Query.Cursor?)
            switch next {
            case .firstPage: page = try await database.records(matching: query)
            case .page(let cursor): page = try await database.records(continuingMatchFrom: cursor)
            case .end: return
            }
            // A record that was saved here meanwhile is known already.
            let known = Set(records.map(\.recordID))
            records += try page.matchResults.filter { !known.contains($0.0) }.map { try $0.1.get() }
            next = page.queryCursor.map(Next.page) ?? .end
        }
    }

    /// Puts a record that was saved in its place, without fetching anything.
    mutating func place(_ record: Record) {
        remove(record.recordID)
        records.append(record)
        records.sortByName()
    }

    /// Drops a record that was deleted.
    mutating func remove(_ id: RecordID) {
        records.removeAll { $0.recordID == id }
    }
}
