import Cabinet
import CabinetTesting
import Foundation

extension ConformanceRule {
    /// The rules about change tags.
    static let changeTags: [ConformanceRule] = [
        ConformanceRule(
            .identity, "a tag belongs to one user's database",
            law:
                "A record fetched from one user's private database is not saved over a record of the same name in another's.",
            source: .cloudKit("CKRecord.h, recordChangeTag")
        ) { world in
            // The clock stands still, and the sequence numbers are equal.
            let anna = try world.privateDatabase()
            let ben = try world.container(account: Account(userRecordName: "_ben")).privateDatabase
            let hers = try await anna.save(Record("Items", "milk", ["number": 1]))
            let his = try await ben.save(Record("Items", "milk", ["number": 2]))
            try expect(
                hers.recordChangeTag != his.recordChangeTag, "Both have the tag \(hers.recordChangeTag ?? "nil").")
            try await expectError(.serverRecordChanged, about: .named("milk")) {
                try await ben.save(hers.with(["number": 3]))
            }
            let coded = try JSONDecoder().decode(Record.self, from: JSONEncoder().encode(hers.with(["number": 4])))
            try await expectError(.serverRecordChanged) { try await ben.save(coded) }
            try expect("His record", try await ben.fetch("milk"), equals: his)
        },
        ConformanceRule(
            .identity, "a tag belongs to one scope",
            law:
                "A record fetched from the private database is not saved over a record of the same name in the public one.",
            source: .cloudKit("CKRecord.h, recordChangeTag")
        ) { world in
            let container = try world.container()
            // The public database also stores the user record, whose number comes first.
            try await container.privateDatabase.save(Record("Items", "bread"))
            let own = try await container.privateDatabase.save(Record("Items", "milk", ["number": 1]))
            world.clock.advance()
            let shared = try await container.publicDatabase.save(Record("Items", "milk", ["number": 2]))
            try await expectError(.serverRecordChanged) {
                try await container.publicDatabase.save(own.with(["number": 3]))
            }
            try expect("The public record", try await container.publicDatabase.fetch("milk"), equals: shared)
        },
        ConformanceRule(
            .identity, "a tag stays the same wherever the record is read",
            law: "A record has one change tag, whether it was saved, fetched, found, or among the changes.",
            source: .cloudKit("CKRecord.h, recordChangeTag")
        ) { world in
            let database = try world.privateDatabase()
            let saved = try await database.save(Record("Items", "milk", ["number": 1]))
            let found = try await database.allRecords(matching: Query(recordType: "Items"))
            let changes = try await database.recordZoneChanges(inZoneWith: .default, since: nil)
            let changed = try changes.modificationResultsByID.values.map { try $0.get().record }
            let decoded = try JSONDecoder().decode(Record.self, from: JSONEncoder().encode(saved))
            let fields = try Record(systemFields: saved.encodeSystemFields())
            for record in [try await database.fetch("milk"), decoded, fields] + found + changed {
                try expect("The tag", record.recordChangeTag, equals: saved.recordChangeTag)
            }
            var next = fields
            next["number"] = 2
            try expect("The saved number", try await database.save(next)["number"], equals: 2)
        },
        ConformanceRule(
            .savePolicies, "a conflict with the user's own save says so",
            law:
                "If the same user saved the record since, the conflict's message says so, and recommends keeping the saved record.",
            source: .cabinet("save policies")
        ) { world in
            let database = try world.privateDatabase()
            let record = Record("Items", "milk", ["number": 1])
            try await database.save(record)
            try await expectError(
                .serverRecordChanged, naming: ["this user", "record = try await database.save(record)"]
            ) {
                try await database.save(record)
            }
            let fetched = try await database.fetch("milk")
            try await database.save(fetched.with(["number": 2]))
            try await expectError(
                .serverRecordChanged, naming: ["This user", "record = try await database.save(record)"]
            ) {
                try await database.save(fetched.with(["number": 3]))
            }
        },
    ]
}
