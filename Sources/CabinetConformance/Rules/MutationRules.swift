import Cabinet
import Foundation

extension ConformanceRule {
    /// The rules about each mutation alone.
    static let mutations: [ConformanceRule] = [
        ConformanceRule(
            .storage, "an inserted record is found in every way",
            law:
                "After insert a record is found by ID, query, reference and change, and a deletion under its ID is forgotten.",
            source: .storage("StorageMutation.insert(_:)")
        ) { world in
            let old = StoredRecord.ruled("a", 1, target: "old")
            try await world.backend.insert([old], fields: .ruled)
            try await world.backend.write(.public) { try await $0.apply([.deletion(of: old)]) }
            let new = StoredRecord.ruled("a", 2, target: "t")
            try await world.backend.write(.public) { transaction in
                try await transaction.apply([.insert(new)])
                try await transaction.expectOnly([new], [], "in the transaction")
            }
            try await world.backend.read(.public) { try await $0.expectOnly([new], [], "afterwards") }
        },
        ConformanceRule(
            .storage, "an updated record is not found by its old values",
            law: "After update a record is found in its new state, and not by its old values, references or number.",
            source: .storage("StorageMutation.update(_:replacing:)")
        ) { world in
            let others = [StoredRecord.ruled("b", 7, target: "t")]
            var record = StoredRecord.ruled("a", 1, target: "t", parent: "p")
            try await world.backend.insert(others + [record], fields: .ruled)
            try await world.backend.write(.public) {
                try await $0.apply([.setIndexes([.queryable("x"), .sortable("x")], of: "Samples")])
            }
            for (x, target, parent) in [(2, "u", nil), (3, "t", "q"), (3, nil, "q"), (nil, "t", nil)]
                as [(Int64?, String?, String?)]
            {
                let (old, new) = (record, StoredRecord.ruled("a", x, target: target, parent: parent))
                try await world.backend.write(.public) { transaction in
                    try await transaction.apply([.update(new, replacing: old)])
                    try await transaction.expectOnly(others + [new], [], "in the transaction")
                }
                try await world.backend.read(.public) { try await $0.expectOnly(others + [new], [], "afterwards") }
                record = new
            }
        },
        ConformanceRule(
            .storage, "a deleted record is a deletion in the changes",
            law:
                "After delete no read returns the record, and the changes have its deletion with its number, type and date.",
            source: .storage("StorageMutation.delete(_:replacing:)")
        ) { world in
            let records = [StoredRecord.ruled("a", 1, target: "t", parent: "p"), .ruled("b", 2, target: "t")]
            try await world.backend.insert(records, fields: .ruled)
            let mutation = StorageMutation.deletion(of: records[0])
            guard case .delete(let deletion, _) = mutation else { return }
            try await world.backend.write(.public) { transaction in
                try await transaction.apply([mutation])
                try await transaction.expectOnly([records[1]], [deletion], "in the transaction")
            }
            try await world.backend.read(.public) { try await $0.expectOnly([records[1]], [deletion], "afterwards") }
        },
        ConformanceRule(
            .storage, "deletions are forgotten up to a number",
            law:
                "forgetDeletions forgets the deletions of one zone up to a number; later ones, other zones' and records stay.",
            source: .storage("StorageMutation.forgetDeletions(in:through:)")
        ) { world in
            let zones = [RecordZone.ID.default, RecordZone.ID(zoneName: "Notes")]
            var deletions: [[StoredDeletion]] = [[], []]
            for number in 0..<6 {
                for (index, zone) in zones.enumerated() {
                    let record = StoredRecord.sample("r\(number)", .int64(1), in: zone)
                    try await world.backend.insert([record])
                    let mutation = StorageMutation.deletion(of: record)
                    if case .delete(let deletion, _) = mutation { deletions[index].append(deletion) }
                    try await world.backend.write(.public) { try await $0.apply([mutation]) }
                }
            }
            let kept = StoredRecord.sample("kept", .int64(1))
            try await world.backend.insert([kept])
            let all = deletions
            @Sendable func expectDeletions(_ count: Int, in snapshot: any StorageSnapshot, _ label: String) async throws
            {
                let expected = [
                    all[0].suffix(count).map(StoredChange.deleted) + [.saved(kept)], all[1].map(StoredChange.deleted),
                ]
                for (zone, expected) in zip(zones, expected) {
                    let found = try await snapshot.changes(in: zone, after: 0, limit: 100, of: .all(fields: nil))
                    try expect("The changes of \(zone) \(label)", found, equals: expected)
                }
            }
            for (number, left) in [
                (all[0][0].sequenceNumber - 1, 6), (all[0][1].sequenceNumber, 4), (all[0][1].sequenceNumber, 4),
                (all[0][3].sequenceNumber + 1, 2), (.max, 0),
            ] {
                try await world.backend.write(.public) { transaction in
                    try await transaction.apply([.forgetDeletions(in: .default, through: number)])
                    try await expectDeletions(left, in: transaction, "in the transaction that leaves \(left)")
                }
                try await world.backend.read(.public) { try await expectDeletions(left, in: $0, "with \(left) left") }
            }
            let large = try await world.fillLargeZone()
            try await world.backend.write(.public) {
                try await $0.apply([.forgetDeletions(in: large, through: .max)])
            }
            try await world.backend.read(.public) { snapshot in
                let changes = try await snapshot.changes(in: large, after: 0, limit: 5000, of: .all(fields: []))
                let saved = changes.count { if case .saved = $0 { true } else { false } }
                try expect("The numbers of records and changes", [saved, changes.count], equals: [1200, 1200])
            }
        },
        ConformanceRule(
            .storage, "an erased zone does not affect other zones",
            law:
                "After eraseZone the zone has no records and no changes; other zones, entries and the schema are unchanged.",
            source: .storage("StorageMutation.eraseZone(_:)")
        ) { world in
            let zones = [
                RecordZone.ID.default, RecordZone.ID(zoneName: "Notes"), RecordZone.ID(zoneName: "notes"),
                RecordZone.ID(zoneName: "Notes", ownerName: "b"), RecordZone.ID(zoneName: "Note"),
            ]
            let kept = zones.map { StoredRecord.sample("kept", .int64(1), in: $0) }
            let removed = zones.map { StoredRecord.sample("removed", .int64(1), in: $0) }
            try await world.backend.insert(kept + removed)
            let deletions = removed.map(StorageMutation.deletion)
            try await world.backend.write(.public) {
                try await $0.apply(deletions + [.setEntry(StorageKey("sample/a"), "text")])
            }
            for erased in [zones[1], RecordZone.ID(zoneName: "Unknown"), zones[0]] {
                let before = try await world.backend.read(.public) { try await $0.changes(in: zones) }
                let expected = before.filter { $0.key != erased }
                try await world.backend.write(.public) { transaction in
                    try await transaction.apply([.eraseZone(erased)])
                    try expect(
                        "The changes in the transaction", try await transaction.changes(in: zones), equals: expected)
                }
                try await world.backend.read(.public) { snapshot in
                    try expect("The changes without \(erased)", try await snapshot.changes(in: zones), equals: expected)
                    let exist = try await snapshot.load(StorageKeys(existing: kept.map(\.recordID))).existing
                    try expect(
                        "The existing records without \(erased)", exist, equals: zones.map { expected[$0] != nil })
                    let deletions = try await snapshot.changes(in: erased, after: 0, limit: 10, of: .deletions)
                    try expect("The deletions in \(erased)", deletions, equals: [])
                    try expect("The number of names", try await snapshot.names().count, equals: expected.count)
                    try expect("The entry", try await snapshot.entry(StorageKey("sample/a")), equals: "text")
                    try expect(
                        "The fields", try await snapshot.schema().recordTypes, equals: ["Samples": ["x": .int64]])
                }
            }
            let again = StoredRecord.sample("kept", .int64(2), in: zones[1])
            try await world.backend.insert([again])
            let found = try await world.backend.read(.public) { try await $0.changes(in: [zones[1]]) }
            try expect("The changes of a zone that is used again", found, equals: [zones[1]: [.saved(again)]])
            let names = try await world.backend.names()
            let large = try await world.fillLargeZone()
            try await world.backend.write(.public) { try await $0.apply([.eraseZone(large)]) }
            let left = try await world.backend.read(.public) {
                try await $0.changes(in: large, after: 0, limit: 5000, of: .all(fields: []))
            }
            try expect("The number of changes of a large zone", left.count, equals: 0)
            try expect("The names without a large zone", try await world.backend.names(), equals: names)
        },
        ConformanceRule(
            .storage, "fields are added to a type that has records",
            law:
                "After addFields records can hold values in the fields, and stored records have none; a type needs no field.",
            source: .storage("StorageMutation.addFields(_:to:)")
        ) { world in
            let old = StoredRecord.sample("old", .int64(1))
            try await world.backend.insert([old])
            let values: [FieldValue] = [
                .string("text"), .int64(2), .double(0.5), .bytes(Data([1, 0])),
                .list(.string(["a"])), .reference(Reference("t", .deny)),
            ]
            let names = values.indices.map { "field\($0)" }
            var new = StoredRecord.sample("new")
            new.fields = FieldValues(names: FieldNames(names), values: values)
            let record = new
            try await world.backend.write(.public) { transaction in
                try await transaction.apply([.addFields([], to: "Empty")])
                try await transaction.apply([
                    .addFields(zip(names, values).map { StoredField(name: $0, type: $1.fieldType) }, to: "Samples"),
                    .insert(record),
                ])
            }
            try await world.backend.read(.public) { snapshot in
                let found = try await snapshot.load(StorageKeys(records: [old.recordID, record.recordID]))
                try expect("The records", found.records, equals: [old, record])
                try expect("The type without fields", found.schema.recordTypes["Empty"], equals: [:])
                var types = Dictionary(uniqueKeysWithValues: zip(names, values.map(\.fieldType)))
                types["x"] = .int64
                try expect("The fields", found.schema.recordTypes["Samples"], equals: types)
                let fields = FieldTypes(found.schema.recordTypes["Samples"] ?? [:])
                for name in names {
                    let plan = try QueryPlan(recordType: "Samples", filter: .compare(name, .equal, nil), fields: fields)
                    let without = try await snapshot.records(matching: plan).map(\.recordID.recordName)
                    try expect("The records without \(name)", without, equals: ["old"])
                }
            }
        },
        ConformanceRule(
            .assets, "an asset is added twice, or removed and added, in one transaction",
            law: "addAsset of a stored asset changes nothing; after removeAsset it has the bytes of the upload.",
            source: .storage("StorageMutation.addAsset(_:uploadedAs:)")
        ) { world in
            let bytes = AssetSamples.bytes(1000)
            for isRemoved in [false, true, true] {
                let (asset, upload) = try await world.upload(bytes)
                try await world.backend.write(.public) { transaction in
                    let mutations: [StorageMutation] = isRemoved ? [.removeAsset(asset.checksum)] : []
                    try await transaction.apply(mutations + [.addAsset(asset, uploadedAs: upload.id)])
                    let found = try await transaction.storedAssets.assets(for: [asset.checksum])
                    try expect("In the transaction", found, equals: [asset])
                }
                await upload.end()
                try await world.backend.assetStorage.removeAbandonedAssets(from: .public)
                try expect("The assets", try await world.storedAssets(in: .public), equals: [asset])
                try expect("The bytes", try await world.bytes(of: asset) == bytes, equals: true)
                let (again, second) = try await world.upload(bytes)
                try await world.backend.write(.public) { try await $0.apply([.addAsset(again, uploadedAs: second.id)]) }
                await second.end()
                try expect("The bytes, added again", try await world.bytes(of: asset) == bytes, equals: true)
            }
        },
    ]
}

extension [StoredField] {
    /// The fields of ``StoredRecord/ruled(_:_:target:parent:)``.
    fileprivate static var ruled: [StoredField] {
        [StoredField(name: "x", type: .int64), StoredField(name: "r", type: .reference)]
    }
}

extension StoredRecord {
    /// A sample with a number and a reference with a delete rule.
    fileprivate static func ruled(_ name: String, _ x: Int64?, target: String?, parent: String? = nil) -> StoredRecord {
        var record = sample(name, parent: parent)
        record.fields = FieldValues(
            names: FieldNames(["x", "r"]),
            values: [x.map(FieldValue.int64), target.map { .reference(Reference($0, .deleteSelf)) }])
        return record
    }
}

extension ConformanceWorld {
    /// Creates a zone with 1,200 records and as many deletions, more than a store might handle at once.
    fileprivate func fillLargeZone() async throws -> RecordZone.ID {
        let zone = RecordZone.ID(zoneName: "Large")
        let records = (0..<2400).map { StoredRecord.sample("r\($0)", .int64(1), in: zone) }
        try await backend.insert(records)
        try await backend.write(.public) { try await $0.apply(records.prefix(1200).map(StorageMutation.deletion)) }
        return zone
    }
}

extension StorageSnapshot {
    /// The changes of each zone that has some.
    func changes(in zones: [RecordZone.ID]) async throws -> [RecordZone.ID: [StoredChange]] {
        var found: [RecordZone.ID: [StoredChange]] = [:]
        for zone in zones {
            let changes = try await changes(in: zone, after: 0, limit: 1000, of: .all(fields: nil))
            if !changes.isEmpty { found[zone] = changes }
        }
        return found
    }

    /// Throws unless exactly the given records are found by every kind of read.
    fileprivate func expectOnly(
        _ records: [StoredRecord], _ deletions: [StoredDeletion], _ label: String
    ) async throws {
        let ids = ["a", "b"].map { RecordID.named($0) }
        let byID = Dictionary(uniqueKeysWithValues: records.map { ($0.recordID, $0) })
        let loaded = try await load(StorageKeys(records: ids, existing: ids))
        try expect("The records by ID \(label)", loaded.records, equals: ids.map { byID[$0] })
        try expect("The existing records \(label)", loaded.existing, equals: ids.map { byID[$0] != nil })
        let fields = FieldTypes(loaded.schema.recordTypes["Samples"] ?? [:])
        let all = try QueryPlan(recordType: "Samples", filter: .constant(true), fields: fields)
        try expect("The records by query \(label)", Set(try await self.records(matching: all)), equals: Set(records))
        try expect("The count \(label)", try await count(matching: all), equals: records.count)
        for x in [1, 2, 3, 7, nil] as [Int64?] {
            let plan = try QueryPlan(
                recordType: "Samples", filter: .compare("x", .equal, x), order: [Sort("x")], fields: fields)
            let expected = records.filter { $0.x == x.map(FieldValue.int64) }.map(\.recordID.recordName).sorted()
            let found = try await self.records(matching: plan).map(\.recordID.recordName).sorted()
            try expect("The records with \(x.map { "\($0)" } ?? "nil") \(label)", found, equals: expected)
        }
        let targets = ["t", "u", "p", "q", "old"].map { RecordID.named($0) }
        let references = records.flatMap { $0.references.filter { $0.place == .parent || $0.target != $0.source } }
        try expect("The references \(label)", Set(try await self.references(to: targets)), equals: Set(references))
        let expected = (records.map(StoredChange.saved) + deletions.map(StoredChange.deleted))
            .sorted { $0.sequenceNumber < $1.sequenceNumber }
        let changes = try await changes(in: .default, after: 0, limit: 100, of: .all(fields: nil))
        try expect("The changes \(label)", changes, equals: expected)
    }
}
