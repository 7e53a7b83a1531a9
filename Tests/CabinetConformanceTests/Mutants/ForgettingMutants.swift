import Cabinet
import Synchronization

extension Mutant {
    /// A backend that works, and what opens its store again: a backend with the fault.
    func store() -> (backend: any StorageBackend, reopen: @Sendable () async throws -> any StorageBackend) {
        let base = MemoryBackend()
        let memory = MutantMemory()
        var first = Fault()
        first.isolation = .neverCloses
        first.origin = fault.origin
        var later = fault
        later.isolation = .neverCloses
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
                "records and schema survive closing and reopening", "a cursor survives a restart",
                "a store can be reopened repeatedly",
            ]
        ) {
            $0.mapLoaded { records, _ in records.map { _ in nil } }
            $0.mapExisting { _, _ in false }
            $0.page = { _, _ in [] }
        },
        Mutant(
            "forgets the numbers that were given", caughtBy: ["sequence numbers rise across openings"]
        ) { $0.mapEntries { ["database", "sample/number"].contains($0.key.text) ? nil : $0 } },
        Mutant("forgets the indexes", caughtBy: ["schema and indexes survive closing the store"]) {
            $0.mapSchema { $0.indexes = [:] }
        },
        Mutant(
            "forgets fields without a value", caughtBy: ["schema and indexes survive closing the store"]
        ) {
            $0.mapSchema { schema in
                for type in schema.recordTypes.keys { schema.recordTypes[type]?["empty"] = nil }
            }
        },
        Mutant("forgets empty zones", caughtBy: ["zones survive closing the store"]) {
            $0.mapEntries { $0.key.text.hasPrefix(.zones) && $0.key.text.hasSuffix("/Travel") ? nil : $0 }
        },
        Mutant("forgets the creators of zones", caughtBy: ["zones survive closing the store"]) {
            $0.mapZones { $0.creator = "_ben" }
        },
        Mutant("begins the same life again", caughtBy: ["a reopened store has another origin"]) {
            $0.origin = { "the only one" }
        },
        Mutant("forgets entries", caughtBy: ["entries survive closing the store"]) { $0.loseEntries("") },
        Mutant(
            "forgets the deletions",
            caughtBy: [
                "change tokens remain valid after closing the store", "a sync engine continues after closing the store",
            ]
        ) {
            $0.changes = { $0.filter { if case .deleted = $0 { false } else { true } } }
        },
        Mutant("forgets the zones that are deleted", caughtBy: ["change tokens remain valid after closing the store"]) {
            $0.loseEntries(.removedZones)
        },
        Mutant("forgets what it has forgotten", caughtBy: ["forgotten deletions stay forgotten"]) {
            $0.mapZones { $0.expiration = 0 }
        },
        Mutant("forgets which deletions of zones it has forgotten", caughtBy: ["forgotten deletions stay forgotten"]) {
            $0.loseEntries(.forgottenRemoval)
        },
        Mutant("forgets which notifications it has forgotten", caughtBy: ["forgotten deletions stay forgotten"]) {
            $0.loseEntries("forgottenNotification/")
        },
        Mutant(
            "forgets that subscriptions were made",
            caughtBy: [
                "every kind of subscription survives closing the store",
                "subscriptions and notifications survive closing the store",
            ]
        ) { $0.loseEntries("subscription") },
        Mutant("forgets notifications", caughtBy: ["subscriptions and notifications survive closing the store"]) {
            $0.loseEntries("notification/")
            $0.loseEntries("latest/")
        },
        Mutant(
            "loses names that a rolled-back transaction used first",
            caughtBy: ["names of a rolled-back transaction that are used again survive closing the store"]
        ) { $0.losesRolledBackTypes = true },
        Mutant(
            "loses entries that a rolled-back transaction set first",
            caughtBy: ["numbers that follow a rolled-back transaction are not reused"]
        ) { $0.losesRolledBackEntries = true },
        Mutant(
            "is another store if it is opened twice", caughtBy: ["an open store is shared or refused"]
        ) { $0.isAnotherStoreWhenShared = true },
        Mutant("lists the databases that it has opened", caughtBy: ["databases are listed after reopening"]) {
            $0.databases = { $0.filter { $0 == .private(owner: "_anna") } }
        },
        Mutant(
            "keeps the records that it has read", caughtBy: ["an opening reads what another opening has changed since"]
        ) { fault in
            let cache = Mutex<[RecordID: StoredRecord?]>([:])
            fault.mapLoaded { records, ids in
                cache.withLock { cache in
                    zip(ids, records).map { id, record in
                        if cache[id] == nil { cache[id] = record }
                        return cache[id] ?? nil
                    }
                }
            }
        },
        Mutant(
            "keeps the schema that it has read", caughtBy: ["an opening reads what another opening has changed since"]
        ) { fault in
            let cache = Mutex<StoredSchema?>(nil)
            fault.mapSchema { schema in
                let read = schema
                schema = cache.withLock { cache in
                    cache = cache ?? read
                    return cache ?? read
                }
            }
        },
        Mutant(
            "signals no changes of other openings",
            caughtBy: ["an observed query follows another opening of the store"]
        ) {
            $0.signals = { base in
                AsyncStream { continuation in
                    Task {
                        for await _ in base {}
                        continuation.finish()
                    }
                }
            }
        },
        Mutant("restores old versions", caughtBy: ["refused changes do not reappear"]) {
            $0.mapLoaded { records, _ in records.map { $0.map { $0.mapValues { _ in .int64(3) } } } }
        },
    ]
}
