import Cabinet
import Foundation

extension ConformanceRule {
    /// Text is stored scalar by scalar.
    static let textValues: [ConformanceRule] = [
        ConformanceRule(
            .values, "text is stored scalar by scalar",
            law:
                "Text of any script, with quotes, wildcards and line breaks, is read exactly as it was saved, also in lists.",
            source: .cloudKit("CKRecord.h")
        ) { world in
            let texts: [String] = [
                "Milk", " ", "  two  spaces  ", "line\nbreak\r\n\ttab", "it's \"quoted\" `so`", #"back\slash"#,
                "100%_?*[a]",
                "'; DROP TABLE Items; --", "日本語", "שלום עולם", "\u{202E}right to left\u{202C}", "👩‍👩‍👧‍👦 🇩🇪 👍🏽",
                "\u{FEFF}begins with a byte order mark", "\u{FFFD}", "\u{10FFFF}", "\u{E000}",
                "\u{1}\u{7F}\u{85}\u{2028}",
                "NULL", "null", "0", "1e400", "true", .ofScalars(by: 257),
            ]
            try await expectRoundTrip(texts, in: world)
            try await expectRoundTrip([texts, texts.reversed()], in: world, type: "Lists")
        },
        ConformanceRule(
            .values, "text keeps its NUL characters",
            law: "A NUL character is stored like any other, and the text after it is kept.",
            source: .cabinet("the round trip of values")
        ) { world in
            try await expectRoundTrip(["a\0b", "\0", "\0\0end", "end\0"], in: world)
            let names = try await world.privateDatabase().names("Samples", where: .compare("value", .equal, "\0"))
            try expect("The records whose text is a NUL", names, equals: ["sample0"])
        },
        ConformanceRule(
            .values, "empty text is a value, not nil",
            law: "A field with the empty string has a value; it is not the field without a value.",
            source: .cabinet("the round trip of values")
        ) { world in
            try await expectRoundTrip([""], in: world)
            let record = try await world.privateDatabase().fetch("sample0")
            try expect("The keys with a value", record.allKeys(), equals: ["value"])
        },
        ConformanceRule(
            .values, "composed and decomposed letters are distinguished",
            law: "Text is neither normalized by a save nor equal to other scalars in a comparison.",
            source: .cabinet("predicates, section 3")
        ) { world in
            let composed = "caf\u{E9}"
            let decomposed = "cafe\u{301}"
            let database = try world.privateDatabase()
            try await database.saveAll([
                Record("Samples", "composed", ["value": composed]),
                Record("Samples", "decomposed", ["value": decomposed]),
            ])
            for (name, text) in [("composed", composed), ("decomposed", decomposed)] {
                let value = try await database.fetch(name).fieldValue("value")
                try expect("The \(name) text", value, equals: .string(text))
                let found = try await database.names("Samples", where: .compare("value", .equal, text))
                try expect("The records with the \(name) text", found, equals: [name])
            }
        },
        ConformanceRule(
            .values, "a megabyte of text is stored",
            law: "Without limits, a field holds a million characters and more.",
            source: .cabinet("Batch limits")
        ) { world in
            try await expectRoundTrip([String(repeating: "0123456789", count: 104_858), "short"], in: world)
        },
        ConformanceRule(
            .values, "a UUID and a URL keep their types",
            law: "UUIDs and URLs are stored as text and read as UUID and URL.",
            source: .cabinet("Names")
        ) { world in
            let uuid = UUID()
            let url = try require(URL(string: "https://example.com/a%20b?q=1#top"), "A URL")
            let database = try world.privateDatabase()
            try await database.save(Record("Samples", "one", ["uuid": uuid, "url": url]))
            let record = try await database.fetch("one")
            try expect("The UUID", record["uuid"], equals: uuid)
            try expect("The URL", record["url"], equals: url)
            try expect("The UUID's text", record["uuid"], equals: uuid.uuidString)
        },
        ConformanceRule(
            .values, "an enumeration keeps its type",
            law: "A value with a raw value is stored as its raw value and read as the same value.",
            source: .cabinet("Names")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(
                Record("Samples", "one", ["color": Color.green, "size": Size.large, "colors": [Color.red, .green]]))
            let record = try await database.fetch("one")
            try expect("The text", record["color"], equals: Color.green)
            try expect("The number", record["size"], equals: Size.large)
            try expect("The list", record["colors"], equals: [Color.red, .green])
            try expect("The stored text", record.fieldValue("color"), equals: .string("green"))
        },
    ]
}

private enum Color: String, RecordValue { case red, green }
private enum Size: Int, RecordValue { case small, large }
