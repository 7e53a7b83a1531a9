import Cabinet
import CabinetTesting
import Foundation
import Synchronization
import Testing

@Suite("A backend with injected faults")
struct FaultInjectingBackendTests {
    private let backend = FaultInjectingBackend()

    private func database(_ backend: FaultInjectingBackend? = nil) throws -> Database {
        try Container(identifier: "com.example.faults", backend: backend ?? self.backend).privateDatabase
    }

    private func item(_ name: String) -> Record {
        Record(recordType: "Items", recordID: RecordID(recordName: name))
    }

    private func names() async throws -> [String] {
        try await database().allRecords(matching: Query(recordType: "Items")).map(\.recordID.recordName)
    }

    /// Saves records one by one, and reports which of them failed with which code.
    private func codes(_ count: Int, _ database: Database) async throws -> [CabinetError.Code?] {
        var codes: [CabinetError.Code?] = []
        for _ in 0..<count {
            do {
                try await database.save(Record(recordType: "Items"))
                codes.append(nil)
            } catch let error as CabinetError {
                codes.append(error.code)
            }
        }
        return codes
    }

    @Test("The call that is named fails, and no other")
    func nthCall() async throws {
        let database = try database()
        try await database.save(item("before"))
        backend.inject(.failure(.zoneBusy, retryAfter: 2), on: .write, at: 3)
        for name in ["a", "b"] {
            try await database.save(item(name))
            _ = try await names()
        }
        let error = try await #require(throws: CabinetError.self) { try await database.save(item("c")) }
        #expect(error.code == .zoneBusy)
        #expect(error.retryAfterSeconds == 2)
        #expect(error.message.contains("write in the private database"))
        try await database.save(item("d"))
        #expect(try await names() == ["before", "a", "b", "d"])
        #expect(backend.injections == [])
    }

    @Test("Every code can come", arguments: 1...36)
    func codes(_ rawValue: Int) async throws {
        let code = CabinetError.Code(rawValue: rawValue)
        backend.inject(.failure(code))
        #expect(try await codes(2, database()) == [code, nil])
    }

    @Test("A fault is for one kind of calls and one database")
    func kindAndDatabase() async throws {
        let container = try Container(identifier: "com.example.faults", backend: backend)
        backend.inject(.failure(.networkUnavailable), on: .read, of: .public, times: nil)
        try await container.privateDatabase.save(item("a"))
        _ = try await container.privateDatabase.record(for: RecordID(recordName: "a"))
        try await container.publicDatabase.save(item("a"))
        await #expect(throws: CabinetError.self) {
            try await container.publicDatabase.record(for: RecordID(recordName: "a"))
        }
    }

    @Test("A fault happens as often as it should, and can be taken back")
    func repetition() async throws {
        let database = try database()
        let twice = FaultInjection(.failure(.networkFailure), on: .write, at: 2, times: 2)
        backend.inject(twice)
        #expect(try await codes(5, database) == [nil, .networkFailure, .networkFailure, nil, nil])
        // An injection that is added again restarts.
        backend.inject(twice)
        #expect(try await codes(2, database) == [nil, .networkFailure])
        backend.remove(twice)
        #expect(try await codes(2, database) == [nil, nil])
        let always = backend.inject(.failure(.serviceUnavailable), times: nil)
        backend.inject(.failure(.networkFailure), on: .read, times: nil)
        #expect(try await codes(2, database) == [.serviceUnavailable, .serviceUnavailable])
        #expect(backend.injections.count == 2)
        backend.remove(always)
        #expect(try await codes(1, database) == [nil])
        backend.removeAllInjections()
        #expect(try await names().isEmpty == false)
        for times in [0, -1] { backend.inject(.failure(.internalError), times: times) }
        backend.inject(.failure(.internalError), at: 5, probability: .nan)
        #expect(try await codes(6, database) == Array(repeating: nil, count: 6))
        backend.inject(.failure(.internalError), at: -3)
        #expect(try await codes(2, database) == [.internalError, nil])
    }

    @Test("A delay is waited for, and a task that is cancelled waits no more")
    func delay() async throws {
        let database = try database()
        backend.inject(.delay(.milliseconds(30)), on: .write)
        let time = try await ContinuousClock().measure { try await database.save(item("a")) }
        #expect(time >= .milliseconds(30))
        #expect(try await names() == ["a"])
        backend.inject(.delay(.seconds(600)), on: .write)
        let saving = Task { try await database.save(item("b")) }
        saving.cancel()
        await #expect(throws: (any Error).self) { try await saving.value }
        #expect(try await names() == ["a"])
    }

    @Test(
        "A connection that is lost before the commit leaves nothing",
        arguments: [(nil, .networkFailure), (.serverResponseLost, .serverResponseLost)]
            as [(CabinetError.Code?, CabinetError.Code)])
    func lostBefore(code: CabinetError.Code?, expected: CabinetError.Code) async throws {
        let database = try database()
        try await database.save(item("a"))
        backend.inject(code.map { .connectionLostBeforeCommit(reportedAs: $0) } ?? .connectionLostBeforeCommit())
        let error = try await #require(throws: CabinetError.self) {
            try await database.modifyRecords(saving: [item("b")], deleting: [RecordID(recordName: "a")])
        }
        #expect(error.code == expected)
        #expect(try await names() == ["a"])
    }

    @Test("A connection that is lost after the commit keeps the write, but loses the response")
    func lostAfter() async throws {
        let database = try database()
        backend.inject(.connectionLostAfterCommit())
        let error = try await #require(throws: CabinetError.self) { try await database.save(item("a")) }
        #expect(error.code == .serverResponseLost)
        #expect(try await names() == ["a"])
        // A repeated save conflicts with the saved record.
        await #expect { try await database.save(item("a")) } throws: { CabinetError.Code.serverRecordChanged ~= $0 }
        for fault in [InjectedFault.connectionLostAfterCommit(), .connectionLostBeforeCommit()] {
            backend.inject(fault, on: .read)
            await #expect(throws: CabinetError.self) { try await names() }
        }
    }

    @Test("A fault with a probability happens in the same calls with the same seed, and about as often as expected")
    func probability() async throws {
        func codes(seed: UInt64) async throws -> [CabinetError.Code?] {
            let backend = FaultInjectingBackend(seed: seed)
            backend.inject(.failure(.networkFailure), on: .write, times: nil, probability: 0.3)
            // Calls of other kinds change nothing.
            backend.inject(.failure(.networkFailure), on: .read, times: nil, probability: 0.5)
            return try await self.codes(200, database(backend))
        }
        let first = try await codes(seed: 1)
        #expect(try await codes(seed: 1) == first)
        #expect(try await codes(seed: 2) != first)
        #expect((30...90).contains(first.count { $0 != nil }))
    }

    @Test("Of several faults, all delays are waited for, and the first of the others decides")
    func several() async throws {
        backend.inject(.failure(.networkFailure))
        backend.inject(.delay(.milliseconds(10)))
        backend.inject(.failure(.zoneBusy))
        backend.inject(.delay(.milliseconds(10)))
        let database = try database()
        var codes: [CabinetError.Code?] = []
        let time = try await ContinuousClock().measure { codes = try await self.codes(2, database) }
        #expect(time >= .milliseconds(20))
        #expect(codes == [.networkFailure, nil])
    }

    @Test("The log has the requests, and their outcomes")
    func log() async throws {
        let database = try database()
        backend.inject(.delay(.milliseconds(1)), on: .write)
        backend.inject(.failure(.requestRateLimited, retryAfter: 1.5), on: .read)
        try await database.save(item("a"))
        _ = try? await names()
        struct Refusal: Error {}
        _ = try? await backend.write(.public) { _ in throw Refusal() }
        #expect(
            backend.calls.map(\.description) == [
                "1. write in the private database of _default_user: returned [delay of 0.001 seconds]",
                "2. read in the private database of _default_user: threw requestRateLimited "
                    + "[requestRateLimited, retry after 1.5 seconds]",
                "3. write in the public database: threw another error",
            ])
        backend.forgetCalls()
        _ = try await names()
        #expect(backend.calls.map(\.number) == [4])
        #expect(backend.calls.map(\.kind) == [.read])
    }

    @Test("Faults can be changed while calls are under way")
    func concurrency() async throws {
        let database = try database()
        let failures = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<60 {
                group.addTask { [backend] in
                    if number % 6 == 0 { backend.inject(.failure(.zoneBusy), on: .write) }
                    do {
                        try await database.save(item("r\(number)"))
                        return false
                    } catch {
                        return true
                    }
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(failures + backend.injections.count == 10)
        #expect(backend.calls.count { $0.outcome == .threw(.zoneBusy) } == failures)
        #expect(backend.calls.count == 60)
    }

    @Test("Signals and closing are the other backend's")
    func passingThrough() async throws {
        let ability = try #require(backend.abilities.signals)
        var signals = ability.changeSignals(of: .public).makeAsyncIterator()
        _ = try await backend.write(.public) { try await $0.apply([.setEntry(StorageKey("a"), "b")]) }
        #expect(await signals.next() != nil)
        await backend.close()
        while await signals.next() != nil {}
        await #expect { try await backend.read(.public) { _ in } } throws: {
            CabinetError.Code.serviceUnavailable ~= $0
        }
    }
}
