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
        ConformanceRule(
            .transactions, "other names that follow a rolled-back transaction are apart from its own",
            law:
                "Zones, records, users, types and fields that are used after a rolled-back transaction are not those of it.",
            source: .storage("StorageBackend.write(_:_:)")
        ) { world in
            let first = OwnNames("First")
            do {
                try await world.backend.write(.public) { transaction in
                    try await first.write(transaction)
                    throw RolledBack.Refusal()
                }
            } catch is RolledBack.Refusal {}
            try await world.backend.read(.public) { snapshot in
                let changes = try await snapshot.changes(
                    in: first.record.recordID.zoneID, after: 0, limit: 10, of: .all(fields: nil))
                try expect("The changes of its zone", changes, equals: [])
            }
            // A store that numbers names may give the number of a rolled-back name to the next one.
            let written = [OwnNames("Other"), first, OwnNames("Last")]
            for (index, names) in written.enumerated() {
                try await world.backend.write(.public) { try await names.write($0) }
                try await world.backend.read(.public) { snapshot in
                    for names in written.prefix(index + 1) { try await names.check(snapshot) }
                }
            }
        },
        ConformanceRule(
            .transactions, "bodies that throw leave nothing open",
            law: "After 1,000 reads and 1,000 writes whose bodies threw, reads and writes work as before.",
            source: .storage("StorageBackend.read(_:_:)")
        ) { world in
            let backend = world.backend
            try await backend.insert([.sample("a", .int64(1))])
            for number in 0..<1000 {
                do {
                    try await backend.read(.public) { snapshot in
                        try expect("The value in read \(number)", try await snapshot.x("a"), equals: .int64(1))
                        throw RolledBack.Refusal()
                    }
                } catch is RolledBack.Refusal {}
                do {
                    try await backend.write(.public) { transaction in
                        try await transaction.update([.sample("a", .int64(2))])
                        throw RolledBack.Refusal()
                    }
                } catch is RolledBack.Refusal {}
            }
            try await backend.read(.public) { snapshot in
                try expect("The value", try await snapshot.x("a"), equals: .int64(1))
            }
            try await backend.insert([.sample("b", .int64(1))])
            try expect("The names", try await backend.names(), equals: ["a", "b"])
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

    struct Refusal: Error {}

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

/// A record all of whose names are its own: its zone, users, type, field and the record that it refers to.
private struct OwnNames: Sendable {
    let record: StoredRecord
    private let targetID: RecordID
    private let field: StoredField

    init(_ name: String) {
        let zoneID = RecordZone.ID(zoneName: "\(name)Zone", ownerName: "\(name)Owner")
        targetID = RecordID(recordName: "\(name)Target", zoneID: zoneID)
        field = StoredField(name: "\(name)Field", type: .reference)
        var record = StoredRecord.sample(
            "\(name)Record", .reference(Reference(recordID: targetID, action: .deny)), type: "\(name)Type",
            field: field.name, parent: "\(name)Parent", in: zoneID)
        record.creatorName = "\(name)Creator"
        record.lastModifierName = "\(name)Modifier"
        self.record = record
    }

    func write(_ transaction: any StorageTransaction) async throws {
        try await transaction.apply([.addFields([field], to: record.recordType), .insert(record)])
    }

    /// Throws unless a view returns the record, and nothing else, under each of its names.
    func check(_ snapshot: any StorageSnapshot) async throws {
        let id = record.recordID
        try expect("The record", try await snapshot.records(for: [id], keys: nil), equals: [record])
        let changes = try await snapshot.changes(in: id.zoneID, after: 0, limit: 10, of: .all(fields: nil))
        try expect("The changes of \(id.zoneID)", changes, equals: [.saved(record)])
        let sources = try await snapshot.references(to: [targetID]).map(\.source)
        try expect("The references to \(targetID)", sources, equals: [id])
        let fields = try await snapshot.schema().recordTypes[record.recordType]
        try expect("The fields of \(record.recordType)", fields, equals: [field.name: .reference])
        let plan = try QueryPlan(
            recordType: record.recordType, filter: .constant(true), fields: [field.name: .reference])
        try expect("The records of \(record.recordType)", try await snapshot.records(matching: plan), equals: [record])
    }
}
