import Cabinet

extension ConformanceRule {
    /// The record that exists for every user.
    static let userRecords: [ConformanceRule] = [
        ConformanceRule(
            .accounts, "every user has a record in the private and the public database",
            law: "The user record exists from the beginning, without fields, and is fetched by its ID.",
            source: .cloudKit("CKContainer.h, fetchUserRecordID")
        ) { world in
            let container = try world.container()
            let id = try await container.userRecordID()
            for database in [container.privateDatabase, container.publicDatabase] {
                let record = try await database.record(for: id)
                try expect("The type", record.recordType, equals: "Users")
                try expect("The keys", record.allKeys(), equals: [])
                try expect("The creator", record.creatorUserRecordID, equals: id)
                try expect("The record when fetched again", try await database.record(for: id), equals: record)
            }
        },
        ConformanceRule(
            .accounts, "the user record can be changed",
            law: "A user sets fields of the user record; the record of the other database does not change.",
            source: .cloudKit("CKContainer.h, fetchUserRecordID")
        ) { world in
            let container = try world.container()
            let id = try await container.userRecordID()
            try await container.privateDatabase.update(id) { $0["nickname"] = "Ann" }
            try expect("The field", try await container.privateDatabase.record(for: id)["nickname"], equals: "Ann")
            let other = try await container.publicDatabase.record(for: id)
            try expect("The public record's keys", other.allKeys(), equals: [])
            try await container.publicDatabase.save(other.with(["nickname": "Anna"]))
            try expect("The field", try await container.privateDatabase.record(for: id)["nickname"], equals: "Ann")
        },
        ConformanceRule(
            .accounts, "the user record can be saved without being fetched",
            law: "The user record exists even if it was never fetched: saving it as new conflicts, and changedKeys "
                + "merges into it.",
            source: .cloudKit("CKContainer.h, fetchUserRecordID")
        ) { world in
            let database = try world.privateDatabase()
            let id = try await world.container().userRecordID()
            let record = Record(recordType: "Users", recordID: id).with(["nickname": "Ann"])
            try await expectError(.serverRecordChanged) { try await database.save(record) }
            let saved = try await database.save(record, savePolicy: .changedKeys)
            try expect("The field", saved["nickname"], equals: "Ann")
        },
        ConformanceRule(
            .accounts, "the user record can be referred to",
            law: "A reference with a rule may point to the user record, even if it was never fetched.",
            source: .cloudKit("CKContainer.h, fetchUserRecordID")
        ) { world in
            let container = try world.container()
            let id = try await container.userRecordID()
            for database in [container.privateDatabase, container.publicDatabase] {
                try await database.save(Record("Items", "milk", ["buyer": Reference(recordID: id, action: .nullify)]))
                try expect("The keys", try await database.fetch("milk").allKeys(), equals: ["buyer"])
            }
        },
        ConformanceRule(
            .accounts, "Users records are created by the container",
            law: "A program cannot create a record of the type Users, and cannot delete one.",
            source: .cloudKit("CKRecordTypeUserRecord")
        ) { world in
            let container = try world.container()
            let id = try await container.userRecordID()
            for database in [container.privateDatabase, container.publicDatabase] {
                try await expectError(.permissionFailure, about: .named("someone")) {
                    try await database.save(Record("Users", "someone"))
                }
                try await expectError(.permissionFailure, about: id) { try await database.deleteRecord(withID: id) }
                try expect("The type", try await database.record(for: id).recordType, equals: "Users")
                try await expectError(.permissionFailure) { try await database.deleteRecord(withID: id) }
            }
        },
        ConformanceRule(
            .accounts, "Users records cannot be queried",
            law: "A query or count of the type Users is refused.",
            source: .cloudKit("CKRecordTypeUserRecord")
        ) { world in
            let container = try world.container()
            for database in [container.privateDatabase, container.publicDatabase] {
                try await expectError(.invalidArguments, naming: ["Users"]) { try await database.names("Users") }
                try await expectError(.invalidArguments) {
                    try await database.count(matching: Query(recordType: "Users"))
                }
            }
        },
        ConformanceRule(
            .accounts, "another user's public record is read, not changed",
            law: "The public record of another user can be fetched once it exists, and neither changed nor deleted.",
            source: .cloudKit("roles, WRITE to _creator")
        ) { world in
            let anna = try world.container().publicDatabase
            let ben = try world.container(account: Account(userRecordName: "_ben")).publicDatabase
            let record = try await anna.fetch("_anna")
            try expect("The record as another user fetches it", try await ben.fetch("_anna"), equals: record)
            try await expectError(.permissionFailure) { try await ben.save(record.with(["nickname": "x"])) }
            try await expectError(.permissionFailure) { try await ben.deleteRecord(withID: record.recordID) }
            try expect("The record", try await anna.fetch("_anna"), equals: record)
        },
        ConformanceRule(
            .accounts, "the creator of a public record can be read",
            law:
                "A user that finds a public record can fetch the record of its creator, with or without an account, and "
                + "refer to it.",
            source: .cloudKit("CKContainer.h, fetchUserRecordID")
        ) { world in
            let anna = try world.container().publicDatabase
            let creator = try require(try await anna.save(Record("Items", "milk")).creatorUserRecordID, "The creator")
            let ben = try world.container(account: Account(userRecordName: "_ben")).publicDatabase
            try await ben.save(Record("Thanks", "thanks", ["to": Reference(recordID: creator, action: .nullify)]))
            let anonymous = try world.container(account: nil).publicDatabase
            for database in [anna, ben, anonymous] {
                try expect("The type", try await database.record(for: creator).recordType, equals: "Users")
            }
        },
        ConformanceRule(
            .accounts, "a cascade does not delete the user record",
            law: "The user record is never deleted, not even as the owned record of a deleted one.",
            source: .cloudKit("CKRecordTypeUserRecord")
        ) { world in
            let database = try world.privateDatabase()
            let id = try await world.container().userRecordID()
            try await database.save(Record("Teams", "team"))
            let user = try await database.record(for: id).with([
                "nickname": "Ann", "team": Reference("team", .deleteSelf),
            ])
            do {
                try await database.save(user)
                try await database.deleteRecord(withID: .named("team"))
            } catch is CabinetError {
                // Refusing such a reference, or the deletion, obeys the law too.
            }
            let nickname: String? = try await database.record(for: id)["nickname"]
            let existing = try await database.existing(["team"])
            try expect(nickname == "Ann" || !existing.isEmpty, "The user record was deleted with another.")
        },
    ]
}
