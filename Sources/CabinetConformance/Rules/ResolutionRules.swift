import Cabinet
import Foundation

extension ConformanceRule {
    /// The resolution of conflicts.
    static let resolution: [ConformanceRule] = [
        ConformanceRule(
            .conveniences, "both changes are merged field by field",
            law: "A field that one side changed gets its value; where both sides changed it, the preference decides.",
            source: .cabinet("conflicts")
        ) { world in
            for preference in ConflictResolver.FieldPreference.allCases {
                let (database, mine) = try await world.conflict()
                let save = {
                    try await database.save(mine, resolvingConflictsWith: .fieldwise(whenBothChanged: preference))
                }
                guard preference != .fail else {
                    let error = try await expectError(.serverRecordChanged, about: .named("a"), in: "both", from: save)
                    try expect("The server's record", error.serverRecord?["both"] as? String, equals: "theirs")
                    continue
                }
                let saved = try await save()
                let both = preference == .client ? "mine" : "theirs"
                try expect(saved, has: ["mine": "mine", "theirs": "theirs", "both": both, "gone": nil, "kept": "old"])
                try expect(try await database.fetch("a"), has: ["mine": "mine", "both": both, "gone": nil])
            }
        },
        ConformanceRule(
            .conveniences, "a resolver decides about fields that both sides changed",
            law:
                "It receives the field's value as it was fetched, regardless of its age, and the values of both changes.",
            source: .cabinet("conflicts")
        ) { world in
            let (database, mine) = try await world.conflict()
            // The server's record changes further.
            try await database.update(.named("a")) { $0["theirs"] = "theirs again" }
            let saved = try await database.save(
                mine,
                resolvingConflictsWith: .fieldwise { field in
                    "\(field.key): \(text(field.clientValue)) \(text(field.serverValue)) \(text(field.ancestorValue))"
                })
            try expect(
                saved,
                has: ["mine": "mine", "theirs": "theirs again", "both": "both: mine theirs old", "gone": nil])
        },
        ConformanceRule(
            .conveniences, "the server wins, or the client",
            law:
                "When the server wins, nothing is saved; when the client wins, its changes are applied to the server's record.",
            source: .cabinet("conflicts")
        ) { world in
            var (database, mine) = try await world.conflict()
            let server = try await database.fetch("a")
            let kept = try await database.save(mine, resolvingConflictsWith: .serverWins)
            try expect("The record", kept, equals: server)
            try expect("The tag", try await database.fetch("a").recordChangeTag, equals: server.recordChangeTag)
            (database, mine) = try await world.conflict()
            let saved = try await database.save(mine, resolvingConflictsWith: .clientWins)
            try expect(saved, has: ["mine": "mine", "theirs": "theirs", "both": "mine", "gone": nil, "kept": "old"])
        },
        ConformanceRule(
            .conveniences, "the newest wins",
            law:
                "The record with the greater value in a field wins; without a value it loses, and equal values favor the server.",
            source: .cabinet("conflicts")
        ) { world in
            for (mine, theirs, expected) in [
                (2, 1, "mine"), (1, 2, "theirs"), (1, 1, "theirs"), (nil, 1, "theirs"), (1, nil, "mine"),
            ] {
                var (database, record) = try await world.conflict()
                record["edited"] = mine.map { Date(timeIntervalSinceReferenceDate: Double($0)) }
                try await database.update(.named("a")) {
                    $0["edited"] = theirs.map { Date(timeIntervalSinceReferenceDate: Double($0)) }
                }
                let saved = try await database.save(record, resolvingConflictsWith: .newestWins(by: "edited"))
                try expect("The winner of \(mine ?? 0) and \(theirs ?? 0)", saved["both"] as? String, equals: expected)
            }
        },
        ConformanceRule(
            .conveniences, "a resolver returns the server's record",
            law: "Any other record that a resolver returns is refused, its error is thrown, and nothing is changed.",
            source: .cabinet("conflicts")
        ) { world in
            let (database, mine) = try await world.conflict()
            try await expectError(.invalidArguments, naming: ["resolver"]) {
                try await database.save(mine, resolvingConflictsWith: ConflictResolver(\.clientRecord))
            }
            try await expectError(.quotaExceeded) {
                try await database.save(
                    mine, resolvingConflictsWith: ConflictResolver { _ in throw CabinetError(.quotaExceeded, "") })
            }
            try expect("The field", try await database.fetch("a")["both"] as? String, equals: "theirs")
        },
        ConformanceRule(
            .conveniences, "an edit of a deleted record is unknownItem",
            law: "A resolver is not called for a record that another client has deleted: the save is unknownItem.",
            source: .cabinet("conflicts")
        ) { world in
            let (database, mine) = try await world.conflict()
            try await database.deleteRecord(withID: .named("a"))
            try await expectError(.unknownItem, about: .named("a")) {
                try await database.save(mine, resolvingConflictsWith: .clientWins)
            }
        },
        ConformanceRule(
            .conveniences, "a resolver is called until no other save interferes",
            law: "Two clients that increment one record, each with a resolver that adds both changes, lose nothing.",
            source: .cabinet("conflicts")
        ) { world in
            let database = try world.privateDatabase()
            let first = try await database.save(Record("Items", "counter", ["number": 0]))
            try await withThrowingTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask {
                        let adding = ConflictResolver { conflict in
                            var record = conflict.serverRecord
                            record["number"] = (record["number"] ?? 0) + 1
                            return record
                        }
                        try await database.save(first.with(["number": 1]), resolvingConflictsWith: adding)
                    }
                }
                try await group.waitForAll()
            }
            try expect("The number", try await database.fetch("counter")["number"] as? Int, equals: 8)
        },
    ]
}

private func text(_ value: (any RecordValue)?) -> String {
    value as? String ?? "nothing"
}

/// Throws unless some fields have the expected texts.
private func expect(_ record: Record, has expected: KeyValuePairs<String, String?>) throws {
    for (key, value) in expected { try expect("The field \(key)", record[key] as? String, equals: value) }
}

extension ConformanceWorld {
    /// A record `a` that another client has changed, and a client's changes to its earlier version.
    fileprivate func conflict() async throws -> (Database, Record) {
        let database = try privateDatabase()
        try await database.deleteRecord(withID: .named("a"))
        let old = try await database.save(
            Record(
                "Items", "a",
                ["mine": "old", "theirs": "old", "both": "old", "gone": "old", "kept": "old", "edited": nil]))
        try await database.save(old.with(["theirs": "theirs", "both": "theirs"]))
        return (database, old.with(["mine": "mine", "both": "mine", "gone": nil]))
    }
}
