import Cabinet

extension ConformanceRule {
    /// `deleteSelf`: the referring record is deleted with its target.
    static let cascades: [ConformanceRule] = [
        ConformanceRule(
            .deleteRules, "a deletion also deletes owned records",
            law: "Deleting a record deletes every record that refers to it with deleteSelf, before the delete returns.",
            source: .cloudKit("CKReference.h, CKReferenceActionDeleteSelf")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveNodes(["a": nil, "b": nil, "a1": "a", "a2": "a", "b1": "b"])
            try await database.deleteRecord(withID: .named("a"))
            try expect("The records", try await database.names("Nodes"), equals: ["b", "b1"])
        },
        ConformanceRule(
            .deleteRules, "a chain is deleted as a whole",
            law: "A cascade follows deleteSelf references through any number of records.",
            source: .cloudKit("CKReference.h, CKReferenceActionDeleteSelf")
        ) { world in
            let database = try world.privateDatabase()
            var chain: [String: String?] = ["n0": nil, "other": nil]
            for index in 1..<60 { chain["n\(index)"] = "n\(index - 1)" }
            try await database.saveNodes(chain)
            try await database.deleteRecord(withID: .named("n30"))
            try expect("The number of records", try await database.names("Nodes").count, equals: 31)
            try await database.deleteRecord(withID: .named("n0"))
            try expect("The records", try await database.names("Nodes"), equals: ["other"])
        },
        ConformanceRule(
            .deleteRules, "a tree is deleted as a whole",
            law: "A cascade follows every branch.",
            source: .cloudKit("CKReference.h, CKReferenceActionDeleteSelf")
        ) { world in
            let database = try world.privateDatabase()
            var tree: [String: String?] = ["1": nil, "root of another": nil]
            for index in 2..<128 { tree["\(index)"] = "\(index / 2)" }
            try await database.saveNodes(tree)
            try await database.deleteRecord(withID: .named("2"))
            try expect("The number of records", try await database.names("Nodes").count, equals: 65)
            try await database.deleteRecord(withID: .named("1"))
            try expect("The records", try await database.names("Nodes"), equals: ["root of another"])
        },
        ConformanceRule(
            .deleteRules, "a cycle is deleted as a whole",
            law: "Records that own each other in a cycle are deleted together, if any of them is deleted.",
            source: .cloudKit("CKReference.h, reference cycles")
        ) { world in
            let database = try world.privateDatabase()
            for deleted in ["a", "b", "c"] {
                try await database.saveNodes(["a": "c", "b": "a", "c": "b", "hanger-on": "b"])
                try await database.deleteRecord(withID: .named(deleted))
                try expect(
                    "The records after the deletion of \(deleted)", try await database.names("Nodes"), equals: [])
            }
        },
        ConformanceRule(
            .deleteRules, "a record that refers to itself can be deleted",
            law: "A reference of a record to itself, with any action, does not prevent its deletion.",
            source: .cloudKit("CKReference.h, reference cycles")
        ) { world in
            let database = try world.privateDatabase()
            for action in Reference.Action.allCases {
                try await database.save(Record("Nodes", "self", ["one": Reference("self", action)]))
                try await database.deleteRecord(withID: .named("self"))
                try expect("The records with \(action)", try await database.names("Nodes"), equals: [])
            }
        },
        ConformanceRule(
            .deleteRules, "one of several owners suffices",
            law: "A record with several deleteSelf references is deleted with any of their targets.",
            source: .cloudKit("CKReference.h, CKReferenceActionDeleteSelf")
        ) { world in
            let database = try world.privateDatabase()
            for deleted in ["first", "second", "third"] {
                try await database.saveNodes(["first": nil, "second": nil, "third": nil])
                try await database.save(
                    Record(
                        "Nodes", "shared",
                        [
                            "one": Reference("first", .deleteSelf), "two": Reference("second", .deleteSelf),
                            "list": [Reference("first", .none), Reference("third", .deleteSelf)],
                        ]))
                try await database.deleteRecord(withID: .named(deleted))
                let left = ["first", "second", "third"].filter { $0 != deleted }
                try expect(
                    "The records after the deletion of \(deleted)", try await database.names("Nodes"), equals: left)
                try await database.deleteAll(left)
            }
        },
        ConformanceRule(
            .deleteRules, "a reference without a rule keeps the ID",
            law: "Deleting the target of a reference with the action none leaves the record, its fields and its tag "
                + "unchanged.",
            source: .cloudKit("CKReference.h, CKReferenceActionNone")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Lists", "list"))
            let item = try await database.save(
                Record("Items", "milk", ["list": Reference("list", .none), "lists": [Reference("list", .none)]]))
            try await database.deleteRecord(withID: .named("list"))
            try expect("The item", try await database.fetch("milk"), equals: item)
        },
        ConformanceRule(
            .deleteRules, "a changed reference no longer counts",
            law: "A cascade follows the current references of records: one that was changed, cleared or dropped "
                + "is not followed.",
            source: .cloudKit("CKReference.h, CKReferenceActionDeleteSelf")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([Record("Lists", "old"), Record("Lists", "new")])
            let owned = Reference("old", .deleteSelf)
            var items = try await database.saveAll([
                Record("Items", "moved", ["list": owned]), Record("Items", "cleared", ["list": owned]),
                Record("Items", "weakened", ["list": owned]), Record("Items", "dropped", ["lists": [owned]]),
                Record("Items", "kept", ["list": owned]),
            ])
            items[0]["list"] = Reference("new", .deleteSelf)
            items[1]["list"] = nil
            items[2]["list"] = Reference("old", .none)
            items[3]["lists"] = [Reference]()
            items[4]["name"] = "still owned"
            try await database.saveAll(items)
            try await database.deleteRecord(withID: .named("old"))
            try expect("The items", try await database.names(), equals: ["cleared", "dropped", "moved", "weakened"])
            try await database.deleteRecord(withID: .named("new"))
            try expect("The items", try await database.names(), equals: ["cleared", "dropped", "weakened"])
        },
        ConformanceRule(
            .deleteRules, "owned records of every type are deleted",
            law: "A cascade finds referring records of all types, in fields of any name.",
            source: .cloudKit("CKReference.h, CKReferenceActionDeleteSelf")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Lists", "list"))
            for index in 0..<10 {
                let reference = Reference("list", .deleteSelf)
                try await database.saveAll([
                    Record("Type\(index)", "single \(index)", ["field\(index)": reference]),
                    Record("Type\(index)", "list \(index)", ["list\(index)": [reference]]),
                ])
            }
            try await database.deleteRecord(withID: .named("list"))
            for index in 0..<10 {
                try expect("The records of Type\(index)", try await database.names("Type\(index)"), equals: [])
            }
        },
        ConformanceRule(
            .deleteRules, "ten thousand items are deleted with their list",
            law: "A deletion with ten thousand owned records is one transaction and leaves no orphan.",
            source: .cabinet("Consistency")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([Record("Lists", "list"), Record("Lists", "other")])
            try await database.saveAll(
                (0..<10_000).map { (number: Int) in
                    Record("Items", "item \(number)", ["number": number, "list": Reference("list", .deleteSelf)])
                })
            try await database.save(Record("Items", "survivor", ["list": Reference("other", .deleteSelf)]))
            try await database.deleteRecord(withID: .named("list"))
            try expect("The items", try await database.names(), equals: ["survivor"])
            try expect("The number of items", try await database.count(matching: Query(recordType: "Items")), equals: 1)
        },
    ]
}

extension Database {
    /// Saves records of the type `Nodes`, each by name, with the name of its owner.
    func saveNodes(_ owners: [String: String?]) async throws {
        try await saveAll(
            owners.map { name, owner in
                Record("Nodes", name, ["owner": owner.map { Reference($0, .deleteSelf) }])
            })
    }
}
