import Cabinet

/// The records of a query.
///
/// Only the records that a person has seen are fetched.
struct FetchedRecords<Fields: NamedFields> {
    private(set) var records: [Typed<Fields>] = []
    private let query: Query
    private var next = Next.firstPage

    private enum Next {
        case firstPage
        case page(Query.Cursor)
        case end
    }

    /// Creates an empty collection.
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
            // A record that was saved here since is known already.
            let known = Set(records.map(\.id.recordID))
            records += try page.matchResults.filter { !known.contains($0.0) }.map { try Typed($0.1.get()) }
            next = page.queryCursor.map(Next.page) ?? .end
        }
    }

    /// Puts a saved record at its position, without a fetch.
    mutating func place(_ record: Typed<Fields>) {
        remove(record.id)
        records.append(record)
        records.sortByName()
    }

    /// Removes a deleted record.
    mutating func remove(_ id: Typed<Fields>.ID) {
        records.removeAll { $0.id == id }
    }
}
