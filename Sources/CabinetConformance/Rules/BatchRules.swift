import Cabinet

extension ConformanceRule {
    /// Atomic batches: all items succeed, or none changes anything.
    static let batches: [ConformanceRule] = [
        ConformanceRule(
            .batches, "a batch saves and deletes at once",
            law: "One request saves some records and deletes others, and returns a result for each of them.",
            source: .cloudKit("CKModifyRecordsOperation.h")
        ) { world in
            let database = try world.privateDatabase()
            let old = try await database.saveAll([Record("Items", "a", ["number": 1]), Record("Items", "b")])
            let (saves, deletes) = try await database.modifyRecords(
                saving: [old[0].with(["number": 2]), Record("Items", "c")], deleting: [.named("b")])
            try expect("The saved records", Set(saves.keys), equals: [.named("a"), .named("c")])
            try expect("The deleted records", Set(deletes.keys), equals: [.named("b")])
            try expect("The records", try await database.names(), equals: ["a", "c"])
            try expect("The number of a", try await database.fetch("a")["number"], equals: 2)
        },
        ConformanceRule(
            .batches, "one failure changes nothing in an atomic batch",
            law:
                "If one item of an atomic batch fails, none changes anything, and partialFailure has the error of each; the others have batchRequestFailed.",
            source: .cloudKit("CKModifyRecordsOperation.h, isAtomic")
        ) { world in
            let database = try world.privateDatabase()
            let old = try await database.saveAll([
                Record("Items", "changed", ["number": 1]), Record("Items", "deleted"), Record("Items", "taken"),
            ])
            let failures = try await database.failures(
                saving: [old[0].with(["number": 2]), Record("Items", "taken"), Record("Items", "new")],
                deleting: [.named("deleted")])
            try await expectFailure(failures[.named("taken")], .serverRecordChanged)
            try await expectFailure(failures[.named("changed")], .batchRequestFailed, naming: ["taken"])
            try await expectFailure(failures[.named("new")], .batchRequestFailed)
            try await expectFailure(failures[.named("deleted")], .batchRequestFailed)
            try expect("The records", try await database.names(), equals: ["changed", "deleted", "taken"])
            try expect("The record to be changed", try await database.fetch("changed"), equals: old[0])
        },
        ConformanceRule(
            .batches, "an atomic batch that fails throws",
            law:
                "A call that saves or deletes several records atomically throws partialFailure if one fails; a call with one record throws its error.",
            source: .cloudKit("CKDatabase, modifyRecords")
        ) { world in
            let database = try world.privateDatabase()
            let stale = try await database.save(Record("Items", "stale"))
            try await database.saveAll([
                stale.with(["number": 1]), Record("Lists", "kept"),
                Record("Items", "keeper", ["list": Reference("kept", .deny)]),
            ])
            let records = [stale.with(["number": 2]), Record("Items", "new")]
            let ids: [RecordID] = [.named("kept"), .named("keeper 2")]
            let calls: [(String, () async throws -> Void)] = [
                ("stale", { _ = try await database.modifyRecords(saving: records, deleting: []) }),
                ("stale", { _ = try await database.modifyRecords(saving: records, deleting: []) { _ in } }),
                (
                    "stale",
                    { _ = try await database.modifyRecords(saving: records, deleting: [], inZoneWith: .default) }
                ),
                ("stale", { try await database.save(records, deleting: [.named("keeper")]) }),
                ("stale", { try await database.save([records[0]]) }), ("kept", { try await database.delete(ids) }),
            ]
            for (failed, call) in calls {
                let error = try await expectError(.partialFailure, naming: [failed]) { try await call() }
                let causes = error.partialErrorsByItemID.filter { $1.code != .batchRequestFailed }
                try expect("The causes", causes.keys.map(\.recordName), equals: [failed])
            }
            try await expectError(.serverRecordChanged) { try await database.save(records[0]) }
            try await expectError(.serverRecordChanged) { try await database.save(records[0]) { _ in } }
            try await expectError(.referenceViolation) { try await database.deleteRecord(withID: ids[0]) }
            try expect("The items", try await database.names(), equals: ["keeper", "stale"])
            try expect("The number", try await database.fetch("stale")["number"], equals: 1)
            let saved = try await database.save([records[1], Record("Items", "other")], deleting: [.named("keeper")])
            try expect("The saved records", saved.map(\.recordID.recordName), equals: ["new", "other"])
            try await database.delete([.named("kept"), .named("nowhere"), .named("new")])
            try expect("The items", try await database.names(), equals: ["other", "stale"])
        },
        ConformanceRule(
            .batches, "every kind of failure fails an atomic batch",
            law:
                "A malformed record, an unknown record and a dangling reference fail an atomic batch as a conflict does.",
            source: .cloudKit("CKModifyRecordsOperation.h, isAtomic")
        ) { world in
            let database = try world.privateDatabase()
            let removed = try await database.save(Record("Items", "removed"))
            try await database.save(Record("Items", "typed", ["number": 1]))
            try await database.deleteRecord(withID: removed.recordID)
            let failing: [(record: Record, code: CabinetError.Code)] = [
                (Record("Items", "_bad"), .invalidArguments),
                (Record("Items", "bad", ["number": Double.nan]), .invalidArguments),
                (removed, .unknownItem), (Record("Items", "bad", ["number": "text"]), .invalidArguments),
                (Record("Items", "bad", ["list": Reference("nowhere", .deleteSelf)]), .referenceViolation),
                (Record("Users", "other"), .permissionFailure),
            ]
            for (failed, code) in failing {
                let failures = try await database.failures(saving: [Record("Items", "new"), failed])
                try await expectFailure(failures[failed.recordID], code)
                try await expectFailure(failures[.named("new")], .batchRequestFailed)
                try expect("The records", try await database.names(), equals: ["typed"])
            }
        },
        ConformanceRule(
            .batches, "a refused deletion fails an atomic batch",
            law: "If a deletion is denied, no record of the atomic batch is saved or deleted.",
            source: .cloudKit("CKModifyRecordsOperation.h, isAtomic")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([
                Record("Lists", "kept"), Record("Lists", "free"),
                Record("Items", "i", ["list": Reference("kept", .deny)]),
            ])
            let failures = try await database.failures(
                saving: [Record("Lists", "new")], deleting: [.named("kept"), .named("free")])
            try await expectFailure(failures[.named("kept")], .referenceViolation)
            try await expectFailure(failures[.named("free")], .batchRequestFailed)
            try await expectFailure(failures[.named("new")], .batchRequestFailed)
            try expect("The lists", try await database.names("Lists"), equals: ["free", "kept"])
        },
        ConformanceRule(
            .batches, "a batch names a record once",
            law: "A record that is saved twice, deleted twice, or saved and deleted in one batch fails the whole "
                + "request.",
            source: .cloudKit("CKErrorInvalidArguments, bad record graph")
        ) { world in
            let database = try world.privateDatabase()
            let record = try await database.save(Record("Items", "milk", ["number": 1]))
            for isAtomic in [true, false] {
                try await expectError(.invalidArguments, naming: ["twice"], about: record.recordID) {
                    try await database.modifyRecords(
                        saving: [record.with(["number": 2]), Record("Items", "other"), record.with(["number": 3])],
                        deleting: [],
                        atomically: isAtomic)
                }
                try await expectError(.invalidArguments, naming: ["twice"], about: record.recordID) {
                    try await database.modifyRecords(
                        saving: [], deleting: [record.recordID, record.recordID], atomically: isAtomic)
                }
                try await expectError(.invalidArguments, naming: ["saves and deletes"], about: record.recordID) {
                    try await database.modifyRecords(
                        saving: [record.with(["number": 4])], deleting: [record.recordID], atomically: isAtomic)
                }
            }
            try expect("The records", try await database.names(), equals: ["milk"])
            try expect("The record", try await database.fetch("milk"), equals: record)
        },
        ConformanceRule(
            .batches, "deleting a record that does not exist succeeds",
            law: "Deleting a record that does not exist succeeds, alone and in a batch, and changes nothing.",
            source: .cloudKit("CKDatabase, deleteRecord")
        ) { world in
            let database = try world.privateDatabase()
            let record = try await database.save(Record("Items", "milk"))
            let id = try await database.deleteRecord(withID: .named("unknown"))
            try expect("The answer", id, equals: .named("unknown"))
            try await database.deleteAll(["unknown", "milk"])
            try await database.deleteRecord(withID: record.recordID)
            try expect("The records", try await database.names(), equals: [])
        },
        ConformanceRule(
            .batches, "an empty batch succeeds",
            law: "A request without items succeeds with no results.",
            source: .cloudKit("CKModifyRecordsOperation.h")
        ) { world in
            let database = try world.privateDatabase()
            let (saves, deletes) = try await database.modifyRecords(saving: [], deleting: [])
            try expect("The results", saves.count + deletes.count, equals: 0)
            try expect("The fetched records", try await database.records(for: []).count, equals: 0)
        },
        ConformanceRule(
            .batches, "a batch of a thousand records is one batch",
            law: "Without limits a batch may have any number of records, and all of them are saved.",
            source: .cabinet("Batch limits")
        ) { world in
            let database = try world.privateDatabase()
            let records = (0..<1000).map { (number: Int) in
                Record("Items", "item \(number)", ["number": number, "name": "Item \(number)"])
            }
            let saved = try await database.saveAll(records)
            try expect("The number of tags", Set(saved.map(\.recordChangeTag)).count, equals: 1000)
            let fetched = try await database.records(for: records.map(\.recordID))
            for record in saved {
                try expect("The fetched record", try require(fetched[record.recordID], "It").get(), equals: record)
            }
        },
        ConformanceRule(
            .batches, "a fetch returns a result for every ID",
            law: "A fetch of several IDs has one result for each, a record or unknownItem.",
            source: .cloudKit("CKFetchRecordsOperation.h")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([Record("Items", "a", ["number": 1]), Record("Lists", "b", ["number": 2])])
            let results = try await database.records(for: ["b", "nowhere", "a", "b", ""].map { .named($0) })
            try expect("The number of results", results.count, equals: 4)
            for (name, number) in [("a", 1), ("b", 2)] {
                let record = try require(results[.named(name)], "The result of \(name)").get()
                try expect("The ID", record.recordID, equals: .named(name))
                try expect("The number", record["number"], equals: number)
            }
            try await expectFailure(results[.named("nowhere")], .unknownItem)
            try await expectFailure(results[.named("")], .invalidArguments)
        },
    ]

    /// Batches in which each item succeeds or fails by itself, except for dependencies among the items.
    static let nonAtomicBatches: [ConformanceRule] = [
        ConformanceRule(
            .batches, "a non-atomic batch applies every item that can succeed",
            law: "In a non-atomic batch each item has its own result, and those that succeed take effect.",
            source: .cloudKit("CKModifyRecordsOperation.h, isAtomic")
        ) { world in
            let database = try world.privateDatabase()
            let old = try await database.saveAll([
                Record("Items", "changed", ["number": 1]), Record("Items", "taken"), Record("Items", "deleted"),
                Record("Lists", "kept"), Record("Items", "keeper", ["list": Reference("kept", .deny)]),
            ])
            let (saves, deletes) = try await database.modifyRecords(
                saving: [
                    old[0].with(["number": 2]), Record("Items", "taken"), Record("Items", "_bad"),
                    Record("Items", "new"),
                ],
                deleting: [.named("deleted"), .named("kept"), .named("nowhere")], atomically: false)
            try expect(
                "The saved number", try require(saves[.named("changed")], "The result").get()["number"], equals: 2)
            try await expectFailure(saves[.named("taken")], .serverRecordChanged)
            try await expectFailure(saves[.named("_bad")], .invalidArguments)
            try require(deletes[.named("deleted")], "The result").get()
            try require(deletes[.named("nowhere")], "The result").get()
            try await expectFailure(deletes[.named("kept")], .referenceViolation)
            try expect("The items", try await database.names(), equals: ["changed", "keeper", "new", "taken"])
            try expect("The lists", try await database.names("Lists"), equals: ["kept"])
        },
        ConformanceRule(
            .batches, "items that depend on a failed record fail with it",
            law: "In a non-atomic batch a record that refers to one that could not be created fails with "
                + "referenceViolation.",
            source: .cabinet("Dangling references")
        ) { world in
            let database = try world.privateDatabase()
            var child = Record("Items", "child")
            child.setParent(.named("grandchild"))
            let saves = try await database.modifyRecords(
                saving: [
                    child,
                    Record("Items", "grandchild", ["owner": Reference("dependent", .nullify)]),
                    Record("Items", "dependent", ["list": Reference("bad", .deleteSelf)]),
                    Record("Items", "loose", ["list": Reference("bad", .none)]),
                    Record("Lists", "bad", ["value": Double.nan]), Record("Lists", "good"),
                ], deleting: [], atomically: false
            ).saveResults
            try await expectFailure(saves[.named("bad")], .invalidArguments)
            for name in ["dependent", "grandchild", "child"] {
                try await expectFailure(saves[.named(name)], .referenceViolation)
            }
            try expect("The items", try await database.names(), equals: ["loose"])
            try expect("The lists", try await database.names("Lists"), equals: ["good"])
        },
        ConformanceRule(
            .batches, "a record may refer to one whose deletion is denied",
            law: "In a non-atomic batch a record that refers to one that the batch cannot delete is saved.",
            source: .cabinet("delete rules")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([
                Record("Lists", "kept"), Record("Items", "keeper", ["list": Reference("kept", .deny)]),
            ])
            let (saves, deletes) = try await database.modifyRecords(
                saving: [Record("Items", "new", ["list": Reference("kept", .deleteSelf)])], deleting: [.named("kept")],
                atomically: false)
            try await expectFailure(deletes[.named("kept")], .referenceViolation, naming: ["keeper"])
            _ = try require(saves[.named("new")], "The result").get()
            try expect("The items", try await database.names(), equals: ["keeper", "new"])
        },
        ConformanceRule(
            .batches, "a save that denies a deletion of the same batch stands",
            law:
                "In a non-atomic batch deletions are judged by the state with all saves: one that a saved record denies fails, and the "
                + "save succeeds.",
            source: .cabinet("delete rules")
        ) { world in
            let database = try world.privateDatabase()
            let old = try await database.saveAll([
                Record("Lists", "list"), Record("Lists", "other"), Record("Lists", "parent"),
                Record("Items", "edited", ["list": Reference("list", .deny), "number": 1]), Record("Items", "moved"),
            ])
            var child = Record("Items", "child")
            child.setParent(.named("parent"))
            let (saves, deletes) = try await database.modifyRecords(
                saving: [old[3].with(["number": 2]), old[4].with(["list": Reference("other", .deny)]), child],
                deleting: [.named("list"), .named("other"), .named("parent")], atomically: false)
            for (name, save) in [("list", "edited"), ("other", "moved"), ("parent", "child")] {
                try await expectFailure(deletes[.named(name)], .referenceViolation, naming: [save])
                _ = try require(saves[.named(save)], "The result of \(save)").get()
            }
            try expect("The number", try await database.fetch("edited")["number"], equals: 2)
            try expect("The lists", try await database.names("Lists"), equals: ["list", "other", "parent"])
        },
        ConformanceRule(
            .batches, "a saved record that the same deletion removes denies nothing",
            law:
                "In a non-atomic batch a deletion is not denied by a saved record that its cascade deletes; that save fails.",
            source: .cabinet("delete rules")
        ) { world in
            let database = try world.privateDatabase()
            let saved = try await database.saveAll([
                Record("Nodes", "root"), Record("Nodes", "kept", ["owner": Reference("root", .deleteSelf)]),
                Record(
                    "Nodes", "guard",
                    ["owner": Reference("root", .deleteSelf), "kept": Reference("kept", .deny), "number": 1]),
            ])
            let new = Record(
                "Nodes", "new", ["owner": Reference("root", .deleteSelf), "kept": Reference("kept", .deny)])
            let (saves, deletes) = try await database.modifyRecords(
                saving: [saved[2].with(["number": 2]), new], deleting: [.named("root")], atomically: false)
            try require(deletes[.named("root")], "The result of the deletion").get()
            for name in ["guard", "new"] { try await expectFailure(saves[.named(name)], .referenceViolation) }
            try expect("The nodes", try await database.names("Nodes"), equals: [])
        },
        ConformanceRule(
            .batches, "items that depend on a deleted record fail with it",
            law:
                "In a non-atomic batch a record that cannot be saved is deleted with the record that owns it, and records "
                + "that refer to it fail with referenceViolation.",
            source: .cabinet("delete rules")
        ) { world in
            let database = try world.privateDatabase()
            let saved = try await database.saveAll([
                Record("Nodes", "top"), Record("Nodes", "a", ["owner": Reference("top", .deleteSelf)]),
                Record("Nodes", "b", ["owner": Reference("a", .deleteSelf)]),
                Record("Nodes", "c", ["owner": Reference("b", .deleteSelf)]), Record("Nodes", "free"),
            ])
            let saves = try await database.modifyRecords(
                saving: saved.dropFirst().map { $0.with(["number": 1]) }, deleting: [.named("top")], atomically: false
            ).saveResults
            for name in ["a", "b", "c"] { try await expectFailure(saves[.named(name)], .referenceViolation) }
            _ = try require(saves[.named("free")], "The result").get()
            try expect("The nodes", try await database.names("Nodes"), equals: ["free"])
        },
        ConformanceRule(
            .batches, "a deletion that depends on a failed one fails with it",
            law: "In a non-atomic batch a record that denies a deletion and cannot be deleted itself prevents the "
                + "deletion.",
            source: .cabinet("delete rules")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([
                Record("Lists", "bottom"), Record("Lists", "middle", ["below": Reference("bottom", .deny)]),
                Record("Lists", "top", ["below": Reference("middle", .deny)]), Record("Lists", "free"),
            ])
            let deletes = try await database.modifyRecords(
                saving: [], deleting: [.named("bottom"), .named("middle"), .named("free")], atomically: false
            ).deleteResults
            try await expectFailure(deletes[.named("middle")], .referenceViolation, naming: ["top"])
            try await expectFailure(deletes[.named("bottom")], .referenceViolation, naming: ["middle"])
            try require(deletes[.named("free")], "The result").get()
            try expect("The lists", try await database.names("Lists"), equals: ["bottom", "middle", "top"])
        },
    ]
}
