import Cabinet
import Foundation

extension ConformanceRule {
    /// The grants of a schema, by which roles read, create and change records of the public database.
    static let roles: [ConformanceRule] = [
        ConformanceRule(
            .accounts, "a role may change records that others created",
            law:
                "WRITE that is granted to a role permits its users to change and delete every record of the type, and other users have only their own.",
            source: .cloudKit("roles, GRANT WRITE")
        ) { world in
            let users = try await world.users(
                grants: ["_world": [.read], "_icloud": [.create], "_creator": [.write], "Editor": [.write]])
            let record = try await users.anna.save(Record("Items", "milk", ["number": 1]))
            let error = try await expectError(
                .permissionFailure, naming: ["WRITE on Items", "Editor", "_anna", "_ben"]
            ) {
                try await users.ben.save(record.with(["number": 2]))
            }
            try expect("The refused record", error.recordID, equals: record.recordID)
            try await expectError(.permissionFailure, about: record.recordID) {
                try await users.ben.deleteRecord(withID: record.recordID)
            }
            let changed = try await users.editor.save(record.with(["number": 3]))
            try expect("The creator", changed.creatorUserRecordID, equals: .named("_anna"))
            try expect("The last modifier", changed.lastModifiedUserRecordID, equals: .named("_eva"))
            try await users.anna.save(changed.with(["number": 4]))
            try await users.editor.deleteRecord(withID: record.recordID)
            try expect("The records", try await users.anna.names(), equals: [])
        },
        ConformanceRule(
            .accounts, "only granted roles create records",
            law:
                "A user whose roles lack CREATE saves no new record of the type: permissionFailure, and the atomic batch fails.",
            source: .cloudKit("roles, GRANT CREATE")
        ) { world in
            let users = try await world.users(grants: ["_world": [.read], "_creator": [.write], "Editor": [.create]])
            let results = try await users.ben.failures(saving: [Record("Items", "milk"), Record("Notes", "note")])
            try await expectFailure(results[.named("milk")], .permissionFailure, naming: ["CREATE on Items", "Editor"])
            try await expectFailure(results[.named("note")], .batchRequestFailed)
            try expect("The records", try await users.ben.existing(["milk", "note"]), equals: [])
            try await users.ben.save(Record("Notes", "note"))
            let milk = try await users.editor.save(Record("Items", "milk"))
            try await users.editor.save(milk.with(["number": 2]))
        },
        ConformanceRule(
            .accounts, "no call reads records that the user's roles may not read",
            law:
                "Without READ of a type, its records are not fetched, found, counted, aggregated, explained, observed or in changes, and no "
                + "conflict has one.",
            source: .cloudKit("roles, GRANT READ")
        ) { world in
            let users = try await world.users(grants: ["_icloud": [.create], "_creator": [.write], "Editor": [.read]])
            try await users.editor.save(Record("Items", "milk", ["number": 1, "name": "secret"]))
            let id = RecordID.named("milk")
            let query = Query(recordType: "Items")
            for database in [users.ben, try world.container(account: nil).publicDatabase] {
                try await expectError(.permissionFailure, naming: ["READ on Items", "Editor"], about: id) {
                    try await database.fetch("milk")
                }
                try await expectError(.permissionFailure) { try await database.names() }
                try await expectError(.permissionFailure) { try await database.count(matching: query) }
                try await expectError(.permissionFailure) {
                    try await database.sum(of: "number", matching: query, as: Int.self)
                }
                try await expectError(.permissionFailure) { try await database.counts(by: "name", matching: query) }
                try await expectError(.permissionFailure) {
                    try await database.sums(of: "number", by: "name", matching: query)
                }
                try await expectError(.permissionFailure) { try await database.explain(query) }
                try await expectError(.permissionFailure) {
                    var probe = try ObservationProbe(database, query)
                    try await probe.next()
                }
                let changes = try await database.recordZoneChanges(inZoneWith: .default, since: nil)
                try expect("The changes", changes.modificationResultsByID.keys.map(\.recordName), equals: [])
            }
            for policy in RecordSavePolicy.allCases {
                let error = try await expectError(.permissionFailure, naming: ["READ"], about: id) {
                    try await users.ben.save(Record("Items", "milk", ["number": 2]), savePolicy: policy)
                }
                try expect(error.conflict == nil, "The error has the record that the user may not read.")
            }
            try expect("The editor's records", try await users.editor.names(), equals: ["milk"])
        },
        ConformanceRule(
            .accounts, "creators read their own records",
            law: "If READ is granted to the creator, every call returns the user's own records of the type alone.",
            source: .cloudKit("roles, GRANT READ")
        ) { world in
            let users = try await world.users(grants: ["_icloud": [.create], "_creator": [.read, .write]])
            try await users.anna.saveAll([Record("Items", "a", ["number": 1]), Record("Items", "b", ["number": 2])])
            try await users.ben.save(Record("Items", "c", ["number": 4]))
            try await expectError(.permissionFailure, naming: ["_creator"]) { try await users.ben.fetch("a") }
            let query = Query(recordType: "Items")
            try expect("The records", try await users.ben.names(), equals: ["c"])
            try expect("The count", try await users.anna.count(matching: query), equals: 2)
            try expect("The sum", try await users.anna.sum(of: "number", matching: query), equals: 3)
            let page = try await users.anna.records(matching: query, resultsLimit: 1)
            let rest = try await users.anna.records(continuingMatchFrom: try require(page.queryCursor, "The cursor"))
            try expect("The second page", rest.matchResults.map(\.0.recordName), equals: ["b"])
            let foreign = try await users.ben.records(continuingMatchFrom: try require(page.queryCursor, "The cursor"))
            try expect("Another user's second page", foreign.matchResults.map(\.0.recordName), equals: ["c"])
            var probe = try ObservationProbe(users.ben, Query(recordType: "Items", sortedBy: ["number"]))
            try await probe.expectNext(["c"])
            try await users.anna.save(Record("Items", "d", ["number": 5]))
            try await users.ben.save(Record("Items", "e", ["number": 6]))
            try await probe.expectFinally(["c", "e"])
            let changes = try await users.ben.recordZoneChanges(inZoneWith: .default, since: nil)
            let names = changes.modificationResultsByID.keys.map(\.recordName).sorted()
            try expect("The changes", names, equals: ["c", "e"])
        },
        ConformanceRule(
            .accounts, "no key path reads records that the user's roles may not read",
            law: "A filter, sort key or aggregate whose key path could lead to a record without READ is refused.",
            source: .cabinet("Roles and unique values")
        ) { world in
            let users = try await world.users(grants: ["_icloud": [.create], "Editor": [.read]])
            try await users.editor.save(Record("Items", "milk", ["name": "secret"]))
            for (name, database) in [("ben", users.ben), ("eva", users.editor)] {
                try await database.save(Record("Notes", name, ["item": Reference("milk"), "text": "x"]))
            }
            for filter in [try Filter("item.name == 'secret'"), try Filter("item.creationDate > %@", Date.distantPast)]
            {
                try await expectError(.permissionFailure, naming: ["READ on Items", "key path"]) {
                    try await users.ben.names("Notes", where: filter)
                }
                try expect(
                    "The editor's notes", try await users.editor.names("Notes", where: filter), equals: ["ben", "eva"])
            }
            try await expectError(.permissionFailure) {
                try await users.ben.names("Notes", by: [Sort("item.name")])
            }
            let found = try await users.ben.names("Notes", where: try Filter("text == 'x'"))
            try expect("The notes", found, equals: ["ben", "eva"])
        },
        ConformanceRule(
            .accounts, "users are notified of records that they may read",
            law:
                "A subscription fires for records that its user may read with the roles at its saving, and one without READ is refused.",
            source: .cabinet("Roles and unique values")
        ) { world in
            let users = try await world.users(grants: ["_world": [.read], "_icloud": [.create], "_creator": [.write]])
            for database in [users.ben, users.editor] {
                try await database.save(
                    QuerySubscription(
                        recordType: "Items", filter: .constant(true), subscriptionID: "items",
                        options: [.firesOnRecordCreation, .firesOnRecordDeletion], desiredKeys: ["name"]))
            }
            try await world.deploy(grants: ["_icloud": [.create], "_creator": [.write], "Editor": [.read]])
            try await users.anna.save(Record("Items", "milk", ["name": "secret"]))
            try await users.anna.deleteRecord(withID: .named("milk"))
            let editors = try await users.editorContainer.fetchNotifications(since: nil).notifications
            try expect("The editor's notifications", editors.count, equals: 2)
            let others = try await users.benContainer.fetchNotifications(since: nil).notifications
            try expect("The other user's notifications", others.count, equals: 0)
            try await expectError(.permissionFailure, naming: ["READ on Items"]) {
                try await users.ben.save(
                    QuerySubscription(
                        recordType: "Items", filter: .constant(true), options: [.firesOnRecordCreation]))
            }
        },
        ConformanceRule(
            .accounts, "grants are those of the latest schema that has some",
            law:
                "A deployment replaces the grants of each type. An applied schema without grants keeps them, and a private database has "
                + "none.",
            source: .cloudKit("deployment to production")
        ) { world in
            let grants: [String: Set<Schema.Permission>] = ["_world": [.read], "Editor": [.create]]
            let users = try await world.users(grants: grants)
            let container = try world.container()
            try expect("The grants", try await container.schema()["Items"].grants, equals: grants)
            try expect("The roles", try await container.schema().roles, equals: ["Editor"])
            var schema = Schema()
            schema["Items"]["price"] = .init(.double)
            try await container.apply(schema)
            try await expectError(.permissionFailure) { try await users.ben.save(Record("Items", "milk")) }
            try await container.privateDatabase.save(Record("Items", "own"))
            var unknown = Schema()
            unknown["Items"].grants = ["Auditor": [.read]]
            try await expectError(.invalidArguments, naming: ["'Auditor'"]) { try await container.apply(unknown) }
            schema = try await container.schema()
            schema["Items"].grants = [:]
            schema.roles = []
            let difference = try await container.schema().difference(to: schema).description
            for line in ["- CREATE ROLE Editor", "~ GRANT TO Editor of Items: CREATE → nothing"] {
                try expect(difference.contains(line), "The difference lacks '\(line)': \(difference)")
            }
            try await container.deploy(schema)
            try expect("The deployed schema", try await container.schema(), equals: schema)
            try await users.ben.save(Record("Items", "milk"))
        },
        ConformanceRule(
            .accounts, "a role deletes records that their creators do not hold",
            law:
                "A role's deletion is denied by references and children of the record's creator, and not by those of others.",
            source: .cabinet("Reference.Action.deny")
        ) { world in
            let users = try await world.users(
                grants: ["_world": [.read], "_icloud": [.create], "_creator": [.write], "Editor": [.write]])
            try await users.anna.saveAll([Record("Items", "item"), Record("Items", "free")])
            try await users.anna.save(Record("Notes", "own", ["item": Reference("item", .deny)]))
            try await users.ben.saveAll([
                Record("Notes", "other", ["item": Reference("item", .deny)]),
                Record("Notes", "loose", ["item": Reference("free", .deny)]),
            ])
            try await expectError(.referenceViolation, naming: ["own"], about: .named("item")) {
                try await users.editor.deleteRecord(withID: .named("item"))
            }
            try await users.editor.deleteRecord(withID: .named("free"))
            try expect("The fields", try await users.ben.fetch("loose").allKeys(), equals: [])
            try await users.anna.deleteRecord(withID: .named("own"))
            try await users.editor.deleteRecord(withID: .named("item"))
            try expect("The records", try await users.anna.existing(["item", "free", "other"]), equals: ["other"])
        },
        ConformanceRule(
            .accounts, "a refused deletion names no record that the user's roles may not read",
            law:
                "An error of a deletion names neither the record that denies it, nor one that the cascade reaches, without READ of it.",
            source: .cabinet("Roles and unique values")
        ) { world in
            let users = try await world.users(
                grants: ["_icloud": [.create, .write], "Editor": [.read]], fields: ["note": .init(.reference)])
            try await users.ben.saveAll([Record("Notes", "post"), Record("Notes", "list")])
            try await users.editor.saveAll([
                Record("Items", "secret 1", ["note": Reference("post", .deny)]),
                Record("Items", "secret 2", ["note": Reference("list", .deleteSelf)]),
            ])
            try await users.editor.save(Record("Items", "secret 3", ["note": Reference("secret 2", .deny)]))
            for name in ["post", "list"] {
                let error = try await expectError(.referenceViolation, naming: ["may not read"], about: .named(name)) {
                    try await users.ben.deleteRecord(withID: .named(name))
                }
                try expect(!error.message.contains("secret"), "The error names a record: \(error.message)")
                try expect("The field of the error", error.fieldKey, equals: nil)
            }
            try expect("The records", try await users.ben.existing(["post", "list"]), equals: ["post", "list"])
        },
        ConformanceRule(
            .assets, "a checksum does not give the bytes of a record without READ",
            law: "A user who may not read a record cannot save another one with the checksum of its asset.",
            source: .cabinet("Roles and unique values")
        ) { world in
            let users = try await world.users(
                grants: ["_icloud": [.create], "_creator": [.write], "Editor": [.read]], fields: ["file": .init(.asset)]
            )
            let bytes = AssetSamples.bytes(1000)
            let secret = try await users.editor.save(Record("Items", "milk", ["file": Asset(data: bytes)]))
            let known = try JSONDecoder().decode([Record].self, from: JSONEncoder().encode([secret]))[0]
            let asset = try known.asset()
            try await expectError(.assetNotAvailable) {
                try await users.ben.save(Record("Notes", "note", ["file": asset]))
            }
            // The bytes themselves may be saved again.
            try await users.ben.save(Record("Notes", "note", ["file": Asset(data: bytes)]))
            try await expectBytes(try await users.ben.fetch("note").asset(), bytes)
            try await users.editor.save(Record("Notes", "copy", ["file": asset]))
        },
    ]
}

/// The public database, as three users see it: two without roles, and an editor.
struct RoleUsers {
    let anna: Database
    let ben: Database
    let editor: Database
    let benContainer: Container
    let editorContainer: Container
}

extension ConformanceWorld {
    /// Deploys grants of Items, and creates the users.
    func users(
        grants: [String: Set<Schema.Permission>], fields: [Record.FieldKey: Schema.Field] = [:]
    ) async throws -> RoleUsers {
        try await deploy(grants: grants, fields: fields)
        let ben = try container(account: Account(userRecordName: "_ben"))
        let editor = try container(account: Account(userRecordName: "_eva", roles: ["Editor"]))
        return RoleUsers(
            anna: try container().publicDatabase, ben: ben.publicDatabase, editor: editor.publicDatabase,
            benContainer: ben, editorContainer: editor)
    }

    func deploy(
        grants: [String: Set<Schema.Permission>], fields: [Record.FieldKey: Schema.Field] = [:]
    ) async throws {
        var schema = Schema(recordTypes: [:], roles: ["Editor"])
        schema["Items"] = .init(
            fields: ["name": .init(.string), "number": .init(.int64)].merging(fields) { first, _ in first },
            grants: grants)
        try await container().apply(schema)
    }
}
