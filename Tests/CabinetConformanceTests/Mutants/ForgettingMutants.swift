import Cabinet

extension Mutant {
    /// A backend that works, and what opens its store again: a backend with the fault.
    func store() -> (backend: any StorageBackend, reopen: @Sendable () async throws -> any StorageBackend) {
        let base = MemoryBackend()
        let memory = MutantMemory()
        var first = Fault()
        first.isolation = .neverCloses
        first.skipsUndoneNumbers = fault.skipsUndoneNumbers
        var later = fault
        later.isolation = .neverCloses
        later.skipsUndoneNumbers = false
        let isAnotherStoreWhenShared = fault.isAnotherStoreWhenShared
        return (
            MutantBackend(first, base: base, memory: memory),
            { [later] in
                let isAnother = isAnotherStoreWhenShared && !memory.withLock(\.isClosed)
                return MutantBackend(later, base: isAnother ? MemoryBackend() : base, memory: memory)
            }
        )
    }

    /// Backends that lose something when they are closed.
    static let forgetting: [Mutant] = [
        Mutant(
            "forgets the records",
            caughtBy: [
                "everything is there when the store is opened again", "a cursor outlives a restart",
                "a store is opened again and again",
            ]
        ) {
            $0.fetched = { records, _ in records.map { _ in nil } }
            $0.page = { _, _ in [] }
        },
        Mutant(
            "forgets the numbers that were given", caughtBy: ["sequence numbers rise across openings"]
        ) { $0.sequenceNumber = { min($0, 5) } },
        Mutant("forgets the indexes", caughtBy: ["schema and indexes outlast the store's closing"]) {
            $0.schema = { StoredSchema(recordTypes: $0.recordTypes) }
        },
        Mutant(
            "forgets fields without a value", caughtBy: ["schema and indexes outlast the store's closing"]
        ) {
            $0.schema = { schema in
                var schema = schema
                for type in schema.recordTypes.keys { schema.recordTypes[type]?["empty"] = nil }
                return schema
            }
        },
        Mutant("forgets empty zones", caughtBy: ["zones outlast the store's closing"]) {
            $0.zones = { zones, _ in zones.filter { $0.zoneID.zoneName != "Travel" } }
        },
        Mutant("forgets who has made zones", caughtBy: ["zones outlast the store's closing"]) {
            $0.zones = { zones, _ in
                zones.map {
                    StoredZone(
                        zoneID: $0.zoneID, creatorName: "_ben", creationNumber: $0.creationNumber,
                        changeNumber: $0.changeNumber, expirationNumber: $0.expirationNumber)
                }
            }
        },
        Mutant("forgets the timelines", caughtBy: ["numbers stay on their timelines across openings"]) {
            $0.timelines = { $0.map { _ in 7 } }
        },
        Mutant("forgets the deletions", caughtBy: ["change tokens go on after the store's closing"]) {
            $0.changes = { $0.filter { if case .deleted = $0 { false } else { true } } }
        },
        Mutant("forgets the zones that are gone", caughtBy: ["change tokens go on after the store's closing"]) {
            $0.zoneChanges = { $0.filter { if case .deleted = $0 { false } else { true } } }
        },
        Mutant("forgets what it has forgotten", caughtBy: ["what was forgotten stays forgotten"]) {
            $0.zones = { zones, _ in
                zones.map { zone in
                    var zone = zone
                    zone.expirationNumber = 0
                    return zone
                }
            }
        },
        Mutant("forgets which notifications it has forgotten", caughtBy: ["what was forgotten stays forgotten"]) {
            $0.expiration = { _ in 0 }
        },
        Mutant(
            "forgets that subscriptions were made",
            caughtBy: [
                "every kind of subscription outlasts the store's closing",
                "subscriptions and notifications outlast the store's closing",
            ]
        ) { $0.subscriptions = { _ in [] } },
        Mutant("forgets notifications", caughtBy: ["subscriptions and notifications outlast the store's closing"]) {
            $0.notifications = { $0.filter { _ in false } }
        },
        Mutant(
            "loses names that a rolled-back transaction used first",
            caughtBy: ["names of a rolled-back transaction that are used again outlast the store's closing"]
        ) { $0.losesUndoneTypes = true },
        Mutant(
            "forgets the numbers that it skipped after a rolled-back transaction",
            caughtBy: ["numbers that follow a rolled-back transaction are not given again"]
        ) { $0.skipsUndoneNumbers = true },
        Mutant(
            "is another store for who opens it twice", caughtBy: ["a store that is open is shared or refused"]
        ) { $0.isAnotherStoreWhenShared = true },
        Mutant("brings back old versions", caughtBy: ["what was refused does not come back"]) {
            $0.fetched = { records, _ in records.map { $0.map { $0.mapValues { _ in .int64(3) } } } }
        },
    ]
}
