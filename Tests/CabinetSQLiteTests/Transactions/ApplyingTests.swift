import Cabinet
import CabinetConformance
import CabinetTesting
import Foundation
import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// Mutations of all kinds in one call, in any order.
@Suite struct ApplyingTests {
    /// An update finds its row by the insertion number alone, and changes no other record that a damaged store has in it.
    @Test func anUpdateChangesNoOtherRecord() async throws {
        let store = Store()
        let record = StoredRecord(
            recordID: RecordID(recordName: "a"), recordType: "Things", sequenceNumber: 1, creationDate: .distantPast,
            creatorName: "u", modificationDate: .distantPast, lastModifierName: "u", fields: .empty)
        try await store.backend.write(.public) { try await $0.apply([.addFields([], to: "Things"), .insert(record)]) }
        await #expect(throws: CabinetError(.internalError)) {
            try await store.backend.write(.public) { transaction in
                let session = try #require(transaction as? SQLiteTransaction).session
                try session.use { try $0.handle.execute("UPDATE \"Things\" SET \"___recordID\" = 'b'") }
                try await transaction.apply([.update(record, replacing: record)])
            }
        }
    }

    /// Generated mutations, and their effects.
    private struct MutationMaker {
        var plans: RandomPlans
        var records: [RecordID: StoredRecord] = [:]
        var number: Int64 = 0
        private let types = ["Things": ["s", "place", "list"], "Others": ["n", "list"]]
        private let zones = [RecordZone.ID.default, RecordZone.ID(zoneName: "Z")]

        static let schema: [StorageMutation] = [
            .addFields(
                [
                    StoredField(name: "s", type: .string), StoredField(name: "place", type: .location),
                    StoredField(name: "list", type: .list(of: .reference)),
                ], to: "Things"),
            .addFields(
                [StoredField(name: "n", type: .int64), StoredField(name: "list", type: .list(of: .reference))],
                to: "Others"),
            .setIndexes([.searchable("s"), .queryable("place")], of: "Things"),
        ]

        init(seed: UInt64) {
            plans = RandomPlans(random: SeededGenerator(seed: seed))
        }

        var ids: [RecordID] {
            zones.flatMap { zone in (0..<6).map { RecordID(recordName: "r\($0)", zoneID: zone) } }
        }

        mutating func mutation() -> StorageMutation {
            number += 1
            if plans.chance(3), let zone = zones.randomElement(using: &plans.random) {
                records = records.filter { $0.key.zoneID != zone }
                return .eraseZone(zone)
            }
            if plans.chance(4) { return .forgetDeletions(in: zones[0], through: number - 10) }
            if plans.chance(6) {
                return .setIndexes(plans.chance(50) ? [] : [.searchable("s"), .queryable("place")], of: "Things")
            }
            if plans.chance(10) {
                return .setEntry(StorageKey("e\(number % 3)"), plans.chance(30) ? nil : "text \(number)")
            }
            guard let id = ids.randomElement(using: &plans.random) else { return .eraseZone(zones[0]) }
            guard let old = records[id] else {
                let record = record(id, type: plans.chance(70) ? "Things" : "Others")
                records[id] = record
                return .insert(record)
            }
            if plans.chance(50) {
                var record = record(id, type: old.recordType)
                record.insertionNumber = old.insertionNumber
                records[id] = record
                return .update(record, replacing: old)
            }
            records[id] = nil
            let deletion = StoredDeletion(
                recordID: id, recordType: old.recordType, sequenceNumber: number,
                date: Date(timeIntervalSinceReferenceDate: Double(number)))
            return .delete(deletion, replacing: old)
        }

        private mutating func record(_ id: RecordID, type: String) -> StoredRecord {
            var values: [(String, FieldValue)] = []
            for key in types[type] ?? [] where plans.chance(60) {
                switch key {
                case "s": values.append((key, plans.value(.string, in: id.zoneID)))
                case "n": values.append((key, .int64(number)))
                case "place": values.append((key, plans.value(.location, in: id.zoneID)))
                default:
                    let target = Reference("r\(number % 6)", zone: id.zoneID, plans.chance(70) ? .nullify : .none)
                    values.append((key, .list(.reference([target, target]))))
                }
            }
            var record = StoredRecord(id.recordName, type: type, zone: id.zoneID, values)
            record.parentName = plans.chance(20) ? "r0" : nil
            record.sequenceNumber = number
            record.insertionNumber = number
            return record
        }
    }

    /// The records of a view, read in several ways.
    private struct Content: Equatable {
        var records: [StoredRecord?] = []
        var existing: [Bool] = []
        var entries: [StorageEntry] = []
        var references: Set<StoredReference> = []
        var changes: [[StoredChange]] = []

        init(_ snapshot: any StorageSnapshot, _ ids: [RecordID]) async throws {
            let range = StorageKey("e")..<StorageKey("f")
            let values = try await snapshot.load(StorageKeys(records: ids, existing: ids, entryRanges: [range]))
            (records, existing, entries) = (values.records, values.existing, values.entryRanges[0])
            references = Set(try await snapshot.references(to: ids))
            for zone in Set(ids.map(\.zoneID)).sorted(by: { $0.zoneName < $1.zoneName }) {
                for kind in [ChangeContent.all(fields: nil), .deletions] {
                    changes.append(try await snapshot.changes(in: zone, after: 0, limit: 1000, of: kind))
                }
            }
        }
    }

    @Test(arguments: 0..<6)
    func theyLeaveTheSameInEveryBackend(seed: UInt64) async throws {
        let store = Store(SQLiteConfiguration(durability: .normal))
        let memory = MemoryBackend()
        var maker = MutationMaker(seed: seed)
        let ids = maker.ids
        let backends: [any StorageBackend] = [store.backend, memory]
        for backend in backends { try await backend.write(.public) { try await $0.apply(MutationMaker.schema) } }
        for round in 0..<40 {
            let mutations = (0..<12).map { _ in maker.mutation() }
            var contents: [Content] = []
            for backend in backends {
                // A transaction that has read nothing must search for the records that it changes.
                let readsFirst = round % 2 == 0
                contents.append(
                    try await backend.write(.public) { transaction in
                        if readsFirst { _ = try await transaction.load(StorageKeys(records: ids)) }
                        try await transaction.apply(mutations)
                        return try await Content(transaction, ids)
                    })
                contents.append(try await backend.read(.public) { try await Content($0, ids) })
            }
            for content in contents.dropFirst() { #expect(content == contents[0], "\(mutations)") }
            #expect(contents[0].records.compactMap(\.self).count == maker.records.count)
        }
        let maintenance = try #require(store.backend.abilities.maintenance)
        let issues = try await maintenance.issues(in: .public, limit: 10)
        #expect(issues == [])
        await store.backend.close()
    }
}
