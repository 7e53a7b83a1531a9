import Cabinet
import CabinetTesting

extension ConformanceRule {
    /// The versions that each policy compares, and the fields that it sends.
    static let savePolicies: [ConformanceRule] = [
        ConformanceRule(
            .savePolicies, "a new record is created under every policy",
            law: "A record that does not exist on the server is created under every policy.",
            source: .cloudKit("CKModifyRecordsOperation.h")
        ) { world in
            let database = try world.privateDatabase()
            for policy in RecordSavePolicy.allCases {
                let record = Record("Items", "item \(policy)", ["number": 1])
                let saved = try await database.save(record, savePolicy: policy)
                try expect("The number under \(policy)", saved["number"], equals: 1)
                try expect("The fetched record", try await database.fetch("item \(policy)"), equals: saved)
            }
        },
        ConformanceRule(
            .savePolicies, "a new record over an existing ID conflicts",
            law: "Under the default policy a record without a tag must be new, or serverRecordChanged.",
            source: .cloudKit("CKModifyRecordsOperation.h, CKRecordSaveIfServerRecordUnchanged")
        ) { world in
            let database = try world.privateDatabase()
            let first = try await database.save(Record("Items", "milk", ["number": 1]))
            let error = try await expectError(.serverRecordChanged, about: .named("milk")) {
                try await database.save(Record("Items", "milk", ["number": 2]))
            }
            try expect("The server's record", error.serverRecord, equals: first)
            try expect("The ancestor", error.ancestorRecord, equals: nil)
            try expect("The record", try await database.fetch("milk"), equals: first)
        },
        ConformanceRule(
            .savePolicies, "the other policies merge a new record into an existing one",
            law: "Under changedKeys and allKeys a new record's fields are merged over those of the record that has its "
                + "ID.",
            source: .cloudKit("CKModifyRecordsOperation.h")
        ) { world in
            let database = try world.privateDatabase()
            for policy in [RecordSavePolicy.changedKeys, .allKeys] {
                let name = "item \(policy)"
                try await database.save(Record("Items", name, ["number": 1, "name": "old"]))
                try await database.save(Record("Items", name, ["number": 2, "note": "new"]), savePolicy: policy)
                let record = try await database.fetch(name)
                try expect("The number", record["number"], equals: 2)
                try expect("The name", record["name"], equals: "old")
                try expect("The note", record["note"], equals: "new")
            }
        },
        ConformanceRule(
            .savePolicies, "a stale tag conflicts under the default policy",
            law: "Under ifServerRecordUnchanged a save over another version than the fetched one fails and changes "
                + "nothing.",
            source: .cloudKit("CKModifyRecordsOperation.h, CKRecordSaveIfServerRecordUnchanged")
        ) { world in
            let (database, stale, current) = try await world.twoVersions()
            try await expectError(.serverRecordChanged, about: .named("milk")) {
                try await database.save(stale.with(["name": "Oat milk"]))
            }
            try expect("The record", try await database.fetch("milk"), equals: current)
        },
        ConformanceRule(
            .savePolicies, "changedKeys sends the changed fields",
            law:
                "Under changedKeys only the changed keys are written over the server's version, and no tag is compared.",
            source: .cloudKit("CKModifyRecordsOperation.h, CKRecordSaveChangedKeys")
        ) { world in
            let (database, stale, _) = try await world.twoVersions()
            try await database.save(stale.with(["name": "Oat milk"]), savePolicy: .changedKeys)
            let record = try await database.fetch("milk")
            try expect("The name, which was changed", record["name"], equals: "Oat milk")
            try expect("The number, which another client changed", record["number"], equals: 2)
            try expect("The note, which only the server has", record["note"], equals: "server")
        },
        ConformanceRule(
            .savePolicies, "allKeys sends all fields of the client",
            law:
                "Under allKeys all keys of the client are written over the server's version; keys that only the server "
                + "has stay.",
            source: .cloudKit("CKModifyRecordsOperation.h, CKRecordSaveAllKeys")
        ) { world in
            let (database, stale, _) = try await world.twoVersions()
            try await database.save(stale.with(["name": "Oat milk"]), savePolicy: .allKeys)
            let record = try await database.fetch("milk")
            try expect("The name, which was changed", record["name"], equals: "Oat milk")
            try expect("The number, which the client had", record["number"], equals: 1)
            try expect("The note, which only the server has", record["note"], equals: "server")
        },
        ConformanceRule(
            .savePolicies, "a parent that only the server has stays",
            law: "Every policy keeps a record's parent unless the client removed it; allKeys sends the one that the "
                + "client has.",
            source: .cloudKit("CKModifyRecordsOperation.h, CKRecordSaveAllKeys")
        ) { world in
            let database = try world.privateDatabase()
            var child = Record("Items", "child")
            child.setParent(.named("first"))
            child = try await database.saveAll([Record("Lists", "first"), Record("Lists", "second"), child])[2]
            let unaware = Record("Items", "child", ["number": 1])
            for policy in [RecordSavePolicy.changedKeys, .allKeys] {
                try expect(
                    "The parent after \(policy)", try await database.save(unaware, savePolicy: policy).parent?.recordID,
                    equals: .named("first"))
            }
            var moved = child
            moved.setParent(.named("second"))
            try await database.save(moved, savePolicy: .changedKeys)
            try await database.save(child.with(["number": 2]), savePolicy: .changedKeys)
            try expect("The parent", try await database.fetch("child").parent?.recordID, equals: .named("second"))
            try await database.save(child.with(["number": 3]), savePolicy: .allKeys)
            try expect("The parent", try await database.fetch("child").parent?.recordID, equals: .named("first"))
            child.parent = nil
            try await database.save(child, savePolicy: .allKeys)
            try expect("The parent", try await database.fetch("child").parent, equals: nil)
        },
        ConformanceRule(
            .savePolicies, "a number that equals the fetched one is not sent",
            law: "Setting 2 over a fetched 2.0, or 2.0 over 2, changes nothing: a later value of another client stays.",
            source: .cabinet("changedKeys")
        ) { world in
            let database = try world.privateDatabase()
            let stale = try await database.save(
                Record("Items", "milk", ["number": 2.0, "count": 2, "list": [1.0, 2.0]]))
            try await database.save(stale.with(["number": 3.5, "count": 4, "list": [0.5]]))
            let edited = stale.with(["number": 2, "count": 2.0, "list": [1, 2], "name": "Milk"])
            try await database.save(edited, savePolicy: .changedKeys)
            let record = try await database.fetch("milk")
            try expect("The number", record["number"], equals: 3.5)
            try expect("The count", record["count"], equals: 4)
            try expect("The list", record["list"], equals: [0.5])
            try expect("The name", record["name"], equals: "Milk")
        },
        ConformanceRule(
            .savePolicies, "nil in a record that was never fetched clears the field",
            law:
                "Under changedKeys and allKeys, a record that was never fetched removes the fields that were set to nil in it.",
            source: .cabinet("changedKeys")
        ) { world in
            let database = try world.privateDatabase()
            for policy in [RecordSavePolicy.changedKeys, .allKeys] {
                let name = "item \(policy)"
                try await database.save(Record("Items", name, ["number": 1, "name": "Milk", "note": "old"]))
                let unaware = Record("Items", name, ["name": nil, "note": "new", "unknown": nil])
                let answer = try await database.save(unaware, savePolicy: policy)
                try expect("The keys of the result", Set(answer.allKeys()), equals: ["number", "note"])
                try expect("The keys", Set(try await database.fetch(name).allKeys()), equals: ["number", "note"])
                let found = try await database.names(where: .compare("name", .equal, "Milk"))
                try expect("The records with the name", found, equals: [])
            }
        },
        ConformanceRule(
            .savePolicies, "saving nil clears the field under every policy",
            law: "A field whose value was removed loses its value on the server.",
            source: .cloudKit("CKRecord.h, setObject:forKey:")
        ) { world in
            let database = try world.privateDatabase()
            for policy in RecordSavePolicy.allCases {
                let name = "item \(policy)"
                let record = try await database.save(Record("Items", name, ["number": 1, "name": "Milk"]))
                let answer = try await database.save(record.with(["number": nil]), savePolicy: policy)
                try expect("The keys of the result", answer.allKeys(), equals: ["name"])
                try expect("The keys", try await database.fetch(name).allKeys(), equals: ["name"])
                let found = try await database.names(where: .compare("number", .equal, 1))
                try expect("The records with the number", found, equals: [])
            }
        },
        ConformanceRule(
            .savePolicies, "a deleted record is unknown, except to allKeys",
            law: "A record with a tag that was deleted is an unknownItem; allKeys creates it again.",
            source: .cloudKit("CKError.h, CKErrorUnknownItem")
        ) { world in
            let database = try world.privateDatabase()
            let record = try await database.save(Record("Items", "milk", ["number": 1, "name": "Milk"]))
            try await database.deleteRecord(withID: record.recordID)
            let changed = record.with(["number": 2])
            for policy in [RecordSavePolicy.ifServerRecordUnchanged, .changedKeys] {
                try await expectError(.unknownItem, about: .named("milk")) {
                    try await database.save(changed, savePolicy: policy)
                }
                try expect("The record", try await database.existing(["milk"]), equals: [])
            }
            world.clock.advance()
            try await database.save(changed, savePolicy: .allKeys)
            let revived = try await database.fetch("milk")
            try expect("The number", revived["number"], equals: 2)
            try expect("The name", revived["name"], equals: "Milk")
            try expect("The creation date", revived.creationDate, equals: world.clock.now())
        },
    ]

    /// The contents of a conflict, and its resolution.
    static let conflicts: [ConformanceRule] = [
        ConformanceRule(
            .savePolicies, "a conflict holds three records",
            law: "serverRecordChanged carries the client's record, the server's, and the one that the client had "
                + "fetched.",
            source: .cloudKit("CKError.h, CKRecordChangedErrorAncestorRecordKey")
        ) { world in
            let (database, stale, current) = try await world.twoVersions()
            let client = stale.with(["name": "Oat milk"])
            let error = try await expectError(.serverRecordChanged) { try await database.save(client) }
            try expect("The client's record", error.clientRecord, equals: client)
            try expect("The server's record", error.serverRecord, equals: current)
            try expect("The ancestor", error.ancestorRecord, equals: stale)
            try expect("The ancestor's changed keys", error.ancestorRecord?.changedKeys(), equals: [])
        },
        ConformanceRule(
            .savePolicies, "the merged server record can be saved",
            law: "The server's record of a conflict has the valid tag: merged and saved, it succeeds.",
            source: .cloudKit("CKError.h, CKRecordChangedErrorServerRecordKey")
        ) { world in
            let (database, stale, _) = try await world.twoVersions()
            let error = try await expectError(.serverRecordChanged) {
                try await database.save(stale.with(["name": "Oat milk"]))
            }
            var merged = try require(error.serverRecord, "The server's record")
            merged["name"] = error.clientRecord?["name"] as? String
            try await database.save(merged)
            let record = try await database.fetch("milk")
            try expect("The name", record["name"], equals: "Oat milk")
            try expect("The number", record["number"], equals: 2)
        },
        ConformanceRule(
            .savePolicies, "two devices cannot both save the same version",
            law: "Of several concurrent saves of one version exactly one succeeds; the others conflict.",
            source: .cloudKit("CKModifyRecordsOperation.h, CKRecordSaveIfServerRecordUnchanged")
        ) { world in
            let database = try world.privateDatabase()
            let record = try await database.save(Record("Items", "milk", ["number": 0]))
            let outcomes = await withTaskGroup(of: CabinetError.Code?.self) { group in
                for number in 1...10 {
                    group.addTask {
                        do {
                            try await database.save(record.with(["number": number]))
                            return nil
                        } catch {
                            return (error as? CabinetError)?.code ?? .internalError
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            try expect("The number of saves", outcomes.count { $0 == nil }, equals: 1)
            try expect("The number of conflicts", outcomes.count { $0 == .serverRecordChanged }, equals: 9)
        },
    ]

    /// Records that the client has fetched only partially.
    static let partialRecords: [ConformanceRule] = [
        ConformanceRule(
            .savePolicies, "saving some fields keeps the others",
            law: "A record fetched with desiredKeys and saved, under any policy, keeps the fields that were not "
                + "fetched.",
            source: .cloudKit("CKFetchRecordsOperation.h, desiredKeys")
        ) { world in
            let database = try world.privateDatabase()
            for policy in RecordSavePolicy.allCases {
                let name = "item \(policy)"
                try await database.save(Record("Items", name, ["name": "Milk", "number": 1, "note": "fresh"]))
                let part = try await database.record(name, desiredKeys: ["number"])
                try expect("The fetched keys", part.allKeys(), equals: ["number"])
                let answer = try await database.save(part.with(["number": 2]), savePolicy: policy)
                try expect("The answer's name", answer["name"], equals: "Milk")
                let record = try await database.fetch(name)
                try expect("The name", record["name"], equals: "Milk")
                try expect("The note", record["note"], equals: "fresh")
                try expect("The number", record["number"], equals: 2)
            }
        },
        ConformanceRule(
            .savePolicies, "a field that was not fetched can be set or removed",
            law: "In a record fetched with desiredKeys, setting or removing another field changes that field.",
            source: .cloudKit("CKFetchRecordsOperation.h, desiredKeys")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Items", "milk", ["name": "Milk", "number": 1, "note": "fresh"]))
            let part = try await database.record("milk", desiredKeys: [])
            try expect("The fetched keys", part.allKeys(), equals: [])
            let changed = part.with(["name": nil, "number": 1])
            try expect("The changed keys", Set(changed.changedKeys()), equals: ["name", "number"])
            try await database.save(changed)
            let record = try await database.fetch("milk")
            try expect("The keys", Set(record.allKeys()), equals: ["number", "note"])
        },
        ConformanceRule(
            .savePolicies, "a record that was fetched in part can be created again",
            law:
                "A deleted record that was fetched with desiredKeys and is saved again has the fields that were fetched or set, and is found "
                + "by every query.",
            source: .cabinet("desiredKeys")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Items", "partial", ["name": "Milk", "number": 1, "note": "fresh"]))
            let part = try await database.record("partial", desiredKeys: ["number"])
            try await database.deleteRecord(withID: part.recordID)
            let saved = try await database.save(part.with(["text": "x"]), savePolicy: .allKeys)
            let record = try await database.fetch("partial")
            for (what, record) in [("saved", saved), ("fetched", record)] {
                try expect("The keys of the \(what) record", Set(record.allKeys()), equals: ["number", "text"])
            }
            for filter in ["note == nil", "number == 1", "name == nil AND text == 'x'"] {
                try expect(
                    "The items where \(filter)", try await database.names(where: try Filter(filter)),
                    equals: ["partial"])
            }
            try await database.save(Record("Notes", "note", ["item": Reference("partial")]))
            for filter in ["item.note == nil", "item.number == 1 AND item.name == nil"] {
                let found = try await database.names("Notes", where: try Filter(filter))
                try expect("The notes where \(filter)", found, equals: ["note"])
            }
        },
        ConformanceRule(
            .savePolicies, "desiredKeys are exactly the fetched keys",
            law: "A fetch returns the desired keys that have a value and no others; nil means all, and an empty array "
                + "none.",
            source: .cloudKit("CKFetchRecordsOperation.h, desiredKeys")
        ) { world in
            let database = try world.privateDatabase()
            let saved = try await database.save(Record("Items", "milk", ["name": "Milk", "number": 1]))
            let cases: [(keys: [Record.FieldKey]?, expected: Set<String>)] = [
                (nil, ["name", "number"]), ([], []), (["name"], ["name"]), (["name", "missing"], ["name"]),
                (["number", "name"], ["name", "number"]),
            ]
            for (keys, expected) in cases {
                let record = try await database.record("milk", desiredKeys: keys)
                try expect("The keys of \(keys ?? ["all"])", Set(record.allKeys()), equals: expected)
                try expect("The tag", record.recordChangeTag, equals: saved.recordChangeTag)
                try expect("The changed keys", record.changedKeys(), equals: [])
            }
        },
        ConformanceRule(
            .savePolicies, "a key that is desired twice is fetched once",
            law: "Repeating a key in desiredKeys has no effect.",
            source: .cloudKit("CKFetchRecordsOperation.h, desiredKeys")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Items", "milk", ["name": "Milk", "number": 1]))
            let part = try await database.record("milk", desiredKeys: ["name", "name"])
            try expect("The keys", part.allKeys(), equals: ["name"])
            try await database.save(part.with(["name": nil]))
            try expect("The keys on the server", try await database.fetch("milk").allKeys(), equals: ["number"])
        },
    ]
}

extension ConformanceWorld {
    /// An outdated version of a record: another client has changed its number and added a note.
    fileprivate func twoVersions() async throws -> (database: Database, stale: Record, current: Record) {
        let database = try privateDatabase()
        let stale = try await database.save(Record("Items", "milk", ["name": "Milk", "number": 1]))
        clock.advance()
        let current = try await database.save(stale.with(["number": 2, "note": "server"]))
        return (database, stale, current)
    }
}

extension Database {
    /// Some fields of the record with a name.
    fileprivate func record(_ name: String, desiredKeys: [Record.FieldKey]?) async throws -> Record {
        let results = try await records(for: [.named(name)], desiredKeys: desiredKeys)
        return try require(results[.named(name)], "The record").get()
    }
}
