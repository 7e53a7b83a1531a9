import Cabinet

extension ConformanceRule {
    /// The targets that references may have.
    static let references: [ConformanceRule] = [
        ConformanceRule(
            .references, "a reference with a rule needs its target",
            law: "A deleteSelf, nullify or deny reference to a record that does not exist is a referenceViolation.",
            source: .cabinet("Dangling references")
        ) { world in
            let database = try world.privateDatabase()
            for action in [Reference.Action.deleteSelf, .nullify, .deny] {
                try await expectError(.referenceViolation, naming: ["nowhere"], about: .named("milk"), in: "list") {
                    try await database.save(Record("Items", "milk", ["list": Reference("nowhere", action)]))
                }
                try await expectError(.referenceViolation, naming: ["nowhere"], about: .named("milk"), in: "lists") {
                    try await database.save(
                        Record(
                            "Items", "milk", ["lists": [Reference("anywhere", .none), Reference("nowhere", action)]]))
                }
            }
            try expect("The items", try await database.names(), equals: [])
        },
        ConformanceRule(
            .references, "a parent must exist",
            law: "A parent that does not exist is a referenceViolation.",
            source: .cloudKit("CKErrorReferenceViolation")
        ) { world in
            let database = try world.privateDatabase()
            var item = Record("Items", "milk")
            item.setParent(.named("nowhere"))
            let orphan = item
            try await expectError(.referenceViolation, naming: ["nowhere"], about: .named("milk"), in: "parent") {
                try await database.save(orphan)
            }
            try expect("The items", try await database.names(), equals: [])
        },
        ConformanceRule(
            .references, "a reference without a rule may dangle",
            law: "A reference with the action none may point to a record that does not exist.",
            source: .cloudKit("CKReference.h, CKReferenceActionNone")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(
                Record(
                    "Items", "milk",
                    ["list": Reference("nowhere"), "lists": [Reference("nowhere"), Reference("anywhere")]]))
            let item = try await database.fetch("milk")
            try expect("The reference", item["list"], equals: Reference("nowhere"))
            try expect("The list", item["lists"], equals: [Reference("nowhere"), Reference("anywhere")])
        },
        ConformanceRule(
            .references, "a parent has no rule",
            law: "A parent reference whose action is not none is refused with invalidArguments.",
            source: .cloudKit("CKRecord.h, parent")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Lists", "list"))
            for action in [Reference.Action.deleteSelf, .nullify, .deny] {
                var item = Record("Items", "milk")
                item.parent = Reference("list", action)
                let child = item
                try await expectError(.invalidArguments, naming: ["\(action)"], about: .named("milk"), in: "parent") {
                    try await database.save(child)
                }
            }
        },
        ConformanceRule(
            .references, "a reference stays in its zone",
            law: "A reference, or a parent, in another zone than the record's is refused, for every action.",
            source: .cloudKit("CKReference.h")
        ) { world in
            let database = try world.privateDatabase()
            let elsewhere = RecordID(recordName: "list", zoneID: RecordZone.ID(zoneName: "Elsewhere"))
            for action in Reference.Action.allCases {
                let reference = Reference(recordID: elsewhere, action: action)
                try await expectError(.invalidArguments, naming: ["Elsewhere"], about: .named("milk"), in: "list") {
                    try await database.save(Record("Items", "milk", ["list": reference]))
                }
                try await expectError(.invalidArguments, naming: ["Elsewhere"], in: "lists") {
                    try await database.save(Record("Items", "milk", ["lists": [reference]]))
                }
            }
            var item = Record("Items", "milk")
            item.setParent(elsewhere)
            let child = item
            try await expectError(.invalidArguments, naming: ["Elsewhere"], in: "parent") {
                try await database.save(child)
            }
        },
        ConformanceRule(
            .references, "a reference names a record that can exist",
            law: "A reference to a malformed record name is refused.",
            source: .cloudKit("CKRecordID")
        ) { world in
            let database = try world.privateDatabase()
            for name in ["", "caf\u{E9}", String(repeating: "n", count: 256)] {
                try await expectError(.invalidArguments, about: .named("milk"), in: "list") {
                    try await database.save(Record("Items", "milk", ["list": Reference(name)]))
                }
            }
        },
        ConformanceRule(
            .references, "a record that keeps its dangling reference can be saved",
            law: "Only references that a save adds must have a target; existing dangling references do not prevent it.",
            source: .cabinet("Dangling references")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Lists", "list"))
            var item = try await database.save(
                Record("Items", "milk", ["list": Reference("list", .deleteSelf), "other": Reference("nowhere", .none)]))
            item["name"] = "Milk"
            item = try await database.save(item)
            item["other"] = Reference("nowhere", .deny)
            let changed = item
            try await expectError(.referenceViolation, in: "other") { try await database.save(changed) }
        },
    ]

    /// References among records of one batch.
    static let referencesInBatches: [ConformanceRule] = [
        ConformanceRule(
            .references, "the order within a batch does not matter",
            law: "A record may refer to, or have as its parent, any record that the same batch saves, before it or "
                + "after it.",
            source: .cabinet("Dangling references")
        ) { world in
            let database = try world.privateDatabase()
            for (index, isReversed) in [false, true].enumerated() {
                var child = Record("Items", "child \(index)")
                child.setParent(.named("list \(index)"))
                let records = [
                    Record("Lists", "list \(index)"),
                    Record("Items", "item \(index)", ["list": Reference("list \(index)", .deleteSelf)]),
                    Record("Items", "note \(index)", ["item": Reference("item \(index)", .deny)]), child,
                ]
                try await database.saveAll(isReversed ? records.reversed() : records)
            }
            try expect("The number of items", try await database.names().count, equals: 6)
        },
        ConformanceRule(
            .references, "records of a batch may refer to each other",
            law: "Two new records that refer to each other with rules can be saved together.",
            source: .cloudKit("CKReference.h, reference cycles")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([
                Record("Items", "a", ["other": Reference("b", .deny)]),
                Record("Items", "b", ["other": Reference("a", .deny)]),
            ])
            try await expectError(.referenceViolation) { try await database.deleteRecord(withID: .named("a")) }
            try await database.deleteAll(["a", "b"])
        },
        ConformanceRule(
            .references, "a record that the same batch moves away is not deleted",
            law: "A record that the batch saves with another reference is not deleted with its old target.",
            source: .cabinet("delete rules")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([Record("Lists", "old"), Record("Lists", "new")])
            let owned = Reference("old", .deleteSelf)
            let items = try await database.saveAll([
                Record("Items", "moved", ["list": owned]), Record("Items", "freed", ["list": owned]),
                Record("Items", "left behind", ["list": owned]),
            ])
            try await database.save(
                [items[0].with(["list": Reference("new", .deleteSelf)]), items[1].with(["list": nil])],
                deleting: [.named("old")])
            try expect("The items", try await database.names(), equals: ["freed", "moved"])
            try expect(
                "The moved item's list", try await database.fetch("moved")["list"],
                equals: Reference("new", .deleteSelf))
        },
        ConformanceRule(
            .references, "a record cannot be saved with a reference to a deleted one",
            law: "A saved record whose reference, with a rule, points to one that the same batch deletes is a "
                + "referenceViolation.",
            source: .cabinet("Dangling references")
        ) { world in
            let database = try world.privateDatabase()
            for action in [Reference.Action.deleteSelf, .nullify, .deny] {
                try await database.save(Record("Lists", "list"))
                let item = try await database.save(Record("Items", "old", ["list": Reference("list", action)]))
                let new = Record("Items", "new", ["list": Reference("list", action)])
                for saved in [new, item.with(["name": "Milk"])] {
                    let failures = try await database.failures(saving: [saved], deleting: [.named("list")])
                    try await expectFailure(failures[saved.recordID], .referenceViolation, naming: ["list"])
                    // The old item denies the deletion by itself if it is not saved.
                    let isDenied = action == .deny && saved.recordID == new.recordID
                    try await expectFailure(
                        failures[.named("list")], isDenied ? .referenceViolation : .batchRequestFailed)
                }
                try expect(
                    "The records", try await database.existing(["list", "old", "new"]), equals: ["list", "old"])
                try await database.deleteAll(["old", "list"])
            }
        },
        ConformanceRule(
            .references, "a record cannot be saved with a reference to one deleted by cascade",
            law: "A saved record whose reference, with a rule, points to one that a cascade deletes is a "
                + "referenceViolation.",
            source: .cabinet("Dangling references")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([
                Record("Lists", "list"), Record("Items", "item", ["list": Reference("list", .deleteSelf)]),
            ])
            let failures = try await database.failures(
                saving: [Record("Notes", "note", ["item": Reference("item", .nullify)])], deleting: [.named("list")])
            try await expectFailure(failures[.named("note")], .referenceViolation)
            try expect("The records", try await database.existing(["list", "item", "note"]), equals: ["list", "item"])
        },
        ConformanceRule(
            .references, "a reference without a rule may point to a deleted record",
            law: "A saved record whose reference has the action none may point to a record that the same batch "
                + "deletes.",
            source: .cloudKit("CKReference.h, CKReferenceActionNone")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Lists", "list"))
            try await database.save(
                [Record("Items", "milk", ["list": Reference("list", .none)])], deleting: [.named("list")])
            try expect("The reference", try await database.fetch("milk")["list"], equals: Reference("list"))
        },
        ConformanceRule(
            .references, "concurrent saves and deletions leave nothing dangling",
            law:
                "A save that refers to a record and a concurrent deletion of that record have the result of running one "
                + "after the other.",
            source: .cabinet("Consistency")
        ) { world in
            let database = try world.privateDatabase()
            for round in 0..<10 {
                try await database.save(Record("Lists", "list \(round)"))
                async let saving: Record? = try? database.save(
                    Record("Items", "item \(round)", ["list": Reference("list \(round)", .deleteSelf)]))
                async let deleting: RecordID? = try? database.deleteRecord(withID: .named("list \(round)"))
                _ = await (saving, deleting)
                let existing = try await database.existing(["list \(round)", "item \(round)"])
                try expect("The records after round \(round)", existing, equals: [])
            }
        },
    ]
}
