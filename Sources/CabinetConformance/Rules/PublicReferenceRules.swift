import Cabinet

extension ConformanceRule {
    /// The rules about other users' references to records of the public database.
    static let publicReferences: [ConformanceRule] = [
        ConformanceRule(
            .accounts, "another user's reference or child does not prevent a deletion",
            law:
                "In the public database, a creator deletes a record although others refer to it with deny, or as their parent; "
                + "they lose the reference.",
            source: .cabinet("Reference.Action.deny")
        ) { world in
            let (anna, ben) = try world.annaAndBen()
            for isAtomic in [true, false] {
                let name = isAtomic ? "atomic" : "single"
                try await anna.saveAll([Record("Posts", name), Record("Posts", "\(name) other")])
                var child = Record("Comments", "\(name) child", ["text": "child"])
                child.setParent(.named(name))
                let kept = [Reference("\(name) other", .deny), Reference(name, .none)]
                let saved = try await ben.saveAll([
                    Record("Comments", "\(name) field", ["post": Reference(name, .deny), "text": "field"]),
                    Record("Comments", "\(name) list", ["posts": [kept[0], Reference(name, .deny), kept[1]]]),
                    child,
                ])
                let results = try await anna.modifyRecords(
                    saving: [], deleting: [.named(name)], atomically: isAtomic)
                try results.deleteResults[.named(name)]?.get()
                try expect("The post", try await anna.existing([name]), equals: [])
                let field = try await ben.fetch("\(name) field")
                try expect("The fields", field.allKeys(), equals: ["text"])
                try expect("The creator", field.creatorUserRecordID, equals: .named("_ben"))
                try expect("The last modifier", field.lastModifiedUserRecordID, equals: .named("_anna"))
                let list: [Reference]? = try await ben.fetch("\(name) list")["posts"]
                try expect("The list", list, equals: kept)
                let orphan = try await ben.fetch("\(name) child")
                try expect("The parent", orphan.parent, equals: nil)
                try expect(orphan.recordChangeTag != saved[2].recordChangeTag, "The child's change tag is the old one.")
                try await ben.save(orphan.with(["text": "still mine"]))
            }
        },
        ConformanceRule(
            .accounts, "a chain of another user's records does not prevent a deletion",
            law:
                "Other users' records that a creator's deletion also deletes can be denied by the creator's records alone.",
            source: .cabinet("Reference.Action.deny")
        ) { world in
            let (anna, ben) = try world.annaAndBen()
            try await anna.save(Record("Posts", "post"))
            try await ben.saveAll([
                Record("Comments", "owned", ["post": Reference("post", .deleteSelf)]),
                Record("Comments", "guard", ["comment": Reference("owned", .deny), "text": "x"]),
            ])
            try await expectError(.referenceViolation, naming: ["guard"]) {
                try await ben.deleteRecord(withID: .named("owned"))
            }
            try await anna.deleteRecord(withID: .named("post"))
            try expect("The records", try await anna.existing(["post", "owned", "guard"]), equals: ["guard"])
            try expect("The fields of the guard", try await ben.fetch("guard").allKeys(), equals: ["text"])
        },
        ConformanceRule(
            .accounts, "a creator's own references deny a deletion in public",
            law:
                "In the public database, deny references and children of the deleting user deny it, regardless of other users' references.",
            source: .cabinet("Reference.Action.deny")
        ) { world in
            let (anna, ben) = try world.annaAndBen()
            var child = Record("Posts", "child")
            child.setParent(.named("post"))
            try await anna.saveAll([
                Record("Posts", "post"), child, Record("Posts", "guard", ["post": Reference("post", .deny)]),
            ])
            let other = try await ben.save(Record("Comments", "other", ["post": Reference("post", .deny)]))
            for name in ["guard", "child"] {
                try await expectError(.referenceViolation, about: .named("post")) {
                    try await anna.deleteRecord(withID: .named("post"))
                }
                try expect("The other user's record", try await ben.fetch("other"), equals: other)
                try await anna.deleteRecord(withID: .named(name))
            }
            try await anna.deleteRecord(withID: .named("post"))
            try expect("The other user's fields", try await ben.fetch("other").allKeys(), equals: [])
        },
    ]
}

extension ConformanceWorld {
    /// The public database, as two users see it.
    fileprivate func annaAndBen() throws -> (anna: Database, ben: Database) {
        (try container().publicDatabase, try container(account: Account(userRecordName: "_ben")).publicDatabase)
    }
}
