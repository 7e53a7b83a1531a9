/// The state of a migration as an entry: `done`, or its numbers, such as `1 400 5023`.
extension MigrationState {
    private static let allKeys = StorageKey.all("migration")

    fileprivate static func key(_ name: String) -> StorageKey { StorageKey("migration", name) }

    fileprivate init(_ entry: StorageEntry) throws(CabinetError) {
        self.init()
        if entry.text == "done" {
            isDone = true
            return
        }
        var reader = EntryReader(entry.text)
        guard let step = reader.number().flatMap({ Int(exactly: $0) }),
            let count = reader.number().flatMap({ Int(exactly: $0) }), let position = reader.number(), step >= 0,
            reader.isAtEnd
        else { throw .damagedEntry(entry.key, entry.text) }
        self.step = step
        recordCount = count
        self.position = position
    }

    fileprivate var text: String { isDone ? "done" : "\(step) \(recordCount) \(position)" }

    /// Returns the mutation that stores the state of a migration.
    package func mutation(of name: String) -> StorageMutation { .setEntry(Self.key(name), text) }

    /// Reads the states of all migrations that a database has begun, by their names.
    fileprivate static func all(in snapshot: any StorageSnapshot) async throws -> [String: MigrationState] {
        var states: [String: MigrationState] = [:]
        for entry in try await snapshot.allEntries(in: allKeys) {
            guard let name = entry.key.names.last else { continue }
            states[name] = try MigrationState(entry)
        }
        return states
    }
}

extension StorageSnapshot {
    /// Reads the states of all migrations that the database has begun, by their names.
    package func migrations() async throws -> [String: MigrationState] { try await MigrationState.all(in: self) }

    /// Throws ``CabinetError/Code/serverRecordChanged`` unless a migration is in the state before a step.
    func check(_ step: MigrationStep?) async throws {
        guard let step else { return }
        let key = MigrationState.key(step.name)
        let text = try await load(StorageKeys(entries: [key])).entries.first ?? nil
        try step.check(try text.map { try MigrationState(StorageEntry(key: key, text: $0)) })
    }
}

extension MigrationStep? {
    /// The mutation that stores the state after the step.
    var mutations: [StorageMutation] { map { [$0.after.mutation(of: $0.name)] } ?? [] }
}
