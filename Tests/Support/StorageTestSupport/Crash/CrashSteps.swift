package import Cabinet
package import Foundation

/// A small workload of every kind of write.
///
/// Each step is one request, which is done or not: a step that a failure or a death interrupts is either in the store, or is not.
package struct CrashStep: Sendable {
    /// The name, without spaces.
    package let name: String

    /// Makes the request.
    package let perform: @Sendable (Database) async throws -> Void

    private init(_ name: String, _ perform: @escaping @Sendable (Database) async throws -> Void) {
        self.name = name
        self.perform = perform
    }

    /// The steps, which refer to each other's records.
    ///
    /// - Parameter folder: A folder for a file to save.
    package static func all(in folder: URL) -> [Self] {
        let travel = RecordZone(zoneName: "Travel")
        return [
            Self("schema") { try await $0.apply(schema(isLater: false)) },
            Self("lists") { try await $0.save(all: [list("a"), list("b")] + (1...4).map { item($0, of: "a") }) },
            Self("zone") { _ = try await $0.save(travel) },
            Self("travel") { database in
                try await database.save(all: (5...7).map { item($0, zone: travel.zoneID) })
            },
            Self("subscription") { database in
                let all = QuerySubscription(
                    recordType: "Items", subscriptionID: "items",
                    options: [.firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion])
                try await database.save(all)
            },
            Self("batch") { database in
                try await database.save(
                    all: [item(1, of: "b"), item(8, of: "a")], deleting: [RecordID(recordName: "item-2")])
            },
            Self("picture") { database in
                var record = item(9)
                record["picture"] = Asset(data: Data("a picture".utf8))
                record["pages"] = [Asset(data: Data("one".utf8)), Asset(data: Data("two".utf8))]
                try await database.save(all: [record])
            },
            Self("large") { database in
                let file = folder.appendingPathComponent("large")
                try Data(repeating: 7, count: 1_100_000).write(to: file)
                var record = item(10)
                record["picture"] = Asset(fileURL: file)
                try await database.save(all: [record])
            },
            Self("replace") { database in
                var record = item(9)
                record["picture"] = Asset(data: Data("another picture".utf8))
                try await database.save(all: [record])
            },
            Self("cascade") { try await $0.save(all: [], deleting: [RecordID(recordName: "a")]) },
            Self("index") { try await $0.apply(schema(isLater: true)) },
            Self("removal") { try await $0.deleteRecordZone(withID: travel.zoneID) },
            Self("last") { try await $0.save(all: [item(11)]) },
            Self("rename") { try await $0.rename(SchemaPart("Items", "number"), to: "position") },
            Self("rename-type") { try await $0.rename(SchemaPart("Lists"), to: "Groups") },
            Self("double") { try await $0.changeField("position", of: "Items", to: .double) },
            Self("drop-field") { try await $0.drop(SchemaPart("Items", "pages"), losingAtMost: .max) },
            Self("notes") { database in
                let notes = (1...3).map { Record(recordType: "Notes", recordID: RecordID(recordName: "note-\($0)")) }
                try await database.save(all: notes, deleting: [RecordID(recordName: "item-11")])
            },
            Self("drop-type") { try await $0.drop(SchemaPart("Notes"), losingAtMost: .max) },
        ]
    }

    private static func list(_ name: String) -> Record {
        var record = Record(recordType: "Lists", recordID: RecordID(recordName: name))
        record["name"] = "List \(name)"
        return record
    }

    private static func item(_ number: Int, of list: String? = nil, zone: RecordZone.ID = .default) -> Record {
        var record = Record(
            recordType: "Items", recordID: RecordID(recordName: "item-\(number)", zoneID: zone))
        record["number"] = number
        record["name"] = "Item \(number)"
        record["list"] = list.map { Reference(recordID: RecordID(recordName: $0), action: .deleteSelf) }
        return record
    }

    private static func schema(isLater: Bool) -> Schema {
        var schema = Schema()
        schema["Items"]["name"] = Schema.Field(.string, isLater ? [.queryable, .sortable] : [.searchable])
        schema["Items"]["number"] = Schema.Field(.int64, [.queryable, .sortable])
        if isLater { schema["Items"].indexes = [["name", "number"]] }
        return schema
    }
}

extension Database {
    /// Saves and deletes records in one atomic batch, and throws if it fails.
    fileprivate func save(all records: [Record], deleting ids: [RecordID] = []) async throws {
        let results = try await modifyRecords(saving: records, deleting: ids, savePolicy: .allKeys)
        for result in results.saveResults.values { _ = try result.get() }
        for result in results.deleteResults.values { try result.get() }
    }
}
