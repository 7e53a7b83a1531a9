import Cabinet
import Foundation

extension ConformanceRule {
    /// The rules about a backend's references, names and snapshots in unusual cases.
    static let storageDetails: [ConformanceRule] = [
        ConformanceRule(
            .storage, "each element of a list is a reference of its own",
            law: "references(to:) has one element for each reference in a list, also where two elements are equal.",
            source: .storage("StorageSnapshot.references(to:)")
        ) { world in
            @Sendable func list(_ actions: Reference.Action...) -> FieldValue {
                .list(.reference(actions.map { Reference("target", $0) } + [Reference("other", .deny)]))
            }
            let field = StoredField(name: "x", type: .list(of: .reference))
            try await world.backend.insert(
                [.sample("same", list(.nullify, .nullify, .nullify)), .sample("mixed", list(.deny, .none, .nullify))],
                fields: [field])
            func expectReferences(_ expected: [String]) async throws {
                let found = try await world.backend.read(.public) { try await $0.references(to: [.named("target")]) }
                try expect(
                    "The references", found.map { "\($0.source.recordName) \($0.place)" }.sorted(), equals: expected)
            }
            func element(_ name: String, _ action: Reference.Action) -> String {
                "\(name) \(StoredReference.Place.field("x", action: action))"
            }
            let mixed = [element("mixed", .deny), element("mixed", .nullify)]
            try await expectReferences((mixed + Array(repeating: element("same", .nullify), count: 3)).sorted())
            try await world.backend.write(.public) { try await $0.update([.sample("same", list(.nullify, .nullify))]) }
            try await expectReferences((mixed + Array(repeating: element("same", .nullify), count: 2)).sorted())
            try await world.backend.write(.public) { try await $0.update([.sample("same", list(.none))]) }
            try await expectReferences(mixed.sorted())
        },
        ConformanceRule(
            .storage, "an erased zone leaves no references",
            law: "After eraseZone no reference of a record in the zone is found, even if records are inserted again.",
            source: .storage("StorageMutation.eraseZone(_:)")
        ) { world in
            let zoneID = RecordZone.ID(zoneName: "Travel")
            let target = RecordID(recordName: "target", zoneID: zoneID)
            let fields = [
                StoredField(name: "x", type: .reference), StoredField(name: "y", type: .list(of: .reference)),
            ]
            func sample(_ name: String, in zoneID: RecordZone.ID) -> StoredRecord {
                let reference = Reference(
                    recordID: RecordID(recordName: "target", zoneID: zoneID), action: .deleteSelf)
                var record = StoredRecord.sample(name, parent: "target")
                record.recordID = RecordID(recordName: name, zoneID: zoneID)
                record.fields = FieldValues(
                    names: FieldNames(["x", "y"]), values: [.reference(reference), .list(.reference([reference]))])
                return record
            }
            try await world.backend.insert(
                [sample("a", in: zoneID), sample("b", in: zoneID), sample("a", in: .default)], fields: fields)
            let before = try await world.backend.read(.public) { try await $0.references(to: [target]) }
            try expect("The number of references before", before.count, equals: 6)
            try await world.backend.write(.public) { transaction in
                try await transaction.apply([.eraseZone(zoneID)])
                try expect("In the transaction", try await transaction.references(to: [target]), equals: [])
            }
            func expectNone(_ subject: String) async throws {
                let found = try await world.backend.read(.public) {
                    try await $0.references(to: [target, .named("target")])
                }
                try expect(subject, Set(found.map(\.source)), equals: [.named("a")])
            }
            try await expectNone("The records that refer afterwards")
            var new = StoredRecord.sample("target")
            new.recordID = target
            try await world.backend.insert([new])
            try await expectNone("The records that refer when their target is inserted again")
        },
        ConformanceRule(
            .storage, "the longest names work together",
            law:
                "Records in zones and of owners with names of 255 bytes each are stored, found, referred to and removed.",
            source: .storage("StorageMutation.insert(_:)")
        ) { world in
            // They differ only in their last bytes.
            func names(_ letter: String) -> [String] {
                ["y", "z"].map { String(repeating: letter, count: 254) + $0 }
            }
            let zoneIDs = names("z").flatMap { zone in
                names("o").map { RecordZone.ID(zoneName: zone, ownerName: $0) }
            }
            var records: [StoredRecord] = []
            for zoneID in zoneIDs {
                let names = names("r")
                for (name, other) in zip(names, names.reversed()) {
                    let target = RecordID(recordName: other, zoneID: zoneID)
                    var record = StoredRecord.sample(name, parent: other)
                    record.recordID = RecordID(recordName: name, zoneID: zoneID)
                    record.fields = FieldValues(
                        names: FieldNames(["x", "y"]),
                        values: [
                            .reference(Reference(recordID: target, action: .deny)),
                            .list(.reference([Reference(recordID: target, action: .nullify)])),
                        ])
                    records.append(record)
                }
            }
            let stored = records
            try await world.backend.write(.public) { transaction in
                try await transaction.add(
                    [StoredField(name: "x", type: .reference), StoredField(name: "y", type: .list(of: .reference))],
                    to: "Samples")
                try await transaction.setIndexes(
                    [.queryable("x"), .sortable("x"), .queryable("y"), .compound(["x", "creationDate"])], of: "Samples")
                try await transaction.insert(stored)
            }
            let fields: FieldTypes = ["x": .reference, "y": .list(of: .reference)]
            try await world.backend.read(.public) { snapshot in
                let found = try await snapshot.records(for: stored.map(\.recordID), keys: nil)
                try expect("The stored records", found == stored, equals: true)
                for record in stored {
                    let id = record.recordID
                    let references = try await snapshot.references(to: [id])
                    try expect("The number of references", references.count, equals: 3)
                    let zones = Set(references.map(\.source.zoneID))
                    try expect("The zones of the references", zones == [id.zoneID], equals: true)
                    let plan = try QueryPlan(
                        recordType: "Samples", zoneID: id.zoneID,
                        filter: .compare("x", .equal, Reference(recordID: id, action: .deny)), order: [Sort("x")],
                        fields: fields)
                    let referring = try await snapshot.records(matching: plan)
                    try expect("The records that refer to it", referring.count, equals: 1)
                }
                for zoneID in zoneIDs {
                    let changes = try await snapshot.changes(
                        in: zoneID, after: 0, limit: 10, of: .all(fields: []))
                    try expect("The number of changes", changes.count, equals: 2)
                }
            }
            try await world.backend.write(.public) { transaction in
                try await transaction.apply([.deletion(of: stored[0]), .eraseZone(zoneIDs[3])])
            }
            let left = try await world.backend.read(.public) {
                try await $0.records(for: stored.map(\.recordID), keys: nil).map { $0 != nil }
            }
            try expect(
                "The remaining records", left, equals: [false] + Array(repeating: true, count: 5) + [false, false])
        },
        ConformanceRule(
            .transactions, "many snapshots are open at the same time",
            law:
                "Each of many simultaneous snapshots keeps its state; a backend may let some of them wait.",
            source: .storage("StorageBackend.read(_:_:)")
        ) { world in
            let backend = world.backend
            let mayEnd = Signal()
            try await withThrowingTaskGroup(of: Void.self) { group in
                do {
                    for number in 1...16 {
                        try await backend.write(.public) { transaction in
                            _ = try await transaction.store([("a", Int64(number)), ("r\(number)", 0)])
                        }
                        // A backend that lets the snapshot wait does not delay the next write.
                        let isOpen = Barrier(of: 2)
                        group.addTask {
                            try await backend.read(.public) { snapshot in
                                let value = try await snapshot.number("a")
                                await isOpen.join()
                                await mayEnd.wait()
                                try expect(
                                    value >= number, "The snapshot began with \(value), after \(number) was saved.")
                                try expect("The value at the end", try await snapshot.number("a"), equals: value)
                                let names = try await snapshot.names()
                                try expect("The number of records", Int64(names.count), equals: value + 1)
                            }
                        }
                        await isOpen.join()
                    }
                    await mayEnd.give()
                    try await group.waitForAll()
                } catch {
                    await mayEnd.give()
                    throw error
                }
            }
        },
    ]
}
