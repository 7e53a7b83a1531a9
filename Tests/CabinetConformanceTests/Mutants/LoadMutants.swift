import Cabinet
import Foundation

extension Mutant {
    /// Backends that load something else than they are asked for.
    static let loading: [Mutant] = [
        Mutant(
            "loads entries in the order of their keys", caughtBy: ["a load returns results in the order of its keys"]
        ) {
            $0.mapLoadedEntries { texts, keys in zip(keys, texts).sorted { $0.0 < $1.0 }.map(\.1) }
        },
        Mutant("loads a repeated key once", caughtBy: ["a load returns results in the order of its keys"]) {
            $0.mapLoadedEntries { texts, keys in
                var seen: Set<StorageKey> = []
                return zip(keys, texts).map { seen.insert($0).inserted ? $1 : nil }
            }
        },
        Mutant(
            "loads all entries where none are asked for", caughtBy: ["an empty load returns only the schema"]
        ) { fault in
            fault.loaded = { values, keys in
                var values = values
                if keys.entryRanges.isEmpty { values.entryRanges = [[]] }
                return values
            }
        },
        Mutant(
            "loads no record without the fields that are asked for",
            caughtBy: ["a load of some fields leaves out the others, but no record"]
        ) { fault in
            fault.loaded = { values, keys in
                guard let fields = keys.fields else { return values }
                var values = values
                values.records = values.records.map { record in
                    record.flatMap { record in fields.contains { record.fields[$0] == nil } ? nil : record }
                }
                return values
            }
        },
        Mutant("reports every record as stored", caughtBy: ["records exist from their insertion to their deletion"]) {
            $0.mapExisting { _, _ in true }
        },
        Mutant(
            "reports every record as missing",
            caughtBy: [
                "records exist from their insertion to their deletion",
                "a load returns results in the order of its keys",
            ]
        ) { $0.mapExisting { _, _ in false } },
        Mutant("loads a thousand entries at most", caughtBy: ["thousands of keys are loaded at once"]) {
            $0.mapLoadedEntries { texts, _ in texts.enumerated().map { $0 < 1000 ? $1 : nil } }
        },
        Mutant("loads a page of a range", caughtBy: ["a load returns every entry of a range"]) { fault in
            fault.loaded = { values, _ in
                var values = values
                values.entryRanges = values.entryRanges.map { Array($0.prefix(256)) }
                return values
            }
        },
        Mutant(
            "joins the parts of IDs to one text", caughtBy: ["IDs whose parts join to the same text are different"]
        ) {
            $0.mapLoaded { records, ids in
                var first: [String: StoredRecord?] = [:]
                for (id, record) in zip(ids, records) {
                    let text = "\(id.zoneID.ownerName)/\(id.zoneID.zoneName)/\(id.recordName)"
                    if first[text] == nil { first[text] = record }
                }
                return ids.map { first["\($0.zoneID.ownerName)/\($0.zoneID.zoneName)/\($0.recordName)"] ?? nil }
            }
        },
        Mutant(
            "computes aggregates in snapshots alone", caughtBy: ["every view has the same abilities"]
        ) { fault in
            fault.abilities = { abilities, isTransaction in
                isTransaction ? SnapshotAbilities(assets: abilities.assets) : abilities
            }
        },
        Mutant(
            "stores assets that no view reads", caughtBy: ["every view has the same abilities"]
        ) { fault in
            fault.abilities = { abilities, _ in SnapshotAbilities(aggregates: abilities.aggregates) }
        },
        Mutant(
            "gives snapshots an origin", caughtBy: ["the origin stays the same while the store is open"]
        ) { fault in
            fault.loaded = { values, _ in
                var values = values
                values.origin = "origin"
                return values
            }
        },
        Mutant(
            "has another origin with each load", caughtBy: ["the origin stays the same while the store is open"]
        ) { $0.origin = { UUID().uuidString } },
    ]
}

extension Fault {
    /// Changes the texts of entries that are loaded by key.
    fileprivate mutating func mapLoadedEntries(
        _ change: @escaping @Sendable (_ texts: [String?], _ keys: [StorageKey]) -> [String?]
    ) {
        loaded = { [loaded] values, keys in
            var values = loaded(values, keys)
            values.entries = change(values.entries, keys.entries)
            return values
        }
    }
}
