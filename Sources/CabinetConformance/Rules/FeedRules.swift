import Cabinet

extension ConformanceRule {
    /// The rules about reading changes from a backend.
    static let feeds: [ConformanceRule] = [
        ConformanceRule(
            .storage, "changes come in the order of their numbers",
            law:
                "changes(in:after:limit:of:) returns the changes above a number, in ascending order, and at most the limit.",
            source: .storage("StorageSnapshot.changes(in:after:limit:of:)")
        ) { world in
            let all = try await world.fillFeed()
            try await world.backend.read(.public) { snapshot in
                for after in [-1, 0] + all.map(\.sequenceNumber) + [.max] {
                    for limit in [1, 2, 5, 100, .max] {
                        let found = try await snapshot.changes(
                            in: .default, after: after, limit: limit, of: .all(fields: nil))
                        let expected = all.filter { $0.sequenceNumber > after }.prefix(limit)
                        try expect("The changes after \(after), at most \(limit)", found, equals: Array(expected))
                    }
                }
            }
        },
        ConformanceRule(
            .storage, "deletions are read without the records between them",
            law:
                "The content .deletions has the deletions alone, and the limit counts only them; records are left out.",
            source: .storage("ChangeContent.deletions")
        ) { world in
            let all = try await world.fillFeed()
            let deletions = all.filter { if case .deleted = $0 { true } else { false } }
            try expect("The number of deletions", deletions.count, equals: 4)
            try await world.backend.read(.public) { snapshot in
                for after in [0] + all.map(\.sequenceNumber) {
                    for limit in [1, 3, .max] {
                        let found = try await snapshot.changes(in: .default, after: after, limit: limit, of: .deletions)
                        let expected = deletions.filter { $0.sequenceNumber > after }.prefix(limit)
                        try expect("The deletions after \(after), at most \(limit)", found, equals: Array(expected))
                    }
                }
            }
        },
        ConformanceRule(
            .storage, "a change has the requested fields",
            law: "A changed record has the named fields alone, or all; a deletion does not depend on them.",
            source: .storage("ChangeContent.all(fields:)")
        ) { world in
            let all = try await world.fillFeed()
            try await world.backend.read(.public) { snapshot in
                for fields in [nil, [], ["x"], ["missing", "x"]] as [[Record.FieldKey]?] {
                    let found = try await snapshot.changes(in: .default, after: 0, limit: 100, of: .all(fields: fields))
                    let expected = all.map { change in
                        guard let fields, case .saved(var record) = change else { return change }
                        record.fields = record.fields.selecting(fields)
                        return .saved(record)
                    }
                    try expect("The changes with \(fields.map { "\($0)" } ?? "all fields")", found, equals: expected)
                }
            }
        },
        ConformanceRule(
            .storage, "changes belong to their zone",
            law: "The changes of a zone are those of its records; a zone without records or deletions has none.",
            source: .storage("StorageSnapshot.changes(in:after:limit:of:)")
        ) { world in
            let zones = [
                RecordZone.ID.default, RecordZone.ID(zoneName: "Notes"), RecordZone.ID(zoneName: "notes"),
                RecordZone.ID(zoneName: "Notes", ownerName: "b"),
            ]
            let records = zones.map { StoredRecord.sample("same", .int64(1), in: $0) }
            try await world.backend.insert(records)
            let mutation = StorageMutation.deletion(of: records[1])
            try await world.backend.write(.public) { try await $0.apply([mutation]) }
            guard case .delete(let deletion, _) = mutation else { return }
            var expected = Dictionary(uniqueKeysWithValues: zip(zones, records.map { [StoredChange.saved($0)] }))
            expected[zones[1]] = [.deleted(deletion)]
            let all = zones + [RecordZone.ID(zoneName: "Unknown")]
            let found = try await world.backend.read(.public) { try await $0.changes(in: all) }
            try expect("The changes", found, equals: expected)
        },
    ]
}

extension ConformanceWorld {
    /// Saves and deletes records in the default zone, and returns the remaining changes.
    fileprivate func fillFeed() async throws -> [StoredChange] {
        let records = (0..<10).map { StoredRecord.sample("r\($0)", .int64($0)) }
        try await backend.insert(records.reversed())
        let deletions = [1, 4, 5, 8].map { StorageMutation.deletion(of: records[$0]) }
        let updated = StoredRecord.sample("r2", .int64(22))
        let last = StorageMutation.deletion(of: records[9])
        let again = StoredRecord.sample("r9", .int64(99))
        try await backend.write(.public) {
            try await $0.apply(deletions + [.update(updated, replacing: records[2]), last, .insert(again)])
        }
        let saved = [0, 3, 6, 7].map { records[$0] } + [updated, again]
        let deleted = deletions.compactMap { mutation -> StoredChange? in
            if case .delete(let deletion, _) = mutation { .deleted(deletion) } else { nil }
        }
        return (saved.map(StoredChange.saved) + deleted).sorted { $0.sequenceNumber < $1.sequenceNumber }
    }
}
