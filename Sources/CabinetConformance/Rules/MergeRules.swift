import Cabinet
import Foundation

extension ConformanceRule {
    /// The built-in resolvers with partially fetched records, and with differences beyond fields.
    static let merges: [ConformanceRule] = [
        ConformanceRule(
            .conveniences, "a merge uses the fetched fields",
            law:
                "The ancestor of a record with desired keys has only these. Other fields that were set count as changed on both sides.",
            source: .cabinet("conflicts")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Items", "a", ["x": 1, "y": 1, "z": nil]))
            let part = try require(
                try await database.records(for: [.named("a")], desiredKeys: ["x"])[.named("a")], "The record"
            ).get()
            try await database.update(.named("a")) { $0["w"] = 2 }
            let mine = part.with(["x": 3, "y": 3, "z": 3])
            let error = try await expectError(.serverRecordChanged) { try await database.save(mine) }
            try expect("The ancestor's fields", error.ancestorRecord?.allKeys(), equals: ["x"])
            try expect("The ancestor's x", error.ancestorRecord?["x"] as? Int, equals: 1)
            var merges: [[Int?]] = []
            for preference in [ConflictResolver.FieldPreference.server, .client] {
                let saved = try await database.save(
                    mine, resolvingConflictsWith: .fieldwise(whenBothChanged: preference))
                merges.append(saved.numbers(["w", "x", "y", "z"]))
            }
            // No other client has changed x or z, and y was not fetched. After the first save, z and x have the
            // client's values.
            try expect("The merges", merges, equals: [[2, 3, 1, 3], [2, 3, 3, 3]])
        },
        ConformanceRule(
            .conveniences, "a record of system fields merges the fields that were set",
            law: "A record created from system fields has an ancestor without fields, and the change tag that it had.",
            source: .cloudKit("CKRecord.h, encodeSystemFields")
        ) { world in
            let database = try world.privateDatabase()
            let old = try await database.save(Record("Items", "a", ["x": 1, "y": 1]))
            let mine = try Record(systemFields: old.encodeSystemFields()).with(["x": 2])
            try await database.save(old.with(["y": 5]))
            let error = try await expectError(.serverRecordChanged) { try await database.save(mine) }
            try expect("The ancestor's fields", error.ancestorRecord?.allKeys(), equals: [])
            try expect("The ancestor's tag", error.ancestorRecord?.recordChangeTag, equals: old.recordChangeTag)
            let saved = try await database.save(mine, resolvingConflictsWith: .clientWins)
            try expect("The record", saved.numbers(["x", "y"]), equals: [2, 5])
        },
        ConformanceRule(
            .conveniences, "equal numbers do not conflict",
            law:
                "Writing 2 where the server has 2.0, or where 2.0 was fetched, does not count as a change in a merge.",
            source: .cabinet("conflicts")
        ) { world in
            let database = try world.privateDatabase()
            let old = try await database.save(
                Record("Items", "a", ["same": 1.5, "back": 2.0, "list": [0.5], "other": "old"]))
            try await database.save(old.with(["same": 2.0, "back": 7.0, "list": [3.0], "other": "new"]))
            let mine = old.with(["same": 2, "back": 2, "list": [3]])
            let saved = try await database.save(mine, resolvingConflictsWith: .fieldwise(whenBothChanged: .fail))
            try expect("The record", saved, equals: try await database.fetch("a"))
            try expect("The number", saved["back"] as? Double, equals: 7)
        },
        ConformanceRule(
            .conveniences, "a merge compares delete rules",
            law:
                "References to one record with two delete rules are different values, and a merge decides between them.",
            source: .cabinet("conflicts")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Lists", "list"))
            let old = try await database.save(
                Record("Items", "a", ["list": Reference("list"), "lists": [Reference("list")]]))
            try await database.save(
                old.with(["list": Reference("list", .deny), "lists": [Reference("list", .nullify)]]))
            let mine = old.with(["list": Reference("list", .deleteSelf), "lists": [Reference("list", .deleteSelf)]])
            try await expectError(.serverRecordChanged) {
                try await database.save(mine, resolvingConflictsWith: .fieldwise(whenBothChanged: .fail))
            }
            let saved = try await database.save(mine, resolvingConflictsWith: .clientWins)
            for record in [saved, try await database.fetch("a")] {
                try expect("The reference", record["list"] as? Reference, equals: Reference("list", .deleteSelf))
                try expect("The list", record["lists"] as? [Reference], equals: [Reference("list", .deleteSelf)])
            }
        },
        ConformanceRule(
            .conveniences, "a parent is merged",
            law:
                "A parent that one side changed is used; if both sides changed it, the resolver decides about 'parent'.",
            source: .cabinet("conflicts")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll(["p", "q", "r"].map { Record("Lists", $0) })
            var old = Record("Items", "a", ["x": 1])
            old.setParent(.named("p"))
            old = try await database.save(old)
            var (mine, theirs) = (old, old)
            mine.setParent(.named("q"))
            try await database.save(old.with(["x": 2]))
            let saved = try await database.save(mine, resolvingConflictsWith: .serverOrMerge)
            try expect("The parent", saved.parent, equals: Reference("q"))
            theirs.setParent(.named("r"))
            try await expectError(.serverRecordChanged, in: "parent") {
                try await database.save(theirs, resolvingConflictsWith: .fieldwise(whenBothChanged: .fail))
            }
            let kept = try await database.save(theirs, resolvingConflictsWith: .serverOrMerge)
            try expect("The parent", kept.parent, equals: Reference("q"))
            let won = try await database.save(theirs, resolvingConflictsWith: .clientWins)
            try expect("The parent", won.parent, equals: Reference("r"))
            let resolver = ConflictResolver.fieldwise { $0.key == "parent" ? Reference("p") : nil }
            let decided = try await database.save(mine, resolvingConflictsWith: resolver)
            try expect("The parent", decided.parent, equals: Reference("p"))
            try expect("The parent", try await database.fetch("a").parent, equals: Reference("p"))
        },
        ConformanceRule(
            .conveniences, "records of two types are not merged",
            law:
                "If the server's record has another type, a merge fails with invalidArguments, and the server's record may win.",
            source: .cabinet("conflicts")
        ) { world in
            let database = try world.privateDatabase()
            let old = try await database.save(Record("Items", "a", ["x": 1]))
            try await database.deleteRecord(withID: .named("a"))
            let server = try await database.save(Record("Lists", "a", ["y": 1]))
            for mine in [old.with(["x": 2]), Record("Items", "a", ["x": 2])] {
                for resolver in [ConflictResolver.clientWins, .serverOrMerge] {
                    try await expectError(.invalidArguments, naming: ["Items", "Lists"], about: .named("a")) {
                        try await database.save(mine, resolvingConflictsWith: resolver)
                    }
                }
                let kept = try await database.save(mine, resolvingConflictsWith: .serverWins)
                try expect("The record", kept, equals: server)
            }
            try expect("The record", try await database.fetch("a"), equals: server)
        },
        ConformanceRule(
            .conveniences, "a recreated record is merged",
            law:
                "An edit of a record that was deleted and saved again conflicts with the new one, and the old one is its ancestor.",
            source: .cabinet("conflicts")
        ) { world in
            let database = try world.privateDatabase()
            let old = try await database.save(Record("Items", "a", ["x": 1, "y": 1]))
            try await database.deleteRecord(withID: .named("a"))
            try await database.save(Record("Items", "a", ["x": 1, "z": 1]))
            let mine = old.with(["x": 2])
            let error = try await expectError(.serverRecordChanged) { try await database.save(mine) }
            try expect("The ancestor's tag", error.ancestorRecord?.recordChangeTag, equals: old.recordChangeTag)
            let saved = try await database.save(mine, resolvingConflictsWith: .serverOrMerge)
            try expect("The record", saved.numbers(["x", "y", "z"]), equals: [2, nil, 1])
        },
        ConformanceRule(
            .references, "saving a child does not change its parent",
            law: "Saving or deleting a child gives its parent no new change tag, and is not a change of the parent.",
            source: .cabinet("parents")
        ) { world in
            let database = try world.privateDatabase()
            let parent = try await database.save(Record("Lists", "parent", ["x": 1]))
            var device = Device(database)
            try await device.update()
            var child = Record("Items", "child")
            child.setParent(parent)
            child = try await database.save(child)
            child = try await database.save(child.with(["x": 1]))
            try expect("The changes", try await device.update(), equals: ["+child"])
            try expect("The parent", try await database.fetch("parent"), equals: parent)
            try await database.deleteRecord(withID: .named("child"))
            try expect("The changes", try await device.update(), equals: ["-child"])
            // The parent that was fetched before is still the current version.
            let saved = try await database.save(parent.with(["x": 2]))
            try expect("The parent's field", saved["x"] as? Int, equals: 2)
        },
    ]
}

extension ConflictResolver {
    /// Merges, and prefers the server's value if both sides have changed a field.
    fileprivate static let serverOrMerge = ConflictResolver.fieldwise(whenBothChanged: .server)
}

extension Record {
    /// The integers in some fields.
    fileprivate func numbers(_ keys: [FieldKey]) -> [Int?] { keys.map { self[$0] as? Int } }
}
