import Cabinet

@testable import CabinetSQLite

/// A store of lists with a hundred items each, whose statements are counted.
struct CountedStore {
    private let store: Store
    let database: Database
    let log = StatementLog()

    static let itemsPerList = 100

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - lists: The number of lists.
    ///   - isCaching: Whether connections cache their statements.
    ///   - isIndexed: Whether indexes exist for the order of items.
    init(lists: Int = 12, isCaching: Bool = true, isIndexed: Bool = true) async throws {
        // One connection reads, and nothing polls for other processes' changes.
        var configuration = SQLiteConfiguration(
            durability: .normal, maximumReaders: 1, pollingInterval: .seconds(3600))
        configuration.callerTimeLimit = .seconds(3600)
        if !isCaching { configuration.statementCacheLimit = 0 }
        store = Store(configuration)
        database = try Container(identifier: "org.cabinet.counts", backend: store.backend).publicDatabase
        var schema = Schema()
        schema["Lists"]["name"] = Schema.Field(.string)
        schema["Items"]["name"] = Schema.Field(.string, isIndexed ? .sortable : [])
        schema["Items"]["number"] = Schema.Field(.int64)
        schema["Items"]["list"] = Schema.Field(.reference)
        if isIndexed { schema["Items"].indexes = [["list", "name"]] }
        try await database.apply(schema)
        for list in 0..<lists {
            var record = Record(recordType: "Lists", recordID: Self.listID(list))
            record["name"] = "List \(list)"
            let items = (0..<Self.itemsPerList).map { Self.item($0, of: list) }
            _ = try await database.modifyRecords(saving: [record] + items, deleting: [])
        }
        try await log.follow(.public, of: store.backend)
    }

    /// The path of the database's file.
    var path: String { store.path }

    static func listID(_ number: Int) -> RecordID { RecordID(recordName: "list-\(number)") }

    static func itemID(_ number: Int, of list: Int) -> RecordID { RecordID(recordName: "item-\(list)-\(number)") }

    static func item(_ number: Int, of list: Int) -> Record {
        var item = Record(recordType: "Items", recordID: itemID(number, of: list))
        item["name"] = "Item \(10_000 + number) of list \(list)"
        item["number"] = number
        item["list"] = Reference(recordID: listID(list), action: .deleteSelf)
        return item
    }

    /// The statements that an operation prepares and runs.
    func statements(of operation: () async throws -> Void) async throws -> StatementLog.Content {
        _ = log.take()
        try await operation()
        return log.take()
    }
}
