import Cabinet
import CabinetTesting
import Foundation

extension ConformanceRule {
    /// The metadata that the server keeps about a record.
    static let identity: [ConformanceRule] = [
        ConformanceRule(
            .identity, "every save makes a new change tag",
            law: "A record has a change tag after its first save, and a new one after every later save.",
            source: .cloudKit("CKRecord.h, recordChangeTag")
        ) { world in
            let database = try world.privateDatabase()
            var record = Record("Items", "milk", ["number": 1])
            try expect("The tag before the first save", record.recordChangeTag, equals: nil)
            var tags: Set<String> = []
            for number in 1...5 {
                record = try await database.save(record.with(["number": number]))
                let tag = try require(record.recordChangeTag, "The tag")
                try expect(tags.insert(tag).inserted, "The tag \(tag) was given twice.")
                let fetched = try await database.fetch("milk")
                try expect("The tag of the fetched record", fetched.recordChangeTag, equals: tag)
            }
        },
        ConformanceRule(
            .identity, "a save without a change makes a new change tag",
            law: "The tag changes on every save, even if no field was changed.",
            source: .cloudKit("CKRecord.h, recordChangeTag")
        ) { world in
            let database = try world.privateDatabase()
            let first = try await database.save(Record("Items", "milk", ["number": 1]))
            world.clock.advance()
            let second = try await database.save(first)
            try expect(
                first.recordChangeTag != second.recordChangeTag, "The tag stayed \(second.recordChangeTag ?? "nil").")
            try expect("The modification date", second.modificationDate, equals: world.clock.now())
        },
        ConformanceRule(
            .identity, "a save leaves other records' tags alone",
            law: "Saving or deleting a record changes the tag of no other record.",
            source: .cloudKit("CKRecord.h, recordChangeTag")
        ) { world in
            let database = try world.privateDatabase()
            let bystander = try await database.save(Record("Items", "bread"))
            let milk = try await database.save(Record("Items", "milk"))
            try await database.save(milk.with(["number": 2]))
            try await database.deleteRecord(withID: milk.recordID)
            try expect("The bystander", try await database.fetch("bread"), equals: bystander)
        },
        ConformanceRule(
            .identity, "dates are the server's",
            law: "The creation date is the clock's at the first save and stays; the modification date is that of the "
                + "last save.",
            source: .cloudKit("CKRecord.h, creationDate")
        ) { world in
            let database = try world.privateDatabase()
            let created = world.clock.now()
            var record = try await database.save(Record("Items", "milk", ["number": 1]))
            try expect("The creation date", record.creationDate, equals: created)
            try expect("The modification date", record.modificationDate, equals: created)
            let modified = world.clock.advance(by: 61.5)
            record = try await database.save(record.with(["number": 2]))
            for (place, record) in [("saved", record), ("fetched", try await database.fetch("milk"))] {
                try expect("The creation date of the \(place) record", record.creationDate, equals: created)
                try expect("The modification date of the \(place) record", record.modificationDate, equals: modified)
            }
        },
        ConformanceRule(
            .identity, "users are the server's",
            law: "The creator is the user of the first save and stays; the last modifier is the user of the last save.",
            source: .cloudKit("CKRecord.h, creatorUserRecordID")
        ) { world in
            let database = try world.privateDatabase()
            let record = try await database.save(Record("Items", "milk", ["number": 1]))
            try await database.save(record.with(["number": 2]))
            let fetched = try await database.fetch("milk")
            let user = RecordID.named(ConformanceWorld.account.userRecordName)
            try expect("The creator", fetched.creatorUserRecordID, equals: user)
            try expect("The last modifier", fetched.lastModifiedUserRecordID, equals: user)
        },
        ConformanceRule(
            .identity, "a save returns the record that a fetch returns",
            law: "A save returns the record as every later fetch does, until another save changes it.",
            source: .cloudKit("CKDatabase, save")
        ) { world in
            let database = try world.privateDatabase()
            var saved = try await database.save(Record("Items", "milk", ["name": "Milk", "number": 1, "tags": ["a"]]))
            try expect("The fetched record", try await database.fetch("milk"), equals: saved)
            saved = try await database.save(saved.with(["number": nil, "name": "Oat milk"]))
            try expect("The fetched record", try await database.fetch("milk"), equals: saved)
            try expect("The changed keys after a save", saved.changedKeys(), equals: [])
        },
        ConformanceRule(
            .identity, "a record ID is unique across types",
            law: "A record ID names one record in its database, across all types: saving it with another type is "
                + "refused.",
            source: .cloudKit("CKRecordID")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Items", "milk", ["number": 1]))
            let other = Record("Drinks", "milk", ["number": 2])
            try await expectError(.serverRecordChanged, about: .named("milk")) { try await database.save(other) }
            for policy in [RecordSavePolicy.changedKeys, .allKeys] {
                try await expectError(.invalidArguments, naming: ["Items", "Drinks"], about: other.recordID) {
                    try await database.save(other, savePolicy: policy)
                }
            }
            let record = try await database.fetch("milk")
            try expect("The type", record.recordType, equals: "Items")
            try expect("The number", record["number"], equals: 1)
            try expect("The records of the other type", try await database.names("Drinks"), equals: [])
        },
        ConformanceRule(
            .identity, "a deleted record's ID can be used again",
            law: "After a deletion the ID is free, and a new record, of any type, can have it.",
            source: .cloudKit("CKRecordID")
        ) { world in
            let database = try world.privateDatabase()
            let first = try await database.save(Record("Items", "milk", ["number": 1, "old": true]))
            try await database.deleteRecord(withID: first.recordID)
            world.clock.advance()
            let second = try await database.save(Record("Drinks", "milk", ["number": "two"]))
            try expect(first.recordChangeTag != second.recordChangeTag, "The new record has the old one's tag.")
            try expect("The creation date", second.creationDate, equals: world.clock.now())
            let fetched = try await database.fetch("milk")
            try expect("The type", fetched.recordType, equals: "Drinks")
            try expect("The keys", fetched.allKeys(), equals: ["number"])
            try expect("The records of the old type", try await database.names("Items"), equals: [])
        },
        ConformanceRule(
            .identity, "a parent can be set, changed and removed",
            law: "A record's parent is saved like a field: it is stored, and setting another or nil takes effect.",
            source: .cloudKit("CKRecord.h, parent")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([Record("Lists", "one"), Record("Lists", "two")])
            var record = Record("Items", "milk", ["number": 1])
            record.setParent(.named("one"))
            record = try await database.save(record)
            try expect("The parent", try await database.fetch("milk").parent, equals: Reference("one"))
            record = try await database.save(record.with(["number": 2]))
            try expect(
                "The parent after another change", try await database.fetch("milk").parent, equals: Reference("one"))
            record.setParent(.named("two"))
            record = try await database.save(record)
            try expect("The second parent", try await database.fetch("milk").parent, equals: Reference("two"))
            record.parent = nil
            record = try await database.save(record)
            try expect("The parent after its removal", try await database.fetch("milk").parent, equals: nil)
        },
        ConformanceRule(
            .identity, "encoded system fields can replace the record",
            law:
                "A record created from encoded system fields can be changed and saved, and the other fields keep their "
                + "values.",
            source: .cloudKit("CKRecord.h, encodeSystemFieldsWithCoder:")
        ) { world in
            let database = try world.privateDatabase()
            let saved = try await database.save(Record("Items", "milk", ["name": "Milk", "number": 1]))
            var restored = try Record(systemFields: saved.encodeSystemFields())
            try expect("The changed keys", restored.changedKeys(), equals: [])
            restored["number"] = 2
            let answer = try await database.save(restored)
            try expect("The name", answer["name"], equals: "Milk")
            try expect("The number", try await database.fetch("milk")["number"], equals: 2)
        },
    ]
}
