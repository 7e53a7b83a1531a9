import Cabinet
import CabinetTesting
import Synchronization
import Testing

@Suite("Conflicts upon conflicts")
struct RepeatedConflictTests {
    @Test("A resolver that is asked again is asked about the client's own record")
    func clientWinsTwice() async throws {
        let base = MemoryBackend()
        let other = try Container(identifier: "com.example", backend: base).privateDatabase
        let id = RecordID(recordName: "a")
        var mine = Record(recordType: "Items", recordID: id)
        (mine["x"], mine["y"]) = (0, 0)
        mine = try await other.save(mine)
        (mine["x"], mine["y"]) = (1, 1)
        try await other.update(id) { $0["x"] = 1 }

        // The second write is that of the first merge, in which x has the client's value.
        let backend = InterferingBackend(base: base, writeToPrecede: 2) {
            try await other.update(id) { $0["x"] = 2 }
        }
        let database = try Container(identifier: "com.example", backend: backend).privateDatabase
        let asked = Mutex<[RecordConflict]>([])
        let saved = try await database.save(
            mine,
            resolvingConflictsWith: ConflictResolver { conflict in
                asked.withLock { $0.append(conflict) }
                var record = conflict.serverRecord
                for key in conflict.clientRecord.changedKeys() { record[key] = conflict.clientRecord[key] }
                return record
            })
        #expect(saved["x"] as? Int == 1)
        #expect(saved["y"] as? Int == 1)
        let conflicts = asked.withLock { $0 }
        #expect(conflicts.map(\.clientRecord) == [mine, mine])
        #expect(conflicts.map { $0.ancestorRecord?["x"] as? Int } == [0, 0])
        #expect(conflicts.map { $0.serverRecord["x"] as? Int } == [1, 2])
    }
}

/// Runs a closure just before a write.
private final class InterferingBackend: WrappingBackend {
    let base: any StorageBackend
    private let writeToPrecede: Int
    private let interfere: @Sendable () async throws -> Void
    private let writes = Mutex(0)

    init(base: MemoryBackend, writeToPrecede: Int, _ interfere: @escaping @Sendable () async throws -> Void) {
        self.base = base
        self.writeToPrecede = writeToPrecede
        self.interfere = interfere
    }

    func write<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        let number = writes.withLock { count in
            count += 1
            return count
        }
        if number == writeToPrecede { try await interfere() }
        return try await base.write(database, body)
    }
}
