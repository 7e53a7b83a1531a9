import Cabinet
import CabinetTesting
import Foundation
import Testing

@testable import CabinetTools

/// The positions of imports into a database that is behind a service.
@Suite("Positions of imports into a server")
struct ServerPositionTests {
    private let positions = FaultInjectingBackend(MemoryBackend())
    private let file = FileManager.default.temporaryDirectory.appending(path: "cabinet-\(UUID().uuidString).jsonl")

    init() throws {
        let lines = (0..<6).map { "{\"recordName\":\"n\($0)\",\"recordType\":\"T\",\"fields\":{\"x\":\($0)}}\n" }
        try lines.joined().write(to: file, atomically: true, encoding: .utf8)
    }

    private func container(over backend: any StorageBackend, hoursAhead: Double = 0) throws -> Container {
        let service = try LocalDatabaseService(
            backend: backend, now: { Date().addingTimeInterval(hoursAhead * 3_600) })
        return try Container(identifier: "test", service: service)
    }

    /// Imports the lines two by two.
    ///
    /// - Returns: The notices.
    private func importing(into container: Container, target: String = "a") async throws -> [String] {
        var transfer = try await DatabaseImport(
            of: file, into: container.privateDatabase, of: container, positionsIn: (positions, target))
        transfer.batchSize = 2
        var notices: [String] = []
        try await transfer.run { if case .notice(let text) = $0 { notices.append(text) } }
        return notices
    }

    /// Imports until the write with a number fails.
    private func interrupt(_ container: Container, atWrite number: Int) async throws {
        // Each batch writes the request's ID before it is sent, and the position afterwards.
        positions.inject(.failure(.networkFailure), on: .write, at: number)
        let error = await #expect(throws: CabinetError.self) { try await importing(into: container) }
        #expect(error?.message.contains("records are saved. Repeat the command to continue.") == true)
        positions.removeAllInjections()
    }

    @Test("A batch whose response was lost is not imported again")
    func lostResponse() async throws {
        let container = try container(over: MemoryBackend())
        try await interrupt(container, atWrite: 4)
        var record = try await container.privateDatabase.record(for: "n3")
        record["x"] = -1
        try await container.privateDatabase.save(record)
        #expect(try await importing(into: container) == ["Continuing after line 4."])
        #expect(try await container.privateDatabase.record(for: "n3")["x"] as? Int == -1)
        #expect(try await container.privateDatabase.record(for: "n5")["x"] as? Int == 5)
    }

    @Test("A batch that the server has forgotten is imported once more, and a notice says so")
    func forgottenRequest() async throws {
        let backend = MemoryBackend()
        try await interrupt(try container(over: backend), atWrite: 4)
        let key = DatabaseKey.private(owner: Account.default.userRecordName)
        let entries = try await positions.read(key) {
            try await $0.entries(in: StorageKey.all("import", "pending"), limit: 10)
        }
        let entry = try #require(entries.first)
        var pending = try JSONDecoder().decode(ImportState.PendingBatch.self, from: Data(entry.text.utf8))
        pending.date -= 3_600
        let text = String(decoding: try JSONEncoder().encode(pending), as: UTF8.self)
        try await positions.write(key) { try await $0.apply([.setEntry(entry.key, text)]) }
        let later = try container(over: backend, hoursAhead: 1)
        let notices = try await importing(into: later)
        #expect(notices.count == 2 && notices[0].contains("forgotten") && notices[1] == "Continuing after line 2.")
        #expect(try await later.privateDatabase.count(matching: Query(recordType: "T")) == 6)
    }

    @Test("A damaged position is ignored")
    func damagedPosition() async throws {
        let container = try container(over: MemoryBackend())
        try await interrupt(container, atWrite: 4)
        let key = DatabaseKey.private(owner: Account.default.userRecordName)
        let entries = try await positions.read(key) {
            try await $0.entries(in: StorageKey.all("import", "position"), limit: 10)
        }
        let entry = try #require(entries.first)
        let text = entry.text.replacing(#/"line":[0-9]+/#, with: #""line":\#(Int.max)"#)
        #expect(text != entry.text)
        let pending = StorageKey.all("import", "pending")
        try await positions.write(key) { transaction in
            let others = try await transaction.entries(in: pending, limit: 10)
            try await transaction.apply(
                others.map { .setEntry($0.key, nil) } + [.setEntry(entry.key, text)])
        }
        #expect(try await importing(into: container) == [])
        #expect(try await container.privateDatabase.count(matching: Query(recordType: "T")) == 6)
    }

    @Test("A server whose database was replaced by another one gets all records")
    func replacedDatabase() async throws {
        try await interrupt(try container(over: MemoryBackend()), atWrite: 5)
        let other = try container(over: MemoryBackend())
        let notices = try await importing(into: other)
        #expect(notices.count == 1 && notices[0].contains("replaced since line 4"), "\(notices)")
        #expect(try await other.privateDatabase.count(matching: Query(recordType: "T")) == 6)
        // A complete import leaves nothing, and is not continued.
        #expect(try await importing(into: other) == [])
    }

    @Test("A position belongs to the server, its container and its environment")
    func otherTarget() async throws {
        let container = try container(over: MemoryBackend())
        try await interrupt(container, atWrite: 5)
        #expect(try await importing(into: container, target: "b") == [])
        #expect(try await importing(into: container) == ["Continuing after line 4."])
    }
}
