import Cabinet
import Foundation

extension ConformanceRule {
    /// The size limits of requests.
    static let limits: [ConformanceRule] = [
        ConformanceRule(
            .limits, "under CloudKit's limits a request has at most 400 items",
            law:
                "With Limits.cloudKit, 400 items can be saved, deleted or fetched at once; 401 items fail with limitExceeded.",
            source: .cloudKit("CKErrorLimitExceeded")
        ) { world in
            let database = try world.container(limits: .cloudKit).privateDatabase
            let records = (0..<401).map { Record("Items", "item \($0)") }
            let ids = records.map(\.recordID)
            try await expectError(.limitExceeded, naming: ["401", "400"]) { try await database.saveAll(records) }
            try await database.saveAll(Array(records.dropLast()))
            try expect(
                "The number of records", try await database.records(for: Array(ids.dropLast())).count, equals: 400)
            try await expectError(.limitExceeded) { try await database.records(for: ids) }
            try await expectError(.limitExceeded) { try await database.modifyRecords(saving: [], deleting: ids) }
            try await expectError(.limitExceeded) {
                try await database.modifyRecords(saving: Array(records.prefix(200)), deleting: Array(ids.suffix(201)))
            }
            try await database.deleteAll(ids.dropLast().map(\.recordName))
            try expect("The records", try await database.names(), equals: [])
        },
        ConformanceRule(
            .limits, "under CloudKit's limits a record has at most a megabyte",
            law: "With Limits.cloudKit, a record whose fields take more than 1 MB fails with limitExceeded.",
            source: .cloudKit("Web Services, property metrics")
        ) { world in
            let database = try world.container(limits: .cloudKit).privateDatabase
            try await database.save(Record("Items", "large", ["text": String(repeating: "x", count: 900_000)]))
            let values: [any RecordValue] = [
                String(repeating: "x", count: 1_000_001), Data(count: 1_000_001), Array(repeating: 1, count: 125_001),
                Array(repeating: String(repeating: "\u{20AC}", count: 1000), count: 334),
            ]
            for (index, value) in values.enumerated() {
                try await expectError(.limitExceeded, about: .named("larger")) {
                    try await database.save(Record("Items", "larger", ["value\(index)": value]))
                }
            }
            try expect("The records", try await database.names(), equals: ["large"])
        },
        ConformanceRule(
            .limits, "under CloudKit's limits a record owns at most 750 others",
            law: "With Limits.cloudKit, the 751st deleteSelf reference to one record fails with limitExceeded.",
            source: .cloudKit("Web Services, property metrics")
        ) { world in
            let database = try world.container(limits: .cloudKit).privateDatabase
            func items(_ range: Range<Int>) -> [Record] {
                range.map { Record("Items", "item \($0)", ["list": Reference("list", .deleteSelf)]) }
            }
            try await database.saveAll([Record("Lists", "list"), Record("Lists", "other")])
            try await database.saveAll(items(0..<400))
            try await database.saveAll(items(400..<750))
            try await expectError(.limitExceeded, naming: ["750"], about: .named("item 750")) {
                try await database.save(items(750..<751)[0])
            }
            try await database.save(try await database.fetch("item 0").with(["name": "Milk"]))
            try await database.save(Record("Items", "loose", ["list": Reference("list", .none)]))
            try await database.save(Record("Items", "elsewhere", ["list": Reference("other", .deleteSelf)]))
            try await database.deleteRecord(withID: .named("item 0"))
            try await database.saveAll(items(750..<751))
        },
        ConformanceRule(
            .limits, "owned records are counted as the batch leaves them",
            law: "The limit of deleteSelf references to one record counts those of records that the batch saves again, "
                + "and not those of records that it deletes.",
            source: .cloudKit("Web Services, property metrics")
        ) { world in
            let database = try world.container(limits: Limits(ownedRecordsPerRecord: 2)).privateDatabase
            func item(_ name: String) -> Record { Record("Items", name, ["list": Reference("list", .deleteSelf)]) }
            let saved = try await database.saveAll([Record("Lists", "list"), item("a"), item("b")])
            let failures = try await database.failures(saving: [saved[1], saved[2], item("c")])
            try await expectFailure(failures[.named("c")], .limitExceeded)
            try await database.save([item("c")], deleting: [.named("a")])
            try expect("The items", try await database.names(), equals: ["b", "c"])
        },
        ConformanceRule(
            .limits, "a record that is too large adds no field",
            law: "In a non-atomic batch a record that exceeds the limits does not fix the type of a field.",
            source: .cloudKit("Web Services, property metrics")
        ) { world in
            let database = try world.container(limits: Limits(bytesPerRecord: 100)).privateDatabase
            let saves = try await database.modifyRecords(
                saving: [
                    Record("Items", "large", ["value": String(repeating: "x", count: 101)]),
                    Record("Items", "small", ["value": 1]),
                ], deleting: [], atomically: false
            ).saveResults
            try await expectFailure(saves[.named("large")], .limitExceeded)
            _ = try require(saves[.named("small")], "The result").get()
            try expect("The value", try await database.fetch("small")["value"], equals: 1)
        },
        ConformanceRule(
            .limits, "by default there are no limits",
            law: "By default a request, a record and the records that one owns are as many and as large as memory "
                + "allows.",
            source: .cabinet("Batch limits")
        ) { world in
            let database = try world.privateDatabase()
            let records = (0..<1001).map { Record("Items", "item \($0)", ["list": Reference("list", .deleteSelf)]) }
            try await database.saveAll([Record("Lists", "list", ["data": Data(count: 2_000_000)])] + records)
            try expect(
                "The number of records", try await database.records(for: records.map(\.recordID)).count, equals: 1001)
            try expect("The data", (try await database.fetch("list")["data"] as? Data)?.count, equals: 2_000_000)
            try await database.deleteAll(records.map(\.recordID.recordName))
        },
    ]
}
