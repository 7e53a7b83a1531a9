import Cabinet
import Foundation
import PostgresTestSupport
import StorageTestSupport
import Synchronization
import Testing

@testable import CabinetPostgres

/// Concurrent writes of one database share a transaction, but succeed or fail separately.
@Suite struct GroupCommitTests {
    private struct Refusal: Error {}

    /// The number of writes in a commit does not depend on their duration.
    private static func configuration() -> PostgresConfiguration {
        var configuration = Stores.configuration()
        configuration.groupTimeLimit = .seconds(1000)
        return configuration
    }

    /// Runs writes that queue up during another one.
    ///
    /// - Returns: The error of each write, or `nil`.
    private func outcomes(
        on backend: PostgresBackend, _ count: Int,
        _ write: @escaping @Sendable (Int) async throws -> Void
    ) async throws -> [(any Error)?] {
        let gate = HeldGate()
        return try await withThrowingTaskGroup(of: (Int, (any Error)?).self) { group in
            group.addTask {
                try await backend.write(.public) { _ in await gate.wait() }
                return (-1, nil)
            }
            await gate.whenReached()
            for number in 0..<count {
                group.addTask {
                    do {
                        try await write(number)
                        return (number, nil)
                    } catch {
                        return (number, error)
                    }
                }
            }
            while backend.scheduler.count(.public) != count { await Task.yield() }
            gate.open()
            var errors = [(any Error)?](repeating: nil, count: count)
            for try await (number, error) in group where number >= 0 { errors[number] = error }
            return errors
        }
    }

    /// The number of transactions that have changed the public database.
    private func commits(_ configuration: PostgresConfiguration) async throws -> Int64 {
        let connection = try Connection(
            ConnectionParameters(try await PostgresServer.shared.value.connection()), configuration: configuration)
        let found = try connection.query(
            "SELECT writes FROM \"\(configuration.schema)\".cabinet_state WHERE name = 'public'")
        return try #require(found.first?.integer(0))
    }

    private func numbers(of ids: [RecordID], _ backend: PostgresBackend) async throws -> [Int64?] {
        try await backend.read(.public) { try await $0.records(for: ids, keys: nil).map { $0?.sequenceNumber } }
    }

    private static func insert(_ name: String, _ backend: PostgresBackend) async throws {
        try await backend.write(.public) { transaction in
            _ = try await transaction.insertWithSchema([StoredRecord(name, [("x", .int64(1))])])
        }
    }

    @Test("Writes that wait are committed together")
    func together() async throws {
        let configuration = Self.configuration()
        let backend = try await Stores.backend(configuration)
        try await Self.insert("first", backend)
        let before = try await commits(configuration)
        let errors = try await outcomes(on: backend, 40) { try await Self.insert("r\($0)", backend) }
        #expect(errors.allSatisfy { $0 == nil })
        #expect(try await commits(configuration) == before + 1)
        let found = try await numbers(of: (0..<40).map { RecordID(recordName: "r\($0)") }, backend)
        #expect(Set(found.compactMap(\.self)).count == 40)
        await backend.close()
    }

    @Test("Saves that are committed together store the entries of their zone and database once")
    func entries() async throws {
        let backend = try await Stores.backend(Self.configuration())
        let database = try Container(identifier: "com.example.group", backend: backend).publicDatabase
        try await database.save(Record(recordType: "Items"))
        var costs: [Int] = []
        for count in [10, 20] {
            let before = backend.pool.sentCount
            let errors = try await outcomes(on: backend, count) { _ in
                try await database.save(Record(recordType: "Items"))
            }
            #expect(errors.allSatisfy { $0 == nil })
            costs.append(backend.pool.sentCount - before)
        }
        // Each save in the public database takes three statements: two check the record and the user, one inserts.
        #expect(costs[1] - costs[0] == 10 * 3)
        await backend.close()
    }

    @Test("Writes that take long are not committed with many others")
    func slowWrites() async throws {
        var configuration = Self.configuration()
        configuration.groupTimeLimit = .zero
        let backend = try await Stores.backend(configuration)
        try await Self.insert("first", backend)
        let before = try await commits(configuration)
        let errors = try await outcomes(on: backend, 10) { number in
            if number == 3 { try await backend.write(.public) { _ in throw Refusal() } }
            try await Self.insert("r\(number)", backend)
        }
        for (number, error) in errors.enumerated() { #expect((error is Refusal) == (number == 3)) }
        #expect(try await commits(configuration) == before + 9)
        await backend.close()
    }

    @Test("Writes that fail are rolled back separately, for every kind of failure")
    func failures() async throws {
        let configuration = Self.configuration()
        let backend = try await Stores.backend(configuration)
        try await Self.insert("taken", backend)
        let before = try await commits(configuration)
        let errors = try await outcomes(on: backend, 24) { number in
            try await backend.write(.public) { transaction in
                // It has changed nothing yet.
                if number % 4 == 1 { throw Refusal() }
                let zone = RecordZone.ID(zoneName: "zone\(number)")
                var record = StoredRecord("r\(number)", zone: zone, [("x", .int64(1))])
                record.sequenceNumber = try await transaction.reserveNumber()
                try await transaction.insert([record])
                if number % 4 == 2 { throw Refusal() }
                // The server refuses it only at the next read, or at the end.
                if number % 4 == 3 { try await transaction.insert([StoredRecord("taken", [("x", .int64(2))])]) }
            }
        }
        for (number, error) in errors.enumerated() {
            switch number % 4 {
            case 0: #expect(error == nil)
            case 3: #expect((error as? CabinetError)?.code != nil, "\(error as Any)")
            default: #expect(error is Refusal)
            }
        }
        for number in 0..<24 {
            let id = RecordID(recordName: "r\(number)", zoneID: RecordZone.ID(zoneName: "zone\(number)"))
            #expect((try await numbers(of: [id], backend)[0] != nil) == (number % 4 == 0))
        }
        #expect(try await commits(configuration) == before + 1)
        await backend.close()
    }

    @Test("Writes that throw because of their reads do not affect the others")
    func conflicts() async throws {
        let configuration = Self.configuration()
        let backend = try await Stores.backend(configuration)
        try await Self.insert("first", backend)
        let before = try await commits(configuration)
        let runs = Tally()
        let errors = try await outcomes(on: backend, 20) { number in
            try await backend.write(.public) { transaction in
                _ = runs.add(1)
                let found = try await transaction.records(for: [RecordID(recordName: "one")], keys: nil)
                // Each sees the effect of those before it.
                guard found[0] == nil else { throw Refusal() }
                _ = try await transaction.insertWithSchema([StoredRecord("one", [("x", .int64(1))])])
            }
        }
        #expect(errors.filter { $0 is Refusal }.count == 19)
        #expect(runs.add(0) == 20)
        #expect(try await commits(configuration) == before + 1)
        await backend.close()
    }

    @Test("Writes that need tables and columns get them, each its own")
    func schemas() async throws {
        let configuration = Self.configuration()
        let backend = try await Stores.backend(configuration)
        try await Self.insert("first", backend)
        let errors = try await outcomes(on: backend, 12) { number in
            try await backend.write(.public) { transaction in
                let record = StoredRecord("r\(number)", type: "T\(number % 3)", [("f\(number)", .int64(1))])
                _ = try await transaction.insertWithSchema([record])
                if number % 2 == 1 { throw Refusal() }
            }
        }
        for (number, error) in errors.enumerated() { #expect((error is Refusal) == (number % 2 == 1)) }
        let schema = try await backend.read(.public) { try await $0.schema() }
        #expect(
            schema.recordTypes.mapValues { Set($0.keys) }
                == ["Items": ["x"], "T0": ["f0", "f6"], "T1": ["f4", "f10"], "T2": ["f2", "f8"]])
        await backend.close()
    }

    @Test("A write that is cancelled before its turn ends at once and changes nothing")
    func cancellation() async throws {
        let backend = try await Stores.backend(Self.configuration())
        try await Self.insert("first", backend)
        let gate = HeldGate()
        let holder = Task { try await backend.write(.public) { _ in await gate.wait() } }
        await gate.whenReached()
        let waiting = Task { try await Self.insert("r", backend) }
        while backend.scheduler.count(.public) != 1 { await Task.yield() }
        waiting.cancel()
        let error = await #expect(throws: CabinetError.self) { try await waiting.value }
        #expect(error?.code == .operationCancelled)
        gate.open()
        try await holder.value
        #expect(try await numbers(of: [RecordID(recordName: "r")], backend) == [nil])
        await backend.close()
    }

    @Test("A write that has begun is finished, even if its caller is cancelled")
    func lateCancellation() async throws {
        let backend = try await Stores.backend(Self.configuration())
        try await Self.insert("first", backend)
        let gate = HeldGate()
        let write = Task {
            try await backend.write(.public) { transaction in
                await gate.wait()
                _ = try await transaction.insertWithSchema([StoredRecord("r", [("x", .int64(1))])])
            }
        }
        await gate.whenReached()
        write.cancel()
        gate.open()
        try await write.value
        #expect(try await numbers(of: [RecordID(recordName: "r")], backend) != [nil])
        await backend.close()
    }

    @Test("A zone that a failed write has made is made again by the next one")
    func zoneOfAFailedWrite() async throws {
        let backend = try await Stores.backend(Self.configuration())
        try await Self.insert("first", backend)
        let zone = RecordZone.ID(zoneName: "new")
        let errors = try await outcomes(on: backend, 3) { number in
            try await backend.write(.public) { transaction in
                var record = StoredRecord("r\(number)", zone: zone, [("x", .int64(1))])
                record.sequenceNumber = try await transaction.reserveNumber()
                try await transaction.insert([record])
                if number == 0 { throw Refusal() }
            }
        }
        #expect(errors.map { $0 is Refusal } == [true, false, false] && errors[1] == nil && errors[2] == nil)
        let ids = (0..<3).map { RecordID(recordName: "r\($0)", zoneID: zone) }
        #expect(try await numbers(of: ids, backend).map { $0 != nil } == [false, true, true])
        // A backend without a cache finds the zone in the table.
        let other = try await Stores.backend(backend.configuration)
        #expect(try await numbers(of: ids, other).map { $0 != nil } == [false, true, true])
        await other.close()
        await backend.close()
    }

    @Test("Waiting too long for another write of the same process is an error")
    func timeout() async throws {
        var configuration = Stores.configuration()
        configuration.busyTimeout = .milliseconds(100)
        let backend = try await Stores.backend(configuration)
        try await Self.insert("first", backend)
        try await backend.write(.public) { _ in
            // A write within a write never gets its turn.
            let error = await #expect(throws: CabinetError.self) { try await Self.insert("r", backend) }
            #expect(error?.code == .zoneBusy)
            #expect(error?.retryAfterSeconds != nil)
        }
        try await Self.insert("r", backend)
        await backend.close()
    }

    @Test("Bodies run one after the other, even if they suspend")
    func order() async throws {
        let backend = try await Stores.backend(Self.configuration())
        try await Self.insert("first", backend)
        let running = Tally()
        try await withThrowingTaskGroup { group in
            for _ in 0..<20 {
                group.addTask {
                    try await backend.write(.public) { transaction in
                        #expect(
                            running.add(1) == 1)
                        let before = try await transaction.reserveNumber()
                        await Task.detached { await Task.yield() }.value
                        #expect(try await transaction.reserveNumber() == before + 1)
                        _ = running.add(-1)
                    }
                }
            }
            try await group.waitForAll()
        }
        await backend.close()
    }

    @Test("Writes whose connection breaks in the middle are run again, all of them")
    func loss() async throws {
        let name = "group-\(UUID().uuidString)"
        let connection = try await PostgresServer.shared.value.connection() + "?application_name=\(name)"
        let backend = try PostgresBackend(connection: connection, configuration: Self.configuration())
        try await Self.insert("first", backend)
        let losses = Tally()
        let errors = try await outcomes(on: backend, 10) { number in
            try await backend.write(.public) { transaction in
                _ = try await transaction.insertWithSchema([StoredRecord("r\(number)", [("x", .int64(1))])])
                if losses.add(1) == 5 {
                    let admin = try Connection(
                        ConnectionParameters(try await PostgresServer.shared.value.connection()),
                        configuration: PostgresConfiguration())
                    _ = try admin.query(
                        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = $1",
                        [.text(name)])
                }
            }
        }
        #expect(errors.allSatisfy { $0 == nil }, "\(errors)")
        let found = try await numbers(of: (0..<10).map { RecordID(recordName: "r\($0)") }, backend)
        #expect(Set(found.compactMap(\.self)).count == 10)
        await backend.close()
    }
}

/// A number that many tasks change.
private final class Tally: Sendable {
    private let number = Mutex(0)

    /// - Returns: The number afterwards.
    func add(_ summand: Int) -> Int {
        number.withLock { number in
            number += summand
            return number
        }
    }
}
