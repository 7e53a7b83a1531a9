import Cabinet
import CabinetTesting

extension ConformanceRule {
    /// `nullify`: the reference is removed, the referring record stays.
    static let nullification: [ConformanceRule] = [
        ConformanceRule(
            .deleteRules, "nullify clears the field",
            law: "Deleting the target of a nullify reference removes the reference from its field and keeps the "
                + "record.",
            source: .cabinet("Reference.Action.nullify")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([
                Record("Lists", "list"),
                Record("Items", "milk", ["list": Reference("list", .nullify), "name": "Milk", "number": 2]),
            ])
            try await database.deleteRecord(withID: .named("list"))
            let item = try await database.fetch("milk")
            try expect("The keys", Set(item.allKeys()), equals: ["name", "number"])
            try expect("The name", item["name"], equals: "Milk")
            let found = try await database.names(where: .compare("list", .equal, nil))
            try expect("The items without a list", found, equals: ["milk"])
        },
        ConformanceRule(
            .deleteRules, "nullify removes the element from a list",
            law: "Deleting the target of nullify references in a list removes only them and keeps the others in order.",
            source: .cabinet("Reference.Action.nullify")
        ) { world in
            let database = try world.privateDatabase()
            let before = [
                Reference("b", .nullify), Reference("a", .nullify), Reference("b", .none), Reference("c", .nullify),
                Reference("b", .nullify), Reference("a", .nullify),
            ]
            try await database.saveAll([Record("Tags", "a"), Record("Tags", "b"), Record("Tags", "c")])
            try await database.save(Record("Items", "milk", ["tags": before]))
            try await database.deleteRecord(withID: .named("b"))
            var tags: [Reference]? = try await database.fetch("milk")["tags"]
            try expect("The tags", tags, equals: [before[1], before[2], before[3], before[5]])
            try await database.deleteAll(["a", "c"])
            tags = try await database.fetch("milk")["tags"]
            try expect("The tags", tags, equals: [before[2]])
        },
        ConformanceRule(
            .deleteRules, "a list whose last element was removed is empty",
            law: "When nullify removes the last element, the field has an empty list.",
            source: .cabinet("Reference.Action.nullify")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([
                Record("Tags", "a"), Record("Items", "milk", ["tags": [Reference("a", .nullify)]]),
            ])
            try await database.deleteRecord(withID: .named("a"))
            try expect("The tags", try await database.fetch("milk").fieldValue("tags"), equals: .list(.reference([])))
        },
        ConformanceRule(
            .deleteRules, "a nullified record counts as changed",
            law: "A record that loses a reference gets a new tag and modification date; a save of its old version "
                + "conflicts.",
            source: .cabinet("Reference.Action.nullify")
        ) { world in
            let database = try world.privateDatabase()
            let created = world.clock.now()
            let item = try await database.saveAll([
                Record("Lists", "list"), Record("Items", "milk", ["list": Reference("list", .nullify)]),
            ])[1]
            let deleted = world.clock.advance()
            try await database.deleteRecord(withID: .named("list"))
            let nullified = try await database.fetch("milk")
            try expect(
                nullified.recordChangeTag != item.recordChangeTag, "The tag is still \(item.recordChangeTag ?? "nil").")
            try expect("The creation date", nullified.creationDate, equals: created)
            try expect("The modification date", nullified.modificationDate, equals: deleted)
            try await expectError(.serverRecordChanged) { try await database.save(item.with(["name": "Milk"])) }
            try await database.save(nullified.with(["name": "Milk"]))
        },
        ConformanceRule(
            .deleteRules, "nullify works for the targets of a cascade",
            law: "Records that a cascade deletes nullify the references to them as if they were deleted directly.",
            source: .cabinet("Reference.Action.nullify")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([
                Record("Lists", "list"), Record("Items", "item", ["list": Reference("list", .deleteSelf)]),
                Record(
                    "Notes", "note",
                    ["list": Reference("list", .nullify), "item": Reference("item", .nullify), "text": "x"]),
            ])
            try await database.deleteRecord(withID: .named("list"))
            try expect("The note's keys", try await database.fetch("note").allKeys(), equals: ["text"])
        },
        ConformanceRule(
            .deleteRules, "deleteSelf wins over nullify",
            law: "A record that refers to deleted records with deleteSelf and with nullify is deleted.",
            source: .cabinet("Reference.Action.nullify")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([
                Record("Lists", "list"),
                Record("Items", "a", ["one": Reference("list", .nullify), "two": Reference("list", .deleteSelf)]),
                Record("Items", "b", ["both": [Reference("list", .deleteSelf), Reference("list", .nullify)]]),
            ])
            try await database.deleteRecord(withID: .named("list"))
            try expect("The items", try await database.names(), equals: [])
        },
        ConformanceRule(
            .deleteRules, "a nullified reference is not restored",
            law: "A new record with the ID of the deleted one does not get the nullified reference back.",
            source: .cabinet("Reference.Action.nullify")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([
                Record("Lists", "list"), Record("Items", "milk", ["list": Reference("list", .nullify)]),
            ])
            try await database.deleteRecord(withID: .named("list"))
            try await database.save(Record("Lists", "list"))
            let tag = try await database.fetch("milk").recordChangeTag
            try await database.deleteRecord(withID: .named("list"))
            try expect("The tag of the item", try await database.fetch("milk").recordChangeTag, equals: tag)
        },
    ]
}
