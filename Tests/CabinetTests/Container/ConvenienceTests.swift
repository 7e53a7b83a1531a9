import CabinetTesting
import Testing

@testable import Cabinet

@Suite("Conveniences: cancellation")
struct ConvenienceTests {
    private func database() throws -> Database {
        try Container(identifier: "com.example.notes", backend: MemoryBackend()).privateDatabase
    }

    @Test("A record sequence ends with an error when its task is cancelled")
    func sequenceCancellation() async throws {
        let database = try database()
        for number in 0..<5 {
            try await database.save(Record(recordType: "Notes", recordID: RecordID(recordName: "note \(number)")))
        }
        let task = Task {
            var count = 0
            for try await _ in database.recordSequence(matching: Query(recordType: "Notes"), pageSize: 2) {
                count += 1
                if count == 2 { withUnsafeCurrentTask { $0?.cancel() } }
            }
            return count
        }
        let error = await #expect(throws: CabinetError.self) { try await task.value }
        #expect(error?.code == .operationCancelled)
    }

    @Test("A record sequence can be iterated over again")
    func sequenceRepetition() async throws {
        let database = try database()
        try await database.save(Record(recordType: "Notes"))
        let sequence = database.recordSequence(matching: Query(recordType: "Notes"))
        for _ in 1...2 {
            var count = 0
            for try await _ in sequence { count += 1 }
            #expect(count == 1)
        }
        var iterator = sequence.makeAsyncIterator()
        #expect(try await iterator.next() != nil)
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.next() == nil)
    }

    @MainActor
    private final class Editor {
        var name = "Milk"
        var tries = 0

        func save(_ recordID: RecordID, in database: Database) async throws -> Record {
            try await database.update(recordID) { record in
                tries += 1
                record["name"] = name
            }
        }
    }

    @Test("An update may use state of the calling actor")
    @MainActor
    func updateOnAnActor() async throws {
        let database = try database()
        let record = try await database.save(Record(recordType: "Notes"))
        let editor = Editor()
        let updated = try await editor.save(record.recordID, in: database)
        #expect(updated["name"] as? String == "Milk")
        #expect(editor.tries == 1)
    }

    @Test("System fields do not show which change is newer", arguments: ["modificationDate", "parent"])
    func newestBySystemField(key: String) async throws {
        let database = try database()
        var mine = try await database.save(Record(recordType: "Notes"))
        try await database.update(mine.recordID) { $0["name"] = "theirs" }
        mine["name"] = "mine"
        let error = await #expect(throws: CabinetError.self) {
            try await database.save(mine, resolvingConflictsWith: .newestWins(by: key))
        }
        #expect(error?.code == .invalidArguments)
        #expect(error?.fieldKey == key)
    }

    @Test("An update stops between two attempts when its task is cancelled")
    func updateCancellation() async throws {
        let id = RecordID(recordName: "note")
        let backend = RivalBackend(recordID: id)
        let database = try Container(identifier: "com.example.notes", backend: backend).privateDatabase
        try await database.save(Record(recordType: "Notes", recordID: id))
        let task = Task {
            var runs = 0
            try await database.update(id) { note in
                runs += 1
                note["runs"] = runs
                if runs == 3 { withUnsafeCurrentTask { $0?.cancel() } }
            }
        }
        let error = await #expect(throws: CabinetError.self) { try await task.value }
        #expect(error?.code == .operationCancelled)
        #expect(try await database.record(for: id)["runs"] == Int?.none)
    }

    @Test("An update that replaces the record by an older version or by another record is refused")
    func updateWithAnotherVersion() async throws {
        let database = try database()
        let stale = try await database.save(Record(recordType: "Notes"))
        try await database.update(stale.recordID) { $0["name"] = "Milk" }
        for other in [stale, Record(recordType: "Notes")] {
            let error = await #expect(throws: CabinetError.self) {
                try await database.update(stale.recordID) { $0 = other }
            }
            #expect(error?.code == .invalidArguments && error?.recordID == stale.recordID)
        }
        #expect(try await database.record(for: stale.recordID)["name"] as? String == "Milk")
    }

    @Test("An update without a conflict runs its closure once")
    func updateOnce() async throws {
        let database = try database()
        let record = try await database.save(Record(recordType: "Notes"))
        var runs = 0
        try await database.update(record.recordID) { note in
            runs += 1
            note["runs"] = runs
        }
        #expect(runs == 1)
    }
}

/// A backend in which another client is always faster: before every write, a record gets another change tag.
private struct RivalBackend: WrappingBackend {
    let recordID: RecordID
    let base: any StorageBackend = MemoryBackend()

    func write<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        try await base.write(database) { [recordID] transaction in
            for case let stored? in try await transaction.records(for: [recordID], keys: nil) {
                var record = stored
                record.sequenceNumber = try await transaction.reserveSequenceNumbers(1)
                try await transaction.apply([.update(record, replacing: stored)])
            }
            return try await body(transaction)
        }
    }
}
