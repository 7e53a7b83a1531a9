import Cabinet

/// The records of a query.
///
/// Only the records that a person has seen are fetched.
struct FetchedRecords<Fields: NamedFields> {
    private(set) var records: [Typed<Fields>] = []
    private let query: Query
    private var next = Next.firstPage(of: 0)

    private enum Next {
        case firstPage(of: Int)
        case page(Query.Cursor, of: Int)
    }

    /// Creates an empty collection.
    init(_ query: Query) {
        self.query = query
    }

    /// Fetches page after page until there are this many records, or no more, from one database after the other.
    mutating func fetch(atLeast count: Int, from databases: [Database]) async throws {
        while records.count < count {
            let page: (matchResults: [(RecordID, Result<Record, CabinetError>)], queryCursor: Query.Cursor?)
            let number: Int
            switch next {
            case .firstPage(let database):
                guard databases.indices.contains(database) else { return }
                (number, page) = (database, try await databases[database].records(matching: query))
            case .page(let cursor, let database):
                guard databases.indices.contains(database) else { return }
                (number, page) = (database, try await databases[database].records(continuingMatchFrom: cursor))
            }
            // A record that was saved here since is known already.
            let known = Set(records.map(\.id.recordID))
            records += try page.matchResults.filter { !known.contains($0.0) }.map { try Typed($0.1.get()) }
            next = page.queryCursor.map { .page($0, of: number) } ?? .firstPage(of: number + 1)
        }
    }

    /// Inserts a saved record at its position, without a fetch.
    mutating func insert(_ record: Typed<Fields>) {
        remove(record.id)
        records.append(record)
        records.sortByName()
    }

    /// Removes a deleted record.
    mutating func remove(_ id: Typed<Fields>.ID) {
        records.removeAll { $0.id == id }
    }
}
