import Cabinet

extension Mutant {
    /// Backends that lose or change the entries in which the core stores zones.
    static let zoning: [Mutant] = [
        Mutant("forgets zones", caughtBy: ["a saved zone can be fetched"]) {
            $0.ignoreEntries(.zones) { $0 != nil }
        },
        Mutant(
            "finds all zones whichever were asked for",
            caughtBy: ["an unknown zone is zoneNotFound", "an unknown zone is reported before an unknown type"]
        ) { fault in
            fault.loaded = { values, keys in
                var values = values
                values.entries = zip(keys.entries, values.entries).map { key, text in
                    text ?? (key.text.hasPrefix(.zones) ? "1 1 0 _anna" : nil)
                }
                return values
            }
        },
        Mutant("finds no zones", caughtBy: ["records live in their zone"]) { $0.loseEntries(.zones) },
        Mutant("lists no zones", caughtBy: ["a saved zone can be fetched"]) {
            $0.entries = { $0.filter { !$0.key.text.hasPrefix(.zones) } }
        },
        Mutant("keeps zones that are removed", caughtBy: ["a zone is deleted with its records"]) {
            $0.ignoreEntries(.zones) { $0 == nil }
        },
        Mutant(
            "keeps the records of removed zones",
            caughtBy: ["a zone is deleted with its records", "a recreated zone is empty"]
        ) { $0.ignoreMutations { if case .eraseZone = $0 { true } else { false } } },
        Mutant(
            "erases zones whose names begin with that of an erased one",
            caughtBy: ["zones whose names begin alike are apart"]
        ) {
            $0.replaceMutations { mutation in
                guard case .eraseZone(let zoneID) = mutation else { return [mutation] }
                return [mutation, .eraseZone(zoneID.continued)]
            }
        },
        Mutant(
            "forgets the deletions of owners whose names begin alike",
            caughtBy: ["zones whose names begin alike are apart"]
        ) {
            $0.replaceMutations { mutation in
                guard case .forgetDeletions(let zoneID, let number) = mutation else { return [mutation] }
                return [mutation, .forgetDeletions(in: zoneID.continued, through: number)]
            }
        },
        Mutant("keeps the references of erased zones", caughtBy: ["an erased zone leaves no references"]) {
            $0.zonesLeaveReferences = true
        },
        Mutant("forgets the creator of a zone", caughtBy: ["a public zone is deleted by its creator"]) {
            $0.mapZones { $0.creator = "_ben" }
        },
        Mutant("gives the default zone no beginning", caughtBy: ["clients continue with a copy"]) {
            $0.mapZones { if $0.name == RecordZone.ID.default.zoneName { $0.creation = 0 } }
        },
    ]
}

extension RecordZone.ID {
    /// The zone of an owner whose name continues that of this zone's owner.
    fileprivate var continued: RecordZone.ID { RecordZone.ID(zoneName: zoneName, ownerName: ownerName + "w") }
}

/// The parts of the entry in which the core stores a zone.
struct ZoneEntry {
    let name: String
    var creation: Int64
    var change: Int64
    var expiration: Int64
    var creator: String

    /// Reads the parts of an entry; `nil` if it is not one of a zone.
    init?(_ entry: StorageEntry) {
        let parts = entry.text.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        guard entry.key.text.hasPrefix(.zones), parts.count == 4, let creation = Int64(parts[0]),
            let change = Int64(parts[1]), let expiration = Int64(parts[2])
        else { return nil }
        name = entry.key.text.split(separator: "/").last.map(String.init) ?? ""
        self.creation = creation
        self.change = change
        self.expiration = expiration
        creator = String(parts[3])
    }
}

extension String {
    /// The beginning of the keys of zones.
    static let zones = "database/zone/"
    /// The beginning of the keys of removed zones.
    static let removedZones = "database/removalByNumber/"
    /// The beginning of the keys of the numbers of removed zones.
    static let removalsByZone = "database/removalByZone/"
    /// The key of the number of the last forgotten removal of a zone.
    static let forgottenRemoval = "database/removedZoneExpiration"
}

extension Fault {
    /// Changes the zones that are read.
    mutating func mapZones(_ change: @escaping @Sendable (inout ZoneEntry) -> Void) {
        mapEntries { entry in
            guard var zone = ZoneEntry(entry) else { return entry }
            change(&zone)
            return StorageEntry(
                key: entry.key, text: "\(zone.creation) \(zone.change) \(zone.expiration) \(zone.creator)")
        }
    }
}
