// The library of the article "Getting started".

import Cabinet

/// The shopping lists of a household.
public struct Groceries: Sendable {
    let database: Database

    /// Creates the lists of a database.
    public init(database: Database) {
        self.database = database
    }

    /// Saves a new list.
    public func addList(named name: String) async throws -> Record {
        var list = Record(recordType: "Lists")
        list["name"] = name
        return try await database.save(list)
    }

    /// Saves a new item of a list.
    public func addItem(
        named name: String, to list: Record
    ) async throws -> Record {
        var item = Record(recordType: "Items")
        item["name"] = name
        item["number"] = 1
        item["isDone"] = false
        item["list"] = Reference(record: list, action: .deleteSelf)
        return try await database.save(item)
    }

    /// Returns the items of a list, sorted by name.
    public func items(of list: Record) async throws -> [Record] {
        let query = Query(
            recordType: "Items", filter: .field("list") == list,
            sortedBy: ["name"])
        return try await database.allRecords(matching: query)
    }

    /// Saves an edited item, and merges it with other edits.
    public func save(_ item: Record) async throws -> Record {
        try await database.save(
            item,
            resolvingConflictsWith: .fieldwise(whenBothChanged: .server))
    }

    /// Saves an edited item, or returns the version that another edit has
    /// saved before.
    public func conflict(saving item: Record) async throws -> Record? {
        do {
            try await database.save(item)
            return nil
        } catch let error as CabinetError
            where error.code == .serverRecordChanged
        {
            return error.serverRecord
        }
    }
}
