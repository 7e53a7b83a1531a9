import Cabinet
import Foundation

extension ConformanceRule {
    /// The rules about a backend's references, notifications, names and snapshots in unusual cases.
    static let storageDetails: [ConformanceRule] = [
        ConformanceRule(
            .storage, "each element of a list is a reference of its own",
            law: "references(to:) has one element for each reference in a list, also where two elements are equal.",
            source: .storage("StorageSnapshot.references")
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
            .storage, "a removed zone leaves no references",
            law: "After removeZones no reference of a record in the zone is found, also when the zone is added again.",
            source: .storage("StorageTransaction.removeZones")
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
                record.fields = RecordFields(
                    names: FieldNames(["x", "y"]), values: [.reference(reference), .list(.reference([reference]))])
                return record
            }
            let zone = StoredZone(zoneID: zoneID, creatorName: "_anna", creationNumber: 1, changeNumber: 1)
            try await world.backend.write(.public) { try await $0.add([zone]) }
            try await world.backend.insert(
                [sample("a", in: zoneID), sample("b", in: zoneID), sample("a", in: .default)], fields: fields)
            let before = try await world.backend.read(.public) { try await $0.references(to: [target]) }
            try expect("The number of references before", before.count, equals: 6)
            try await world.backend.write(.public) { transaction in
                let number = try await transaction.reserveSequenceNumbers(1)
                try await transaction.removeZones([zoneID], sequenceNumber: number)
                try expect("In the transaction", try await transaction.references(to: [target]), equals: [])
            }
            func expectNone(_ subject: String) async throws {
                let found = try await world.backend.read(.public) {
                    try await $0.references(to: [target, .named("target")])
                }
                try expect(subject, Set(found.map(\.source)), equals: [.named("a")])
            }
            try await expectNone("The records that refer afterwards")
            try await world.backend.write(.public) { try await $0.add([zone]) }
            try await expectNone("The records that refer when the zone is added again")
            var new = StoredRecord.sample("target")
            new.recordID = target
            try await world.backend.insert([new])
            try await expectNone("The records that refer when their target is inserted again")
        },
        ConformanceRule(
            .storage, "a replacement key belongs to its user",
            law: "A notification replaces none of another user that has the same replacement key.",
            source: .storage("StorageTransaction.post")
        ) { world in
            func post(to users: [String]) async throws -> Int64 {
                try await world.backend.write(.public) { transaction in
                    let first = try await transaction.reserveSequenceNumbers(users.count)
                    let notifications = users.enumerated().map { offset, user in
                        StoredNotification(
                            userName: user, sequenceNumber: first + Int64(offset), date: Date(), deviceID: "device",
                            subscriptionID: "all", event: .database, replacementKey: "key")
                    }
                    try await transaction.post(notifications)
                    return first
                }
            }
            func expectNumbers(_ expected: [String: [Int64]]) async throws {
                for (user, numbers) in expected.sorted(by: { $0.key < $1.key }) {
                    let found = try await world.backend.read(.public) {
                        try await $0.notifications(to: user, after: 0, limit: 10)
                    }
                    try expect("The notifications to \(user)", found.map(\.sequenceNumber), equals: numbers)
                }
            }
            let first = try await post(to: ["anna", "ben"])
            try await expectNumbers(["anna": [first], "ben": [first + 1]])
            let second = try await post(to: ["anna"])
            try await expectNumbers(["anna": [second], "ben": [first + 1]])
        },
        ConformanceRule(
            .storage, "the longest names work together",
            law: "Records, zones and owners with names of 255 bytes each are stored, found, referred to and removed.",
            source: .storage("StorageTransaction.insert")
        ) { world in
            // They differ in their last bytes alone.
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
                    record.fields = RecordFields(
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
                let first = try await transaction.reserveSequenceNumbers(zoneIDs.count)
                try await transaction.add(
                    zoneIDs.enumerated().map {
                        StoredZone(
                            zoneID: $0.element, creatorName: "_anna", creationNumber: first,
                            changeNumber: first + Int64($0.offset))
                    })
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
                try expect("The records are what was stored", found == stored, equals: true)
                for record in stored {
                    let id = record.recordID
                    let references = try await snapshot.references(to: [id])
                    try expect("The number of references", references.count, equals: 3)
                    try expect("Where they are", Set(references.map(\.source.zoneID)) == [id.zoneID], equals: true)
                    let plan = QueryPlan(
                        recordType: "Samples", zoneID: id.zoneID,
                        filter: .compare("x", .equal, Reference(recordID: id, action: .deny)), order: [Sort("x")],
                        fields: fields)
                    let referring = try await snapshot.records(matching: plan)
                    try expect("The records that refer to it", referring.count, equals: 1)
                }
                for zoneID in zoneIDs {
                    let changes = try await snapshot.changes(inZone: zoneID, after: 0, limit: 10, keys: [])
                    try expect("The number of changes", changes.count, equals: 2)
                }
                let changed = try await snapshot.zoneChanges(after: 0, limit: 10)
                try expect("The number of changed zones", changed.count, equals: 4)
            }
            try await world.backend.write(.public) { transaction in
                try await transaction.remove([stored[0].recordID])
                let number = try await transaction.reserveSequenceNumbers(1)
                try await transaction.removeZones([zoneIDs[3]], sequenceNumber: number)
            }
            let left = try await world.backend.read(.public) {
                try await $0.records(for: stored.map(\.recordID), keys: nil).map { $0 != nil }
            }
            try expect(
                "Which records are left", left, equals: [false] + Array(repeating: true, count: 5) + [false, false])
        },
        ConformanceRule(
            .transactions, "many snapshots are open at the same time",
            law:
                "Each of many snapshots that are open at the same time keeps its state; a backend may let some of them wait.",
            source: .storage("StorageBackend.read")
        ) { world in
            let backend = world.backend
            let mayEnd = Signal()
            try await withThrowingTaskGroup(of: Void.self) { group in
                do {
                    for number in 1...16 {
                        try await backend.write(.public) { transaction in
                            _ = try await transaction.store([("a", Int64(number)), ("r\(number)", 0)])
                        }
                        // A backend that lets the snapshot wait does not hold up the next write.
                        let isOpen = Meeting(of: 2)
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
