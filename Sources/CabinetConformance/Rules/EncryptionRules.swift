import Cabinet
import Foundation

extension ConformanceRule {
    /// Fields whose values no store can read.
    static let encryption: [ConformanceRule] = [
        ConformanceRule(
            .encryption, "ciphertexts are stored byte by byte",
            law: "An encrypted value of every type, and of lists, is fetched, queried and reported as the "
                + "ciphertext that was saved.",
            source: .cloudKit("CKRecord.h, encryptedValues")
        ) { world in
            let database = try world.privateDatabase()
            let contents = [Data([0]), Data(0...255), Data(repeating: 0xA5, count: 100_000), Data()]
            for (round, content) in contents.enumerated() {
                var record = round == 0 ? Record("Secrets", "r") : try await database.fetch("r")
                for (type, key) in FieldType.encryptedTypes { record.encrypt(key, as: type, content + Data(key.utf8)) }
                record["plain"] = round
                record = try await database.save(record)
                let other = try world.privateDatabase()
                let feed = try await other.recordZoneChanges(inZoneWith: .default, since: nil)
                let found = [
                    record, try await other.fetch("r"),
                    try require(try await other.allRecords(matching: Query(recordType: "Secrets")).first, "The record"),
                    try require(feed.modificationResultsByID[.named("r")], "The change").get().record,
                ]
                for record in found {
                    for (type, key) in FieldType.encryptedTypes {
                        let value = EncryptedValue(type, ciphertext: content + Data(key.utf8))
                        try expect("The field \(key)", record.fields[key], equals: value.map { .encrypted($0) })
                    }
                    try expect("The keys", record.allKeys(), equals: ["plain"])
                    try expect(
                        "The encrypted keys", Set(record.encryptedValues.allKeys()),
                        equals: Set(FieldType.encryptedTypes.map(\.key)))
                }
            }
        },
        ConformanceRule(
            .encryption, "an encrypted type is part of the schema",
            law: "A field has the encrypted type of its first value, and an applied schema declares encrypted "
                + "fields.",
            source: .cloudKit("the schema language, ENCRYPTED")
        ) { world in
            let container = try world.container()
            let database = container.privateDatabase
            try await database.save(Record("Secrets", "r").encrypting(["note": .encryptedString]))
            try expect("The type", try await database.schema()["Secrets"]["note"]?.type, equals: .encryptedString)
            let types = FieldType.encryptedTypes.map { ($0.key, Schema.Field($0.type)) }
            let schema = Schema(recordTypes: ["Others": .init(fields: Dictionary(uniqueKeysWithValues: types))])
            try await container.apply(schema)
            try expect("The schema", try await database.schema()["Others"], equals: schema["Others"])
            let strict = try world.container(schema: .strict(schema))
            try await strict.privateDatabase.save(
                Record("Others", "s").encrypting(["encryptedint64": .encryptedInt64]))
            try await expectError(.invalidArguments, in: "note") {
                try await strict.privateDatabase.save(Record("Others", "t").encrypting(["note": .encryptedString]))
            }
        },
        ConformanceRule(
            .encryption, "an encrypted field holds no other values",
            law: "A field that exists cannot become encrypted, nor the reverse; an encrypted field keeps the "
                + "type of its values.",
            source: .cloudKit("CKRecord.h, encryptedValues")
        ) { world in
            let database = try world.privateDatabase()
            let old = Record("Secrets", "r", ["name": "Ann", "tags": ["a"], "data": Data([1]), "number": 1])
            try await database.save(
                old.encrypting(["note": .encryptedString, "secret": .encryptedBytes, "count": .encryptedInt64]))
            for (key, type) in [
                ("name", FieldType.encryptedString), ("data", .encryptedBytes), ("number", .encryptedInt64),
                ("note", .encryptedBytes), ("secret", .encryptedString), ("count", .encryptedDouble),
            ] {
                try await expectError(.invalidArguments, naming: [type.description], about: .named("s"), in: key) {
                    try await database.save(Record("Secrets", "s").encrypting([key: type]))
                }
            }
            let plain: [(String, any RecordValue)] = [("note", "text"), ("secret", Data([1])), ("count", 1)]
            for (key, value) in plain {
                try await expectError(.invalidArguments, naming: ["ENCRYPTED"], about: .named("s"), in: key) {
                    try await database.save(Record("Secrets", "s", [key: value]))
                }
            }
            try expect("The records", try await database.names("Secrets"), equals: ["r"])
        },
        ConformanceRule(
            .encryption, "an applied schema encrypts no existing field",
            law: "A schema that would encrypt a field, or no longer encrypt it, is refused with both types "
                + "named.",
            source: .cloudKit("the schema language, ENCRYPTED")
        ) { world in
            let container = try world.container()
            let database = container.privateDatabase
            try await database.save(Record("Secrets", "r", ["name": "Ann"]).encrypting(["note": .encryptedString]))
            let before = try await database.schema()
            for (key, type) in [("name", FieldType.encryptedString), ("note", .string), ("note", .encryptedBytes)] {
                try await expectError(.invalidArguments, naming: ["ENCRYPTED STRING"], in: key) {
                    try await container.apply(Schema(recordTypes: ["Secrets": .init(fields: [key: .init(type)])]))
                }
            }
            try expect("The schema", try await database.schema(), equals: before)
            try expect("The encrypted field", before["Secrets"]["note"]?.type, equals: .encryptedString)
        },
        ConformanceRule(
            .encryption, "an encrypted field has no index",
            law: "A schema with an option, an index or unique values of an encrypted field is refused, and "
                + "changes nothing.",
            source: .cloudKit("CKRecord.h, encryptedValues")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Secrets", "r", ["name": "Ann"]).encrypting(["note": .encryptedString]))
            for option in [Schema.Field.Options.queryable, .sortable, .searchable] {
                try await expectError(.invalidArguments, naming: ["ENCRYPTED"], in: "note") {
                    let field = Schema.Field(.encryptedString, option)
                    try await database.apply(Schema(recordTypes: ["Secrets": .init(fields: ["note": field])]))
                }
            }
            var types = [
                Schema.RecordType(indexes: [["name", "note"]]), .init(), .init(indexes: [["note.@string.a"]]),
            ]
            types[1].uniqueKeys = [["note"]]
            for type in types {
                try await expectError(.invalidArguments, naming: ["note"]) {
                    try await database.apply(Schema(recordTypes: ["Secrets": type]))
                }
            }
            let type = try await database.schema()["Secrets"]
            try expect("The type", type["note"]?.type, equals: .encryptedString)
            try expect("The indexes", type.indexes, equals: [])
        },
        ConformanceRule(
            .encryption, "a filter reads no encrypted field",
            law: "A query whose filter has an encrypted field, also by a path, in a SUBQUERY or compared with "
                + "nil, is refused.",
            source: .cloudKit("CKRecord.h, encryptedValues")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(.secret)
            for filter in [
                "note == 'a'", "note != NIL", "note == NIL", "NOT note == 'a'", "note CONTAINS 'a'", "note IN {'a'}",
                "count > 3", "count BETWEEN {1, 2}", "tags CONTAINS 'a'", "ANY tags == 'a'", "tags.@count > 1",
                "data == note", "other.note == 'a'", "other.tags.@count > 1", "note.@string.a == 'a'",
                "SUBQUERY(Secrets.other, $x, $x.note == 'a').@count > 0", "number + count > 3",
                "distanceToLocation:fromLocation:(place, CAST({1, 2}, 'LOCATION')) < 5",
            ] {
                guard let filter = try? Filter(filter) else { continue }
                try await expectError(.invalidArguments, naming: ["ENCRYPTED"]) {
                    try await database.records(matching: Query(recordType: "Secrets", filter: filter))
                }
                try await expectError(.invalidArguments, naming: ["ENCRYPTED"]) {
                    try await database.count(matching: Query(recordType: "Secrets", filter: filter))
                }
            }
            let constant = Filter.Expression.constant(
                EncryptedValue(.encryptedString, ciphertext: Data([1])).map { .encrypted($0) })
            try await expectError(.invalidArguments, naming: ["ENCRYPTED STRING"]) {
                let filter = Filter.comparison(.init(.field("name"), .equal, constant))
                return try await database.records(matching: Query(recordType: "Secrets", filter: filter))
            }
            try expect("The others", try await database.names("Secrets", where: Filter("name == 'n'")), equals: ["r"])
        },
        ConformanceRule(
            .encryption, "a subscription reads no encrypted field",
            law: "A query subscription whose filter has an encrypted field is refused, or never fires and "
                + "reveals no value.",
            source: .cloudKit("CKRecord.h, encryptedValues")
        ) { world in
            let container = try world.container()
            let database = container.privateDatabase
            try await database.save(.secret)
            try await expectError(.invalidArguments, naming: ["note"]) {
                try await database.save(
                    QuerySubscription(
                        recordType: "Secrets", filter: Filter("note == 'a'"), subscriptionID: "a",
                        options: [.firesOnRecordUpdate]))
            }
            try await database.save(
                QuerySubscription(
                    recordType: "Secrets", subscriptionID: "b", options: [.firesOnRecordUpdate],
                    desiredKeys: ["note", "name"]))
            try await world.privateDatabase().update(.named("r")) { $0["name"] = "new" }
            let fields = try await container.fetchNotifications(since: nil).notifications.compactMap { notification in
                if case .query(let event) = notification.event { event.recordFields } else { nil }
            }
            try expect("The fields", fields, equals: [["name": .string("new")]])
        },
        ConformanceRule(
            .encryption, "a sort key is not an encrypted field",
            law: "A query that sorts by an encrypted field, or by a path to one, is refused.",
            source: .cloudKit("CKRecord.h, encryptedValues")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(.secret)
            for key in ["note", "count", "data", "tags", "place", "other.note"] {
                try await expectError(.invalidArguments, naming: ["ENCRYPTED"], in: key) {
                    try await database.records(matching: Query(recordType: "Secrets", sortedBy: [Sort(key)]))
                }
            }
            try await expectError(.invalidArguments, naming: ["ENCRYPTED"], in: "place") {
                let sort = Sort("place", distanceFrom: Location(latitude: 1, longitude: 2))
                return try await database.records(matching: Query(recordType: "Secrets", sortedBy: [sort]))
            }
        },
        ConformanceRule(
            .encryption, "no aggregate reads an encrypted field",
            law: "A sum, an average, an extreme or a grouping of an encrypted field, or of a path to one, is "
                + "refused.",
            source: .cloudKit("CKRecord.h, encryptedValues")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(.secret)
            let all = Query(recordType: "Secrets")
            for key in ["count", "other.count"] {
                try await expectError(.invalidArguments, naming: ["ENCRYPTED"], in: key) {
                    try await database.sum(of: key, matching: all)
                }
                try await expectError(.invalidArguments, naming: ["ENCRYPTED"], in: key) {
                    try await database.average(of: key, matching: all)
                }
                try await expectError(.invalidArguments, naming: ["ENCRYPTED"], in: key) {
                    try await database.minimum(of: key, matching: all)
                }
                try await expectError(.invalidArguments, naming: ["ENCRYPTED"], in: key) {
                    try await database.counts(by: key, matching: all)
                }
            }
        },
        ConformanceRule(
            .encryption, "a search for words skips encrypted fields",
            law: "A search for words finds no word of a ciphertext.",
            source: .cloudKit("CKRecord.h, encryptedValues")
        ) { world in
            let database = try world.privateDatabase()
            var record = Record("Secrets", "r", ["name": "honey"])
            record.encrypt("note", as: .encryptedString, Data("milk".utf8))
            try await database.save(record)
            for (word, names) in [("honey", ["r"]), ("milk", [])] {
                try expect(
                    "The records with '\(word)'",
                    try await database.names("Secrets", where: Filter("SELF CONTAINS %@", word)), equals: names)
            }
        },
        ConformanceRule(
            .encryption, "the public database has no encrypted values",
            law: "A record with an encrypted value is refused in the public database; the schema may have the "
                + "field.",
            source: .cloudKit("CKRecord.h, encryptedValues")
        ) { world in
            let container = try world.container()
            try await container.apply(
                Schema(recordTypes: ["Secrets": .init(fields: ["note": .init(.encryptedString)])]))
            try await container.privateDatabase.save(.secret)
            try await expectError(.invalidArguments, naming: ["public"], about: .named("r"), in: "note") {
                try await container.publicDatabase.save(
                    Record("Secrets", "r").encrypting(["note": .encryptedString]))
            }
            try await container.publicDatabase.save(Record("Secrets", "r", ["name": "n"]))
        },
        ConformanceRule(
            .encryption, "an encrypted field keeps its name",
            law: "An encrypted field, and a record type with one, cannot be renamed: their values are bound to "
                + "the names.",
            source: .cabinet("Schemas")
        ) { world in
            let container = try world.container()
            let database = container.privateDatabase
            try await database.save(.secret)
            try await expectError(.invalidArguments, naming: ["encrypted"], in: "note") {
                try await container.renameField("note", to: "text", of: "Secrets")
            }
            try await expectError(.invalidArguments, naming: ["encrypted"]) {
                try await container.renameRecordType("Secrets", to: "Notes")
            }
            try await container.renameField("name", to: "title", of: "Secrets")
            try expect("The title", try await database.fetch("r")["title"], equals: "n")
        },
        ConformanceRule(
            .encryption, "a save of other fields keeps a ciphertext",
            law: "A save sends the changed fields alone, also of a record that was fetched without its "
                + "encrypted ones.",
            source: .cloudKit("CKRecord.h, encryptedValues")
        ) { world in
            let database = try world.privateDatabase()
            let saved = try await database.save(.secret)
            let note = saved.fields["note"]
            let partial = try await world.privateDatabase().records(for: [.named("r")], desiredKeys: ["name"])
            let record = try require(partial[.named("r")], "The record").get()
            try expect("The encrypted keys", record.encryptedValues.allKeys(), equals: [])
            try await database.save(record.with(["name": "new"]))
            var found = try await database.fetch("r")
            try expect("The ciphertext", found.fields["note"], equals: note)
            try expect("The changed keys", found.changedKeys(), equals: [])
            found.encryptedValues["note"] = nil
            try expect("The changed keys", found.encryptedValues.changedKeys(), equals: ["note"])
            try await database.save(found)
            let last = try await database.fetch("r")
            try expect("The removed value", last.fields["note"], equals: nil)
            try expect("The other ciphertext", last.fields["count"], equals: saved.fields["count"])
        },
    ]
}

extension FieldType {
    /// Every encrypted type, with the name of a field.
    static let encryptedTypes: [(type: FieldType, key: Record.FieldKey)] = Scalar.allCases
        .flatMap { [FieldType($0), .list(of: $0)] }.compactMap(\.encrypted)
        .map { ($0, $0.description.lowercased().filter { $0.isLetter || $0.isNumber }) }
}

extension Record {
    /// A record with encrypted fields and others.
    fileprivate static let secret = Record("Secrets", "r", ["name": "n", "number": 1, "other": Reference("r")])
        .encrypting([
            "note": .encryptedString, "count": .encryptedInt64, "data": .encryptedBytes, "place": .encryptedLocation,
            "tags": FieldType.list(of: .string).encrypted ?? .encryptedBytes,
        ])

    /// Sets an encrypted field, as a program with its key does.
    fileprivate mutating func encrypt(_ key: FieldKey, as type: FieldType, _ ciphertext: Data) {
        setFieldValue(EncryptedValue(type, ciphertext: ciphertext).map { .encrypted($0) }, forKey: key)
    }

    /// Returns the record with encrypted fields.
    func encrypting(_ types: KeyValuePairs<FieldKey, FieldType>) -> Record {
        var record = self
        for (key, type) in types { record.encrypt(key, as: type, Data("secret of \(key)".utf8)) }
        return record
    }
}
