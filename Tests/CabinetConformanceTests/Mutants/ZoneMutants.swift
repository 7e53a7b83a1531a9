import Cabinet

extension Mutant {
    /// Backends that know their zones badly.
    static let zoning: [Mutant] = [
        Mutant("forgets zones", caughtBy: ["a zone is there once it is saved"]) { $0.addedZones = { _ in [] } },
        Mutant("finds all zones whichever were asked for", caughtBy: ["an unknown zone is zoneNotFound"]) {
            $0.zones = { found, ids in
                found + (ids ?? []).map { $0.sample(creator: "_anna") }
            }
        },
        Mutant("finds no zones", caughtBy: ["records live in their zone"]) { $0.zones = { _, _ in [] } },
        Mutant("lists no zones", caughtBy: ["a zone is there once it is saved"]) {
            $0.zones = { found, ids in ids == nil ? [] : found }
        },
        Mutant("keeps zones that are removed", caughtBy: ["a zone goes with its records"]) {
            $0.removedZones = { _ in [] }
        },
        Mutant(
            "keeps the records of removed zones",
            caughtBy: ["a zone goes with its records", "a zone that is made again is empty"]
        ) { $0.zonesLeaveRecords = true },
        Mutant("keeps the references of removed zones", caughtBy: ["a removed zone leaves no references"]) {
            $0.zonesLeaveReferences = true
        },
        Mutant("forgets who made a zone", caughtBy: ["a public zone is deleted by its creator"]) {
            $0.zones = { found, _ in found.map { $0.zoneID.sample(creator: "_ben") } }
        },
        Mutant(
            "gives the default zone no beginning",
            caughtBy: ["the default zone can be given a beginning", "clients go on in a copy"]
        ) { fault in
            fault.zones = { found, _ in
                found.map { zone in
                    zone.zoneID != .default
                        ? zone
                        : StoredZone(
                            zoneID: .default, creatorName: "", creationNumber: 0, changeNumber: zone.changeNumber,
                            expirationNumber: zone.expirationNumber)
                }
            }
        },
    ]
}

extension RecordZone.ID {
    fileprivate func sample(creator: String) -> StoredZone {
        StoredZone(zoneID: self, creatorName: creator, creationNumber: 1, changeNumber: 1)
    }
}
