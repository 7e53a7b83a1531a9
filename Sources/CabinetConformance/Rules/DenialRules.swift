import Cabinet

extension ConformanceRule {
    /// `deny`, and parents: the record cannot be deleted while another record refers to it.
    static let denial: [ConformanceRule] = [
        ConformanceRule(
            .deleteRules, "deny refuses the deletion and names the referring record",
            law: "A record that a deny reference points to cannot be deleted; the error names the referring record "
                + "and its field.",
            source: .cabinet("Reference.Action.deny")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([
                Record("Customers", "customer 1"),
                Record("Orders", "order 7", ["customer": Reference("customer 1", .deny)]),
                Record("Orders", "order 8", ["customer": Reference("customer 1", .none)]),
            ])
            let customer = try await database.fetch("customer 1")
            try await expectError(.referenceViolation, naming: ["order 7", "customer"], about: .named("customer 1")) {
                try await database.deleteRecord(withID: .named("customer 1"))
            }
            try expect("The customer", try await database.fetch("customer 1"), equals: customer)
        },
        ConformanceRule(
            .deleteRules, "deny in a list refuses too",
            law: "An element of a list that has the action deny refuses the deletion of its target.",
            source: .cabinet("Reference.Action.deny")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([
                Record("Customers", "a"), Record("Customers", "b"),
                Record("Orders", "order", ["customers": [Reference("a", .none), Reference("b", .deny)]]),
            ])
            try await expectError(.referenceViolation, naming: ["order", "customers"]) {
                try await database.deleteRecord(withID: .named("b"))
            }
            try await database.deleteRecord(withID: .named("a"))
            try expect("The customers", try await database.names("Customers"), equals: ["b"])
        },
        ConformanceRule(
            .deleteRules, "deny ends with the reference",
            law: "Once the deny reference is deleted, changed or cleared, its old target can be deleted.",
            source: .cabinet("Reference.Action.deny")
        ) { world in
            let database = try world.privateDatabase()
            for ending in ["deleted", "moved", "cleared"] {
                try await database.saveAll([
                    Record("Customers", "customer 1"), Record("Customers", "ben \(ending)"),
                    Record("Orders", ending, ["customer": Reference("customer 1", .deny)]),
                ])
                var order = try await database.fetch(ending)
                switch ending {
                case "deleted": try await database.deleteRecord(withID: order.recordID)
                case "moved": order["customer"] = Reference("ben \(ending)", .deny)
                default: order["customer"] = nil
                }
                if ending != "deleted" { try await database.save(order) }
                try await database.deleteRecord(withID: .named("customer 1"))
                try expect("The customer", try await database.existing(["customer 1"]), equals: [])
            }
        },
        ConformanceRule(
            .deleteRules, "deny is lifted when the referring record is deleted in the same batch",
            law: "A record can be deleted with all records that deny it, in one batch, in any order.",
            source: .cabinet("Reference.Action.deny")
        ) { world in
            let database = try world.privateDatabase()
            for names in [["customer 1", "order"], ["order", "customer 1"]] {
                try await database.saveAll([
                    Record("Customers", "customer 1"),
                    Record("Orders", "order", ["customer": Reference("customer 1", .deny)]),
                ])
                try await database.deleteAll(names)
                try expect("The records", try await database.existing(["customer 1", "order"]), equals: [])
            }
        },
        ConformanceRule(
            .deleteRules, "deny is lifted when the referring record is deleted by cascade",
            law:
                "A record that denies the deletion of another and is deleted with it by a cascade does not prevent it.",
            source: .cabinet("Reference.Action.deny")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([
                Record("Customers", "customer 1"),
                Record("Orders", "order", ["customer": Reference("customer 1", .deleteSelf)]),
                Record(
                    "Lines", "line",
                    ["order": Reference("order", .deleteSelf), "customer": Reference("customer 1", .deny)]),
            ])
            try await database.deleteRecord(withID: .named("customer 1"))
            try expect("The records", try await database.existing(["customer 1", "order", "line"]), equals: [])
        },
        ConformanceRule(
            .deleteRules, "deny deep in a cascade refuses the whole deletion",
            law: "If a record that a cascade would delete is denied, the deletion of the root is refused and "
                + "nothing is deleted.",
            source: .cabinet("Reference.Action.deny")
        ) { world in
            let database = try world.privateDatabase()
            let saved = try await database.saveAll([
                Record("Nodes", "root"), Record("Nodes", "a", ["owner": Reference("root", .deleteSelf)]),
                Record("Nodes", "b", ["owner": Reference("a", .deleteSelf)]),
                Record("Nodes", "c", ["owner": Reference("root", .deleteSelf), "note": Reference("b", .nullify)]),
                Record("Nodes", "guard", ["kept": Reference("b", .deny)]),
            ])
            try await expectError(.referenceViolation, naming: ["guard", "kept"], about: .named("root")) {
                try await database.deleteRecord(withID: .named("root"))
            }
            for record in saved {
                try expect("A record", try await database.record(for: record.recordID), equals: record)
            }
        },
        ConformanceRule(
            .deleteRules, "a denied root does not affect another",
            law: "In a non-atomic batch the denied deletion fails, and an unrelated one "
                + "succeeds.",
            source: .cabinet("Reference.Action.deny")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([
                Record("Nodes", "denied"), Record("Nodes", "free"),
                Record("Nodes", "child of denied", ["owner": Reference("denied", .deleteSelf)]),
                Record("Nodes", "child of free", ["owner": Reference("free", .deleteSelf)]),
                Record("Nodes", "guard", ["kept": Reference("child of denied", .deny)]),
            ])
            let results = try await database.modifyRecords(
                saving: [], deleting: [.named("denied"), .named("free")], atomically: false
            ).deleteResults
            try await expectFailure(results[.named("denied")], .referenceViolation)
            try require(results[.named("free")], "The result").get()
            try expect("The nodes", try await database.names("Nodes"), equals: ["child of denied", "denied", "guard"])
        },
        ConformanceRule(
            .deleteRules, "a parent cannot be deleted without its children",
            law: "Deleting a record that others have as their parent fails with referenceViolation, unless "
                + "all are deleted together.",
            source: .cloudKit("CKRecord.h, parent")
        ) { world in
            let database = try world.privateDatabase()
            var child = Record("Items", "child")
            child.setParent(.named("parent"))
            try await database.saveAll([Record("Lists", "parent"), child])
            try await expectError(.referenceViolation, naming: ["child"], about: .named("parent")) {
                try await database.deleteRecord(withID: .named("parent"))
            }
            try expect("The records", try await database.existing(["parent", "child"]), equals: ["parent", "child"])
            try await database.deleteAll(["parent", "child"])
            try expect("The records", try await database.existing(["parent", "child"]), equals: [])
        },
        ConformanceRule(
            .deleteRules, "a parent that a child left can be deleted",
            law: "Once a record has another parent or none, its old parent can be deleted, also in the same batch.",
            source: .cloudKit("CKRecord.h, parent")
        ) { world in
            let database = try world.privateDatabase()
            var child = Record("Items", "child")
            child.setParent(.named("first"))
            child = try await database.saveAll([Record("Lists", "first"), Record("Lists", "second"), child])[2]
            child.setParent(.named("second"))
            child = try await database.save([child], deleting: [.named("first")])[0]
            child.parent = nil
            try await database.save(child)
            try await database.deleteRecord(withID: .named("second"))
            try expect("The lists", try await database.names("Lists"), equals: [])
        },
    ]
}
