import Cabinet

extension ConformanceRule {
    /// The rules about entries, the texts that the core stores under keys.
    static let entries: [ConformanceRule] = [
        ConformanceRule(
            .storage, "entries come in the order of their keys' bytes",
            law: "entries(in:limit:) returns the entries of a range in ascending order of the bytes of their keys.",
            source: .storage("StorageSnapshot.entries(in:limit:)")
        ) { world in
            // In the order of bytes, which differs from the order of words, of numbers, and without regard to case.
            let names = [
                "", " ", "!", "%2F", "-", "/", "/a", "0", "10", "9", "A", "Z", "_", "a", "a ", "a-b", "a/b", "a0", "aB",
                "ab", "z", "~", "~~",
            ]
            let keys = names.map { StorageKey("sample/\($0)") }
            try await world.backend.write(.public) { transaction in
                try await transaction.apply(keys.reversed().map { .setEntry($0, $0.text) })
                let found = try await transaction.entries(in: .samples, limit: 100)
                try expect("The keys in the transaction", found.map(\.key.text), equals: keys.map(\.text))
            }
            try await world.backend.read(.public) { snapshot in
                let found = try await snapshot.entries(in: .samples, limit: 100)
                try expect("The keys", found.map(\.key.text), equals: keys.map(\.text))
                try expect("The texts", found.map(\.text), equals: keys.map(\.text))
                for (start, end) in [(0, 5), (3, 4), (7, 7), (10, 22), (12, 20)] {
                    let expected = keys[start..<end].map(\.text)
                    let range = keys[start]..<keys[end]
                    let part = try await snapshot.entries(in: range, limit: 100).map(\.key.text)
                    try expect("The keys from '\(range.lowerBound)' to '\(range.upperBound)'", part, equals: expected)
                    let loaded = try await snapshot.load(StorageKeys(entryRanges: [range])).entryRanges
                    try expect("The loaded keys", loaded.map { $0.map(\.key.text) }, equals: [expected])
                }
            }
        },
        ConformanceRule(
            .storage, "the bounds of a range need not be stored",
            law:
                "A range includes its lower bound, not its upper bound; the bounds need not be stored; an empty range has no entries.",
            source: .storage("StorageSnapshot.entries(in:limit:)")
        ) { world in
            let keys = ["b", "d", "f"].map { StorageKey("sample/\($0)") }
            try await world.backend.write(.public) { try await $0.apply(keys.map { .setEntry($0, "text") }) }
            let cases = [
                ("a", "g", "bdf"), ("b", "f", "bd"), ("b", "f ", "bdf"), ("c", "e", "d"), ("b ", "d", ""),
                ("d", "d", ""), ("g", "z", ""),
            ]
            try await world.backend.read(.public) { snapshot in
                for (start, end, expected) in cases {
                    let range = StorageKey("sample/\(start)")..<StorageKey("sample/\(end)")
                    let found = try await snapshot.entries(in: range, limit: 10).compactMap(\.key.text.last)
                    try expect("The keys from '\(start)' to '\(end)'", String(found), equals: expected)
                }
            }
        },
        ConformanceRule(
            .storage, "entries come in pages",
            law:
                "entries(in:limit:) returns the first entries of a range, at most the limit; the next page begins after the last; load has all.",
            source: .storage("StorageSnapshot.entries(in:limit:)")
        ) { world in
            let keys = (1000..<3500).map { StorageKey("sample/\($0)") }
            try await world.backend.write(.public) { try await $0.apply(keys.map { .setEntry($0, "\($0)") }) }
            try await world.backend.read(.public) { snapshot in
                for limit in [1, 7, 1000, 2499, 2500, 2501, .max] {
                    let page = try await snapshot.entries(in: .samples, limit: limit)
                    try expect(page.map(\.key) == Array(keys.prefix(limit)), "The page of \(limit) has other keys.")
                }
                var found: [StorageKey] = []
                var range = Range<StorageKey>.samples
                while let last = try await snapshot.entries(in: range, limit: 700).map({
                    found.append($0.key); return $0.key
                }).last {
                    range = StorageKey(last.text + " ")..<range.upperBound
                }
                try expect(found == keys, "The pages have other keys.")
                let loaded = try await snapshot.load(StorageKeys(entryRanges: [.samples])).entryRanges
                try expect(loaded.map { $0.map(\.key) } == [keys], "The loaded range has other keys.")
            }
        },
        ConformanceRule(
            .storage, "a key has one text",
            law:
                "setEntry replaces the text under its key, and removes it if the text is nil; other entries are unchanged.",
            source: .storage("StorageMutation.setEntry(_:_:)")
        ) { world in
            let (a, b) = (StorageKey("sample/a"), StorageKey("sample/b"))
            let steps: [(StorageKey, String?, [String?])] = [
                (a, nil, [nil, nil]), (a, "1", ["1", nil]), (b, "", ["1", ""]), (a, "2", ["2", ""]),
                (b, nil, ["2", nil]),
                (b, nil, ["2", nil]), (a, "", ["", nil]), (b, "3", ["", "3"]), (a, nil, [nil, "3"]),
                (a, "4", ["4", "3"]),
            ]
            for (number, (key, text, expected)) in steps.enumerated() {
                try await world.backend.write(.public) { transaction in
                    try await transaction.apply([.setEntry(key, text)])
                    let found = try await transaction.load(StorageKeys(entries: [a, b])).entries
                    try expect("The texts in transaction \(number)", found, equals: expected)
                }
                try await world.backend.read(.public) { snapshot in
                    let found = try await snapshot.load(StorageKeys(entries: [a, b])).entries
                    try expect("The texts after \(number)", found, equals: expected)
                    let listed = try await snapshot.entries(in: .samples, limit: 10).map(\.text)
                    try expect("The listed texts after \(number)", listed, equals: expected.compactMap(\.self))
                }
            }
        },
        ConformanceRule(
            .storage, "an entry keeps every character of its text",
            law:
                "Every scalar of a text is kept: quotes, newlines, every script, a megabyte of them; only NUL is refused.",
            source: .storage("StorageEntry.text")
        ) { world in
            let texts: [String] = [
                "", " ", "\n", "\r\n", "\t a \u{1F}", "'", "\"", "\\", "\\n", "$1", "{}", "e\u{301}", "\u{E9}", "👩‍👩‍👧‍👦🇨🇭",
                "\u{FEFF}a",
                "\u{10FFFF}", String(repeating: "'\"\\\n", count: 1000), .ofScalars(by: 5),
                String(repeating: "é", count: 1 << 20),
            ]
            try await world.backend.write(.public) { transaction in
                try await transaction.apply(texts.enumerated().map { .setEntry(StorageKey("sample/\($0)"), $1) })
            }
            try await world.backend.read(.public) { snapshot in
                let keys = texts.indices.map { StorageKey("sample/\($0)") }
                let loaded = try await snapshot.load(StorageKeys(entries: keys)).entries
                for (number, (text, found)) in zip(texts, loaded).enumerated() {
                    // Texts that compare as equal can have different scalars.
                    try expect(found.map { Array($0.utf8) } == Array(text.utf8), "The text \(number) differs.")
                }
                for entry in try await snapshot.entries(in: .samples, limit: 100) {
                    let number = try require(Int(entry.key.text.dropFirst(7)), "The number in '\(entry.key)'")
                    try expect(
                        Array(entry.text.utf8) == Array(texts[number].utf8), "The listed text \(number) differs."
                    )
                }
            }
        },
        ConformanceRule(
            .storage, "the longest keys are distinguished",
            law:
                "Keys of the maximum length that differ in their last byte are different keys, in the order of these bytes.",
            source: .storage("StorageKey.maximumLength")
        ) { world in
            let start = "sample/" + String(repeating: "k", count: StorageKey.maximumLength - 8)
            let keys = ["a", "b", "c"].map { StorageKey(start + $0) }
            try await world.backend.write(.public) {
                try await $0.apply(keys.map { .setEntry($0, "\($0.text.suffix(1))") })
            }
            try await world.backend.read(.public) { snapshot in
                try expect(
                    "The texts", try await snapshot.load(StorageKeys(entries: keys)).entries, equals: ["a", "b", "c"])
                let part = try await snapshot.entries(in: keys[0]..<keys[2], limit: 10)
                try expect("The texts of a range", part.map(\.text), equals: ["a", "b"])
            }
        },
        ConformanceRule(
            .storage, "entries belong to their database",
            law: "An entry is found in the database that it was stored in, and in no other.",
            source: .storage("StorageMutation.setEntry(_:_:)")
        ) { world in
            let databases: [DatabaseKey] = [.public, .private(owner: "a"), .private(owner: "A"), .shared(owner: "a")]
            let key = StorageKey("sample/a")
            for (number, database) in databases.enumerated() {
                let before = try await world.backend.read(database) { try await $0.entry(key) }
                try expect("The text in \(database) before", before, equals: nil)
                try await world.backend.write(database) { try await $0.apply([.setEntry(key, "\(number)")]) }
            }
            try await world.backend.write(databases[1]) { try await $0.apply([.setEntry(key, nil)]) }
            for (number, database) in databases.enumerated() {
                let found = try await world.backend.read(database) { try await $0.entries(in: .samples, limit: 10) }
                try expect("The texts in \(database)", found.map(\.text), equals: number == 1 ? [] : ["\(number)"])
            }
        },
        ConformanceRule(
            .durability, "entries survive closing the store",
            law: "After the store was reopened, entries have the values of the last committed transactions.",
            source: .storage("StorageMutation.setEntry(_:_:)"), needsReopening: true
        ) { world in
            let keys = ["a", "b", "c"].map { StorageKey("sample/\($0)") }
            try await world.backend.write(.public) { try await $0.apply(keys.map { .setEntry($0, "first 'text'\n") }) }
            try await world.backend.write(.public) {
                try await $0.apply([.setEntry(keys[1], "second"), .setEntry(keys[2], nil)])
            }
            try await world.reopened { world in
                let found = try await world.backend.read(.public) { try await $0.entries(in: .samples, limit: 10) }
                try expect("The entries", found.map(\.text), equals: ["first 'text'\n", "second"])
                try await world.backend.write(.public) { try await $0.apply([.setEntry(keys[1], nil)]) }
                let left = try await world.backend.read(.public) {
                    try await $0.load(StorageKeys(entries: keys)).entries
                }
                try expect("The entries after a removal", left, equals: ["first 'text'\n", nil, nil])
            }
        },
    ]
}

extension String {
    /// Every scalar of the basic plane but NUL, and every *n*th of the others: with 5, a megabyte.
    static func ofScalars(by step: UInt32) -> String {
        let others = stride(from: UInt32(0x1_0000), through: 0x10_FFFF, by: Int(step))
        return String(UnicodeScalarView((Array(1...0xFFFF) + others).compactMap(Unicode.Scalar.init)))
    }
}
