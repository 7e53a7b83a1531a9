import Cabinet
import Foundation

extension Mutant {
    /// Backends that store entries incorrectly.
    static let keepingEntries: [Mutant] = [
        Mutant(
            "orders entries without regard to case", caughtBy: ["entries come in the order of their keys' bytes"]
        ) { $0.entries = { $0.sorted { $0.key.text.lowercased() < $1.key.text.lowercased() } } },
        Mutant("orders entries backwards", caughtBy: ["entries come in the order of their keys' bytes"]) {
            $0.entries = { $0.reversed() }
        },
        Mutant(
            "takes the end of a range for a part of it",
            caughtBy: [
                "the bounds of a range need not be stored", "entries come in the order of their keys' bytes",
            ]
        ) { $0.range = { $0.lowerBound..<StorageKey($0.upperBound.text + " ") } },
        Mutant(
            "leaves out the beginning of a range", caughtBy: ["the bounds of a range need not be stored"]
        ) {
            $0.range = { range in
                let start = StorageKey(range.lowerBound.text + " ")
                return start < range.upperBound ? start..<range.upperBound : range
            }
        },
        Mutant(
            "loses the responses to requests",
            caughtBy: [
                "a request that is sent again changes nothing",
                "the responses to requests are remembered for a limited time",
            ]
        ) { fault in
            fault.loaded = { values, keys in
                var values = values
                for (index, key) in keys.entries.enumerated()
                where index < values.entries.count && key.text.hasPrefix("reply/") {
                    values.entries[index] = nil
                }
                return values
            }
        },
        Mutant(
            "does not find the entries of old responses",
            caughtBy: ["the responses to requests are remembered for a limited time"]
        ) { $0.entries = { $0.filter { !$0.key.text.hasPrefix("reply/") } } },
        Mutant("ignores the limit of entries", caughtBy: ["entries come in pages"]) { $0.entryLimit = { _ in .max } },
        Mutant("reads a thousand entries at most", caughtBy: ["entries come in pages"]) {
            $0.entryLimit = { min($0, 1000) }
        },
        Mutant("loads a thousand entries of a range at most", caughtBy: ["entries come in pages"]) { fault in
            fault.loaded = { values, _ in
                var values = values
                values.entryRanges = values.entryRanges.map { Array($0.prefix(1000)) }
                return values
            }
        },
        Mutant(
            "loses the rules of schemas",
            caughtBy: [
                "a role may change records that others created", "only granted roles create records",
                "no call reads records that the user's roles may not read", "creators read their own records",
                "no key path reads records that the user's roles may not read",
                "users are notified of records that they may read",
                "grants are those of the latest schema that has some",
                "a role deletes records that their creators do not hold",
                "a checksum does not give the bytes of a record without READ", "unique values belong to one record",
                "several fields are unique together", "a batch is judged by its result",
                "values are unique in all zones of a database", "one of many concurrent saves has a unique value",
                "values in use twice cannot become unique",
                "a zone with records that only a role may change is deleted by the role",
                "a refusal does not name the creator of an unreadable record",
                "a change token expires when its user may read other records", "an observer follows the grants",
            ]
        ) { fault in
            fault.loaded = { values, _ in
                var values = values
                values.entryRanges = values.entryRanges.map { $0.filter { !$0.key.text.hasPrefix("schema/") } }
                return values
            }
        },
        Mutant(
            "completes migrations at their first part",
            caughtBy: [
                "a migration runs once", "a migration goes on where it was interrupted",
                "programs that migrate at once do no step twice", "a migration that would lose values is refused",
                "a migration that cannot be is refused",
            ]
        ) {
            $0.replaceMutations { mutation in
                guard case .setEntry(let key, _?) = mutation, key.text.hasPrefix("migration/") else {
                    return [mutation]
                }
                return [.setEntry(key, "done")]
            }
        },
        Mutant(
            "finds no records of the default zone by their values",
            caughtBy: ["values are unique in all zones of a database"]
        ) { fault in
            fault.page = { records, _ in records.filter { $0.recordID.zoneID != .default } }
        },
        Mutant("keeps subscriptions at a rename", caughtBy: ["a subscription follows a rename"]) { fault in
            fault.applied = { mutations in
                guard mutations.contains(where: { if case .rename = $0 { true } else { false } }) else {
                    return mutations
                }
                return mutations.filter { mutation in
                    guard case .setEntry(let key, _) = mutation else { return true }
                    return !key.text.hasPrefix("subscription")
                }
            }
        },
        Mutant("never removes an entry", caughtBy: ["a key has one text"]) { $0.ignoreEntries("") { $0 == nil } },
        Mutant(
            "takes an empty text for none",
            caughtBy: ["a key has one text", "an entry keeps every character of its text"]
        ) { $0.mapSetEntries { $0.isEmpty ? nil : $0 } },
        Mutant("normalises entries", caughtBy: ["an entry keeps every character of its text"]) {
            $0.mapSetEntries { $0.precomposedStringWithCanonicalMapping }
        },
        Mutant("cuts long entries off", caughtBy: ["an entry keeps every character of its text"]) {
            $0.mapSetEntries { String($0.unicodeScalars.prefix(65_535)) }
        },
        Mutant("keeps line ends of one kind", caughtBy: ["an entry keeps every character of its text"]) {
            $0.mapSetEntries { $0.replacingOccurrences(of: "\r\n", with: "\n") }
        },
        Mutant("tells keys apart by 255 bytes", caughtBy: ["the longest keys are distinguished"]) { fault in
            @Sendable func short(_ key: StorageKey) -> StorageKey { StorageKey(String(key.text.prefix(255))) }
            fault.replaceMutations { mutation in
                guard case .setEntry(let key, let text) = mutation else { return [mutation] }
                return [.setEntry(short(key), text)]
            }
            fault.keys = { keys in
                var keys = keys
                keys.entries = keys.entries.map(short)
                return keys
            }
        },
    ]
}

extension Fault {
    /// Changes the texts that are stored.
    fileprivate mutating func mapSetEntries(_ change: @escaping @Sendable (String) -> String?) {
        replaceMutations { mutation in
            guard case .setEntry(let key, let text?) = mutation else { return [mutation] }
            return [.setEntry(key, change(text))]
        }
    }
}
