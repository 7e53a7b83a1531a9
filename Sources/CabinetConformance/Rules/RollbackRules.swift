import Cabinet
import Foundation

extension ConformanceRule {
    /// The rules about rolled-back transactions, which leave nothing behind.
    static let rollbacks: [ConformanceRule] = [
        ConformanceRule(
            .transactions, "the names of a rolled-back transaction are free",
            law:
                "Types, fields, zones, users, entries and databases that a rolled-back transaction added can be added differently.",
            source: .storage("StorageBackend.write(_:_:)")
        ) { world in
            for database in RolledBack.databases {
                try await RolledBack.write(to: database, on: world.backend)
                try await world.backend.read(database) { snapshot in
                    try expect("The types", try await snapshot.schema().recordTypes["Others"], equals: nil)
                    try expect("The entries", try await snapshot.entries(in: .samples, limit: 10), equals: [])
                    let changes = try await snapshot.changes(
                        in: RolledBack.zoneID, after: 0, limit: 10, of: .all(fields: nil))
                    try expect("The changes", changes, equals: [])
                    try expect("The record", try await snapshot.records(for: [RolledBack.id], keys: nil), equals: [nil])
                    try expect("The references", try await snapshot.references(to: [RolledBack.targetID]), equals: [])
                }
                let written = try await RolledBack.writeDifferently(to: database, on: world.backend)
                try await written.check(database, on: world.backend)
            }
        },
        ConformanceRule(
            .durability, "names of a rolled-back transaction that are used again survive closing the store",
            law:
                "Data that uses names which a rolled-back transaction added first is complete after the store is reopened.",
            source: .storage("StorageBackend.write(_:_:)"), needsReopening: true
        ) { world in
            var written: [(DatabaseKey, RolledBack.Written)] = []
            for database in RolledBack.databases {
                try await RolledBack.write(to: database, on: world.backend)
                written.append((database, try await RolledBack.writeDifferently(to: database, on: world.backend)))
            }
            try await world.reopened { world in
                for (database, written) in written { try await written.check(database, on: world.backend) }
            }
        },
        ConformanceRule(
            .durability, "numbers that follow a rolled-back transaction are not reused",
            law:
                "Numbers that a transaction counted in an entry after a rolled-back one are not reserved again after reopening.",
            source: .storage("StorageMutation.setEntry(_:_:)"), needsReopening: true
        ) { world in
            try await world.backend.write(.public) { _ = try await $0.store([("before", 1)]) }
            try await RolledBack.write(to: .public, on: world.backend)
            let number = try await world.backend.write(.public) { try await $0.store([("after", 1)]) }
            try await world.reopened { world in
                let last = try await world.backend.read(.public) { try await $0.lastSampleNumber() }
                try expect(last >= number, "The last number is \(last), and \(number) was reserved before.")
                let next = try await world.backend.write(.public) { try await $0.reserveSampleNumbers(1) }
                try expect(next > number, "The number \(next) was reserved after \(number).")
            }
        },
    ]
}

/// A transaction that is rolled back, and one that uses the same names differently.
private enum RolledBack {
    /// The records that were written with the names of the rolled-back transaction.
    struct Written: Sendable {
        let record: StoredRecord
        let entries: [StorageEntry]

        /// Throws unless a database holds the written records.
        func check(_ database: DatabaseKey, on backend: any StorageBackend) async throws {
            try await backend.read(database) { snapshot in
                let id = record.recordID
                try expect("The record", try await snapshot.records(for: [id], keys: nil), equals: [record])
                let fields = try await snapshot.schema().recordTypes["Others"] ?? [:]
                try expect("The fields", fields, equals: ["a": .double, "b": .string])
                let plan = try QueryPlan(
                    recordType: "Others", zoneID: id.zoneID, filter: .compare("b", .equal, "text"),
                    fields: FieldTypes(fields))
                try expect("The records found", try await snapshot.records(matching: plan), equals: [record])
                let found = try await snapshot.entries(in: .samples, limit: 10)
                try expect("The entries", found, equals: entries)
                let changes = try await snapshot.changes(in: id.zoneID, after: 0, limit: 10, of: .all(fields: nil))
                try expect("The changes", changes, equals: [.saved(record)])
            }
        }
    }

    private struct Refusal: Error {}

    static let databases: [DatabaseKey] = [.public, .private(owner: "carl")]
    static let zoneID = RecordZone.ID(zoneName: "Undone", ownerName: "dora")
    static let id = RecordID(recordName: "record", zoneID: zoneID)
    static let targetID = RecordID(recordName: "target", zoneID: zoneID)

    private static func record(_ number: Int64, creator: String, modifier: String) -> StoredRecord {
        var record = StoredRecord.sample("record", type: "Others")
        record.recordID = id
        record.sequenceNumber = number
        record.creatorName = creator
        record.lastModifierName = modifier
        return record
    }

    /// Adds names of every kind in a transaction that throws.
    static func write(to database: DatabaseKey, on backend: any StorageBackend) async throws {
        do {
            try await backend.write(database) { transaction in
                let first = try await transaction.reserveSampleNumbers(100)
                try await transaction.add(
                    [StoredField(name: "a", type: .int64), StoredField(name: "b", type: .reference)], to: "Others")
                try await transaction.setIndexes([.queryable("a")], of: "Others")
                var record = record(first + 1, creator: "carl", modifier: "dora")
                record.fields = FieldValues(
                    names: FieldNames(["a", "b"]),
                    values: [.int64(1), .reference(Reference(recordID: targetID, action: .deleteSelf))])
                try await transaction.insert([record])
                try await transaction.apply([
                    .setEntry(StorageKey("sample/a"), "carl's"), .setEntry(StorageKey("sample/b"), "carl's"),
                ])
                throw Refusal()
            }
            throw ConformanceFailure(message: "A write whose closure throws succeeded.", fileID: nil, line: nil)
        } catch is Refusal {}
    }

    /// Uses the names in another order, for fields of other types, and by other users.
    static func writeDifferently(to database: DatabaseKey, on backend: any StorageBackend) async throws -> Written {
        try await backend.write(database) { transaction in
            let first = try await transaction.reserveSampleNumbers(2)
            try await transaction.add(
                [StoredField(name: "b", type: .string), StoredField(name: "a", type: .double)], to: "Others")
            var record = record(first + 1, creator: "dora", modifier: "carl")
            record.fields = FieldValues(names: FieldNames(["b", "a"]), values: [.string("text"), .double(0.5)])
            try await transaction.insert([record])
            let entry = StorageEntry(key: StorageKey("sample/b"), text: "dora's")
            try await transaction.apply([.setEntry(entry.key, entry.text)])
            return Written(
                record: record, entries: [entry, StorageEntry(key: .lastSampleNumber, text: "\(first + 1)")])
        }
    }
}
