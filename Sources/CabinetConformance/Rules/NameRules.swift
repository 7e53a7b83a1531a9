import Cabinet

extension ConformanceRule {
    /// The names of types, fields and records.
    static let names: [ConformanceRule] = [
        ConformanceRule(
            .names, "a record name is any printable ASCII text",
            law: "A record name has 1 to 255 printable ASCII characters; all of them are stored and distinguished.",
            source: .cloudKit("CKRecordID")
        ) { world in
            let database = try world.privateDatabase()
            let ascii = (32...126).map { String(UnicodeScalar(UInt8($0))) }.joined()
            let names = [
                ascii, "a", "A", " ", "a b", "a'b", "a\"b", "a;b", "a/b", "..", "a\\b", "%", "a_", "0", "-1", "null",
                "a%00b",
                String(repeating: "n", count: 255), String(repeating: "n", count: 254),
            ]
            try await database.saveAll(names.map { Record("Items", $0, ["name": $0]) })
            for name in names {
                try expect("The field of \(name)", try await database.fetch(name)["name"], equals: name)
            }
            try expect("The number of records", try await database.names().count, equals: names.count)
        },
        ConformanceRule(
            .names, "a malformed record name is refused",
            law: "An empty, too long or non-ASCII record name, or one with an underscore at its beginning, is refused; "
                + "the message names the invalid character.",
            source: .cloudKit("CKRecordID")
        ) { world in
            let database = try world.privateDatabase()
            let cases: [(name: String, words: [String])] = [
                ("", ["empty"]), ("_a", ["begins with", "'_'"]), ("caf\u{E9}", ["U+00E9", "position 4"]),
                ("a\nb", ["U+000A", "position 2"]), ("a\0b", ["U+0000"]), ("👍", ["U+1F44D"]),
                (String(repeating: "n", count: 256), ["255"]),
            ]
            for (name, words) in cases {
                try await expectError(.invalidArguments, naming: words, about: .named(name)) {
                    try await database.save(Record("Items", name))
                }
                // A user record has such a name, and is refused with another message.
                if name.hasPrefix("_") { continue }
                try await expectError(.invalidArguments, about: .named(name)) {
                    try await database.deleteRecord(withID: .named(name))
                }
            }
            try expect("The records", try await database.names(), equals: [])
        },
        ConformanceRule(
            .names, "a malformed record name cannot be fetched",
            law: "Fetching by a name that a record cannot have fails with invalidArguments; by a user's name, with "
                + "unknownItem.",
            source: .cloudKit("CKRecordID")
        ) { world in
            let database = try world.privateDatabase()
            for name in ["", "caf\u{E9}", "a\tb", String(repeating: "n", count: 256)] {
                try await expectError(.invalidArguments, about: .named(name)) { try await database.fetch(name) }
            }
            try await expectError(.unknownItem, about: .named("_someone")) { try await database.fetch("_someone") }
        },
        ConformanceRule(
            .names, "a record type is an identifier",
            law: "A record type is an ASCII letter, then letters, digits and underscores, at most 255; others are "
                + "refused.",
            source: .cloudKit("CKRecord.h")
        ) { world in
            let database = try world.privateDatabase()
            for type in ["A", "a1_", String(repeating: "T", count: 255)] {
                try await database.save(Record(type, "one \(type.prefix(3))"))
                try expect("The records of \(type)", try await database.names(type), equals: ["one \(type.prefix(3))"])
            }
            let cases: [(type: String, words: [String])] = [
                ("", ["empty"]), ("1a", ["begins with", "'1'"]), ("_a", ["'_'"]), ("a b", ["U+0020", "position 2"]),
                ("a-b", ["'-'"]), ("\u{C4}pfel", ["U+00C4"]), ("a\"; --", ["position 2"]), ("a.b", ["'.'"]),
                (String(repeating: "T", count: 256), ["255"]),
            ]
            for (type, words) in cases {
                try await expectError(.invalidArguments, naming: words, about: .named("bad")) {
                    try await database.save(Record(type, "bad"))
                }
                try await expectError(.invalidArguments, naming: words) { try await database.names(type) }
            }
        },
        ConformanceRule(
            .names, "a field name is an identifier",
            law: "A field name is an ASCII letter, then letters, digits and underscores, at most 255; others are "
                + "refused.",
            source: .cloudKit("CKRecord.h")
        ) { world in
            let database = try world.privateDatabase()
            let longest = String(repeating: "f", count: 255)
            try await database.save(Record("Items", "good", ["x": 1, "x_1": 2, longest: 3]))
            try expect("The longest field", try await database.fetch("good")[longest], equals: 3)
            let cases: [(key: String, words: [String])] = [
                ("", ["empty"]), ("1a", ["'1'"]), ("_a", ["begins with"]), ("a b", ["U+0020"]),
                ("na\u{EF}ve", ["U+00EF", "position 3"]),
                ("a.b", ["'.'"]), ("a\"", ["position 2"]), ("a]", ["']'"]), (longest + "f", ["255"]),
            ]
            for (key, words) in cases {
                try await expectError(.invalidArguments, naming: words, about: .named("bad"), in: key) {
                    try await database.save(Record("Items", "bad", [key: 1]))
                }
            }
            try expect("The records", try await database.names(), equals: ["good"])
        },
        ConformanceRule(
            .names, "the names of a record's properties are reserved",
            law: "A field cannot have the name of a property that every record has.",
            source: .cloudKit("CKRecord")
        ) { world in
            let database = try world.privateDatabase()
            let reserved = [
                "creationDate", "creatorUserRecordID", "lastModifiedUserRecordID", "modificationDate",
                "modifiedByDevice", "parent", "recordChangeTag", "recordID", "recordType", "share",
            ]
            for key in reserved {
                try await expectError(.invalidArguments, naming: ["'\(key)'"], about: .named("bad"), in: key) {
                    try await database.save(Record("Items", "bad", [key: "text"]))
                }
            }
            try await database.save(
                Record("Items", "good", ["name": 1, "date": 2, "id": 3, "type": 4, "recordName": 5, "etag": 6]))
        },
        ConformanceRule(
            .names, "words of a database language are valid names",
            law: "A type or a field may have any word as its name, including keywords of the store.",
            source: .cabinet("Storage layout")
        ) { world in
            let database = try world.privateDatabase()
            let words = [
                "select", "table", "order", "group", "where", "index", "primary", "values", "default", "null", "rowid",
                "oid",
                "record", "records", "recordName", "record_name", "zone", "zoneID", "zone_id", "change_tag", "sequence",
                "schema",
                "references", "sqlite_master", "sqlite_sequence", "pg_class", "user", "column1", "temp", "main",
                "fields", "data",
            ]
            for word in words {
                try await database.save(Record(word, "the \(word)", [word: "is \(word)", "list": [word]]))
                let found = try await database.allRecords(
                    matching: Query(
                        recordType: word, filter: .compare(word, .equal, "is \(word)"), sortedBy: [Sort(word)]))
                try expect("The records of the type \(word)", found.map(\.recordID.recordName), equals: ["the \(word)"])
                try expect("The field \(word)", found.first?[word] as? String, equals: "is \(word)")
            }
            var everything = Record("Everything", "all")
            for word in words { everything[word] = word }
            try await database.save(everything)
            let fetched = try await database.fetch("all")
            for word in words { try expect("The field \(word)", fetched[word] as? String, equals: word) }
        },
        ConformanceRule(
            .names, "names that differ by case are different",
            law: "Types, fields and records whose names differ only by case are different ones.",
            source: .cabinet("the round trip of values")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Items", "a", ["name": "lower", "Name": 2, "NAME": [3.5]]))
            try await database.save(Record("items", "A", ["name": 1]))
            let items = try await database.fetch("a")
            try expect("The field name", items["name"], equals: "lower")
            try expect("The field Name", items["Name"], equals: 2)
            try expect("The field NAME", items["NAME"], equals: [3.5])
            try expect("The field of the other record", try await database.fetch("A")["name"], equals: 1)
            try expect("The records of Items", try await database.names("Items"), equals: ["a"])
            try expect("The records of items", try await database.names("items"), equals: ["A"])
            let found = try await database.names(where: .compare("Name", .equal, 2), by: [Sort("Name"), Sort("name")])
            try expect("The records found by Name", found, equals: ["a"])
        },
        ConformanceRule(
            .names, "a malformed container identifier is a bad container",
            law: "A container's identifier has 1 to 255 ASCII letters, digits, dots, hyphens and underscores.",
            source: .cloudKit("CKErrorBadContainer")
        ) { world in
            for identifier in [
                "", ".hidden", "a/b", "../up", "caf\u{E9}", "a b", "a\0", String(repeating: "c", count: 256),
            ] {
                try await expectError(.badContainer) { try world.container(identifier: identifier) }
            }
            _ = try world.container(identifier: "iCloud.com.example-1_b")
        },
    ]
}
