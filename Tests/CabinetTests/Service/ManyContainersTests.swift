import Synchronization
import Testing

@testable import Cabinet

@Suite("Many containers on one service")
struct ManyContainersTests {
    /// The users whose signals have arrived.
    private final class Signalled: Sendable {
        let numbers = Mutex<[Int]>([])
    }

    private func container(_ number: Int, _ service: LocalDatabaseService) throws -> Container {
        try Container(
            identifier: "com.example.many", service: service, account: Account(userRecordName: "_user\(number)"))
    }

    @Test("A signal reaches the user whose database has changed, and no other")
    func signals() async throws {
        let service = try LocalDatabaseService(backend: MemoryBackend())
        let containers = try (0..<10_000).map { try container($0, service) }
        let signalled = Signalled()
        let readers = try [1, 4711, 9_999].map { number in
            let signals = try containers[number].signals(of: .private)
            return Task {
                for await _ in signals { signalled.numbers.withLock { $0.append(number) } }
            }
        }
        // Each stream begins with a signal.
        while signalled.numbers.withLock(\.count) < 3 { await Task.yield() }
        signalled.numbers.withLock { $0 = [] }
        try await containers[4711].privateDatabase.save(Record(recordType: "Notes"))
        while signalled.numbers.withLock(\.isEmpty) { await Task.yield() }
        try await containers[42].privateDatabase.save(Record(recordType: "Notes"))
        await service.close()
        for reader in readers { await reader.value }
        #expect(Set(signalled.numbers.withLock(\.self)) == [4711])
    }

    @Test("Live queries of the same database share one history, and others have none")
    func histories() async throws {
        let service = try LocalDatabaseService(backend: MemoryBackend())
        let containers = try (0..<100).map { try container($0, service) }
        var iterators = containers.map { $0.publicDatabase.observe(Query(recordType: "Notes")).makeAsyncIterator() }
        for index in iterators.indices { #expect(try await iterators[index].next()?.isEmpty == true) }
        let history = try #require(service.tracker.currentHistory(of: .public))
        #expect(service.tracker.history(of: .public) === history)
        #expect(service.tracker.currentHistory(of: .private(owner: "_user1")) == nil)
        try await containers[0].publicDatabase.save(Record(recordType: "Notes"))
        for index in iterators.indices { #expect(try await iterators[index].next()?.count == 1) }
    }

    @Test("A container leaves the service open that others use")
    func closing() async throws {
        let service = try LocalDatabaseService(backend: MemoryBackend())
        let (first, second) = (try container(1, service), try container(2, service))
        await first.close()
        try await second.publicDatabase.save(Record(recordType: "Notes"))
        await service.close()
        let error = await #expect(throws: CabinetError.self) {
            try await second.publicDatabase.save(Record(recordType: "Notes"))
        }
        #expect(error?.code == .serviceUnavailable)
    }
}
