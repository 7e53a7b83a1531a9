import Cabinet

extension ConformanceRule {
    /// The rules about names that a store could mix up.
    static let similarNames: [ConformanceRule] = [
        ConformanceRule(
            .storage, "zones whose names begin alike are apart",
            law:
                "eraseZone and forgetDeletions change one zone, and none whose name or owner begins with the same text.",
            source: .storage("StorageMutation.eraseZone(_:)")
        ) { world in
            // In ascending length, so that the longer ones are still stored when a shorter one is erased.
            let zones = [("N", "o"), ("No", "o"), ("N", "ow"), ("Not", "o"), ("No ", "o"), ("No/", "o"), ("No", "own")]
                .map { RecordZone.ID(zoneName: $0.0, ownerName: $0.1) }
            try await world.backend.insert(
                zones.flatMap { [.sample("kept", .int64(1), in: $0), .sample("deleted", .int64(1), in: $0)] })
            try await world.backend.write(.public) { transaction in
                try await transaction.remove(zones.map { RecordID(recordName: "deleted", zoneID: $0) })
            }
            var expected = try await world.backend.read(.public) { try await $0.changes(in: zones) }
            try expect("The numbers of changes", zones.map { expected[$0]?.count }, equals: zones.map { _ in 2 })
            for zone in zones {
                expected[zone] = expected[zone]?.filter { if case .saved = $0 { true } else { false } }
                try await world.backend.write(.public) {
                    try await $0.apply([.forgetDeletions(in: zone, through: .max)])
                }
                let kept = try await world.backend.read(.public) { try await $0.changes(in: zones) }
                try expect("The changes after \(zone) forgot its deletions", kept, equals: expected)
                expected[zone] = nil
                try await world.backend.write(.public) { try await $0.apply([.eraseZone(zone)]) }
                let left = try await world.backend.read(.public) { try await $0.changes(in: zones) }
                try expect("The changes after \(zone) was erased", left, equals: expected)
                let names = try await world.backend.names()
                try expect("The number of records without \(zone)", names.count, equals: expected.count)
            }
        },
        ConformanceRule(
            .storage, "IDs whose parts join to the same text are different",
            law:
                "Records whose names, zones and owners join to the same text are different, with every character between.",
            source: .storage("StorageKeys.records")
        ) { world in
            let ids = RecordID.joiningAlike
            let records = ids.map { id in
                var record = StoredRecord.sample("r")
                record.recordID = id
                record.fields = FieldValues(
                    names: FieldNames(["to"]), values: [.reference(Reference(recordID: id, action: .deleteSelf))])
                return record
            }
            try await world.backend.insert(records, fields: [StoredField(name: "to", type: .reference)])
            @Sendable func expectOnly(_ records: [StoredRecord], _ when: String) async throws {
                let stored = Dictionary(uniqueKeysWithValues: records.map { ($0.recordID, $0) })
                try await world.backend.read(.public) { snapshot in
                    let found = try await snapshot.load(StorageKeys(records: ids, existing: ids))
                    try expect("The records \(when)", found.records, equals: ids.map { stored[$0] })
                    try expect("The existing records \(when)", found.existing, equals: ids.map { stored[$0] != nil })
                    for id in ids {
                        let sources = try await snapshot.references(to: [id]).map(\.source)
                        try expect("The references to \(id) \(when)", sources, equals: stored[id] == nil ? [] : [id])
                    }
                    let zones = Dictionary(grouping: records, by: \.recordID.zoneID)
                    for zone in Set(ids.map(\.zoneID)) {
                        let saved = try await snapshot.changes(in: zone, after: 0, limit: 1000, of: .all(fields: nil))
                            .compactMap { change in if case .saved(let record) = change { record } else { nil } }
                        try expect("The changes of \(zone) \(when)", saved, equals: zones[zone] ?? [])
                    }
                }
            }
            try await expectOnly(records, "at first")
            let kept = records.indices.filter { $0 % 2 == 0 }.map { records[$0] }
            try await world.backend.write(.public) { transaction in
                try await transaction.remove(records.indices.filter { $0 % 2 == 1 }.map { ids[$0] })
            }
            try await expectOnly(kept, "after some were deleted")
        },
    ]
}

extension RecordID {
    /// IDs in pairs, a kept and a deleted one, whose parts join to the same text with some separator.
    fileprivate static var joiningAlike: [RecordID] {
        ["", "/", "-", ":", " ", "|", ".", ",", "%", "_", "#"].flatMap { (between: String) -> [RecordID] in
            [
                ("x\(between)y", "z", "o"), ("y", "z\(between)x", "o"), ("x", "w\(between)z", "o"),
                ("x\(between)w", "z", "o"), ("r", "z", "o\(between)p"), ("r", "z\(between)o", "p"),
                ("r", "p\(between)z", "o"), ("r", "z", "p\(between)o"),
            ].map { RecordID(recordName: $0, zoneID: RecordZone.ID(zoneName: $1, ownerName: $2)) }
        }
    }
}
