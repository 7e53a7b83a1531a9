import Cabinet

extension ConformanceRule {
    /// The three databases, and the permissions with and without an account.
    static let accounts: [ConformanceRule] = [
        ConformanceRule(
            .accounts, "the three databases are separate",
            law: "A record of one database is unknown in the others, and the same ID names another record there.",
            source: .cloudKit("CKDatabase, databaseScope")
        ) { world in
            let container = try world.container()
            let mine = container.privateDatabase
            let everyones = container.publicDatabase
            try await mine.save(Record("Items", "milk", ["number": 1]))
            try await expectError(.unknownItem) { try await everyones.fetch("milk") }
            try expect("The public records", try await everyones.names(), equals: [])
            try await everyones.save(Record("Items", "milk", ["number": 2]))
            try expect("The private number", try await mine.fetch("milk")["number"], equals: 1)
            try await everyones.deleteRecord(withID: .named("milk"))
            try expect("The private records", try await mine.names(), equals: ["milk"])
        },
        ConformanceRule(
            .accounts, "the shared database has no default zone",
            law: "Nothing can be fetched, saved or deleted in the shared database's default zone: zoneNotFound.",
            source: .cloudKit("CKContainer, sharedCloudDatabase")
        ) { world in
            let shared = try world.container().sharedDatabase
            try await expectError(.zoneNotFound, about: .named("milk")) { try await shared.fetch("milk") }
            try await expectError(.zoneNotFound, about: .named("milk")) {
                try await shared.save(Record("Items", "milk"))
            }
            try await expectError(.zoneNotFound, about: .named("milk")) {
                try await shared.deleteRecord(withID: .named("milk"))
            }
            try await expectError(.zoneNotFound) {
                try await shared.allRecords(matching: Query(recordType: "Items"), inZoneWith: .default)
            }
        },
        ConformanceRule(
            .accounts, "the shared database is queried zone by zone",
            law: "A query of the shared database without a zone is refused.",
            source: .cloudKit("CKQueryOperation.h, zoneID")
        ) { world in
            let shared = try world.container().sharedDatabase
            try await expectError(.invalidArguments, naming: ["zone"]) { try await shared.names() }
            try await expectError(.invalidArguments) { try await shared.count(matching: Query(recordType: "Items")) }
        },
        ConformanceRule(
            .accounts, "without an account the public database can be read",
            law: "A container without an account fetches, queries and counts in the public database.",
            source: .cloudKit("CKContainer.h, accountStatus")
        ) { world in
            try await world.container().publicDatabase.save(Record("Items", "milk", ["number": 1]))
            let database = try world.container(account: nil).publicDatabase
            try expect("The number", try await database.fetch("milk")["number"], equals: 1)
            try expect("The records", try await database.names(), equals: ["milk"])
            try expect("The count", try await database.count(matching: Query(recordType: "Items")), equals: 1)
        },
        ConformanceRule(
            .accounts, "without an account nothing can be written",
            law: "A container without an account saves and deletes nothing: notAuthenticated.",
            source: .cloudKit("CKErrorNotAuthenticated")
        ) { world in
            let owner = try world.container().publicDatabase
            let record = try await owner.save(Record("Items", "milk", ["number": 1]))
            let container = try world.container(account: nil)
            for scope in Database.Scope.allCases {
                let database = container.database(with: scope)
                try await expectError(.notAuthenticated) { try await database.save(Record("Items", "new")) }
                try await expectError(.notAuthenticated) { try await database.save(record.with(["number": 2])) }
                try await expectError(.notAuthenticated) { try await database.deleteRecord(withID: record.recordID) }
            }
            try expect("The public record", try await owner.fetch("milk"), equals: record)
        },
        ConformanceRule(
            .accounts, "without an account the private and the shared database cannot be read",
            law: "A container without an account cannot read the private and the shared database: notAuthenticated.",
            source: .cloudKit("CKErrorNotAuthenticated")
        ) { world in
            let container = try world.container(account: nil)
            for database in [container.privateDatabase, container.sharedDatabase] {
                try await expectError(.notAuthenticated) { try await database.fetch("milk") }
                try await expectError(.notAuthenticated) { try await database.names() }
                try await expectError(.notAuthenticated) {
                    try await database.count(matching: Query(recordType: "Items"))
                }
            }
        },
        ConformanceRule(
            .accounts, "a container knows whether it has an account",
            law: "accountStatus is available or noAccount, and userRecordID is the account's or notAuthenticated.",
            source: .cloudKit("CKContainer.h, accountStatus")
        ) { world in
            let container = try world.container()
            try expect("The status", try await container.accountStatus(), equals: .available)
            let user = RecordID.named(ConformanceWorld.account.userRecordName)
            try expect("The user", try await container.userRecordID(), equals: user)
            let stranger = try world.container(account: nil)
            try expect("The status without an account", try await stranger.accountStatus(), equals: .noAccount)
            try await expectError(.notAuthenticated) { try await stranger.userRecordID() }
        },
        ConformanceRule(
            .accounts, "an account needs a name",
            law:
                "An account whose user record name is malformed, or could be the name of a program's record, is refused "
                + "when the container is created.",
            source: .cloudKit("CKRecordID")
        ) { world in
            for name in ["", "anna", "_caf\u{E9}", "_a\0", "_" + String(repeating: "n", count: 255)] {
                try await expectError(.invalidArguments) { try world.container(account: Account(userRecordName: name)) }
            }
        },
    ]

    /// Permissions to change records in the public database.
    static let publicPermissions: [ConformanceRule] = [
        ConformanceRule(
            .accounts, "every user reads public records",
            law: "A record that one user saves in the public database can be fetched and queried by every other user.",
            source: .cloudKit("roles, READ to _world")
        ) { world in
            let (anna, ben) = try world.publicDatabases()
            let record = try await anna.save(Record("Items", "milk", ["number": 1]))
            try expect("The fetched record", try await ben.fetch("milk"), equals: record)
            try expect("The found records", try await ben.names(), equals: ["milk"])
        },
        ConformanceRule(
            .accounts, "only its creator may change a public record",
            law: "In the public database another user's save over a record fails with permissionFailure, under every "
                + "policy.",
            source: .cloudKit("roles, WRITE to _creator")
        ) { world in
            let (anna, ben) = try world.publicDatabases()
            let record = try await anna.save(Record("Items", "milk", ["number": 1]))
            for policy in RecordSavePolicy.allCases {
                try await expectError(.permissionFailure, naming: ["_anna", "_ben"], about: record.recordID) {
                    try await ben.save(record.with(["number": 2]), savePolicy: policy)
                }
            }
            for policy in [RecordSavePolicy.changedKeys, .allKeys] {
                try await expectError(.permissionFailure, about: record.recordID) {
                    try await ben.save(Record("Items", "milk", ["number": 3]), savePolicy: policy)
                }
            }
            try expect("The record", try await anna.fetch("milk"), equals: record)
            try await anna.save(record.with(["number": 2]))
        },
        ConformanceRule(
            .accounts, "only its creator may delete a public record",
            law: "In the public database another user's deletion of a record fails with permissionFailure and "
                + "changes nothing.",
            source: .cloudKit("roles, WRITE to _creator")
        ) { world in
            let (anna, ben) = try world.publicDatabases()
            let record = try await anna.save(Record("Items", "milk", ["number": 1]))
            try await expectError(.permissionFailure, naming: ["_anna"], about: record.recordID) {
                try await ben.deleteRecord(withID: record.recordID)
            }
            try expect("The record", try await anna.fetch("milk"), equals: record)
            try await anna.deleteRecord(withID: record.recordID)
            try expect("The records", try await ben.names(), equals: [])
        },
        ConformanceRule(
            .accounts, "deleting a record deletes the records that it owns",
            law: "A creator's deletion also deletes other users' records that refer to it with deleteSelf.",
            source: .cloudKit("CKReference.h, CKReferenceActionDeleteSelf")
        ) { world in
            let (anna, ben) = try world.publicDatabases()
            try await anna.save(Record("Posts", "post"))
            try await ben.saveAll([
                Record("Comments", "owned", ["post": Reference("post", .deleteSelf)]),
                Record("Comments", "loose", ["post": Reference("post", .nullify), "text": "hello"]),
            ])
            try await anna.deleteRecord(withID: .named("post"))
            try expect("The comments", try await ben.names("Comments"), equals: ["loose"])
            let loose = try await ben.fetch("loose")
            try expect("The comment's keys", loose.allKeys(), equals: ["text"])
            try expect("The comment's creator", loose.creatorUserRecordID, equals: .named("_ben"))
            try expect("The comment's last modifier", loose.lastModifiedUserRecordID, equals: .named("_anna"))
        },
    ]

    /// The separation of users' records.
    static let privacy: [ConformanceRule] = [
        ConformanceRule(
            .accounts, "another user's private records are out of reach",
            law: "One user's private records are not fetched, found, counted, changed or deleted by another, through "
                + "any ID.",
            source: .cloudKit("CKContainer, privateCloudDatabase")
        ) { world in
            let anna = try world.container().privateDatabase
            let record = try await anna.save(Record("Items", "milk", ["number": 1]))
            let ben = try world.container(account: Account(userRecordName: "_ben")).privateDatabase
            try await expectError(.unknownItem) { try await ben.fetch("milk") }
            let zone = RecordZone.ID(zoneName: RecordZone.ID.defaultZoneName, ownerName: "_anna")
            let id = RecordID(recordName: "milk", zoneID: zone)
            try await expectError(.zoneNotFound) { try await ben.record(for: id) }
            try await expectError(.zoneNotFound) { try await ben.names(in: zone) }
            try expect("The found records", try await ben.names(), equals: [])
            try expect("The count", try await ben.count(matching: Query(recordType: "Items")), equals: 0)
            try await expectError(.unknownItem) { try await ben.save(record.with(["number": 2])) }
            try await ben.deleteRecord(withID: .named("milk"))
            try await ben.save(Record("Items", "milk", ["number": 3]))
            try await ben.deleteRecord(withID: .named("milk"))
            try expect("The record", try await anna.fetch("milk"), equals: record)
        },
        ConformanceRule(
            .accounts, "references stay within a database",
            law:
                "A reference with a rule finds its target in its own database, and deletions cascade in that database alone.",
            source: .cloudKit("CKReference.h")
        ) { world in
            let anna = try world.container().privateDatabase
            let ben = try world.container(account: Account(userRecordName: "_ben")).privateDatabase
            try await anna.save(Record("Lists", "list"))
            try await expectError(.referenceViolation) {
                try await ben.save(Record("Items", "milk", ["list": Reference("list", .deleteSelf)]))
            }
            try await ben.saveAll([
                Record("Lists", "list"), Record("Items", "milk", ["list": Reference("list", .deny)]),
            ])
            try await anna.save(Record("Items", "milk", ["list": Reference("list", .deleteSelf)]))
            try await anna.deleteRecord(withID: .named("list"))
            try expect("The other user's records", try await ben.existing(["list", "milk"]), equals: ["list", "milk"])
            try expect("The user's records", try await anna.existing(["list", "milk"]), equals: [])
        },
        ConformanceRule(
            .accounts, "users with similar names are different",
            law:
                "Users whose names differ by case, by characters that a file's name cannot have, or in the last of many, have "
                + "databases of their own.",
            source: .cabinet("Storage layout")
        ) { world in
            var names = [
                "_anna", "_Anna", "_ANNA", "_an na", "_an/na", "_an_na", "_an%2Fna", "_/../anna", "_.", "_..", "_",
                "_a\\b", "_a:b", "_a'b", "_a\"b",
            ]
            let long = ["a", "b"].map { "_" + String(repeating: "u", count: 198) + $0 }
            names += long
            for (index, name) in names.enumerated() {
                let database = try world.container(account: Account(userRecordName: name)).privateDatabase
                try await database.save(Record("Items", "only", ["index": index]))
            }
            for (index, name) in names.enumerated() {
                let database = try world.container(account: Account(userRecordName: name)).privateDatabase
                try expect("The record of \(name)", try await database.fetch("only")["index"], equals: index)
                try expect("The number of records", try await database.names().count, equals: 1)
            }
        },
        ConformanceRule(
            .accounts, "a user named public is not the public database",
            law: "A user's name leads to that user's databases alone.",
            source: .cabinet("Storage layout")
        ) { world in
            for name in ["_public", "_private", "_shared", "__public", "_public.sqlite"] {
                let container = try world.container(account: Account(userRecordName: name))
                try await container.privateDatabase.save(Record("Items", "by \(name)"))
                try expect("The private records", try await container.privateDatabase.names(), equals: ["by \(name)"])
                try expect("The public records", try await container.publicDatabase.names(), equals: [])
            }
        },
    ]
}

extension ConformanceWorld {
    /// The public database, as two users see it.
    fileprivate func publicDatabases() throws -> (anna: Database, ben: Database) {
        (try container().publicDatabase, try container(account: Account(userRecordName: "_ben")).publicDatabase)
    }
}

extension Database {
    fileprivate func names(in zoneID: RecordZone.ID) async throws -> [String] {
        try await allRecords(matching: Query(recordType: "Items"), inZoneWith: zoneID).map(\.recordID.recordName)
    }
}
