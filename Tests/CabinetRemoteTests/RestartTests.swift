import Cabinet
import CabinetRemote
import CabinetServer
import CabinetTesting
import CabinetWire
import Foundation
import Synchronization
import Testing

@Suite("A client of a server")
struct RestartTests {
    private let container = WireContainer(identifier: "com.example.notes", environment: .development)

    private func client(_ url: URL, user: String = "_ann", retryTimeLimit: Duration = .seconds(30)) throws -> Container
    {
        var configuration = RemoteConfiguration()
        configuration.retryTimeLimit = retryTimeLimit
        return try Container(
            identifier: container.identifier, server: url,
            credentials: HTTPWorld.credentials(Account(userRecordName: user)), configuration: configuration)
    }

    @Test("saves, queries, and keeps users apart")
    func records() async throws {
        let world = try HTTPWorld()
        world.add(try LocalDatabaseService(backend: MemoryBackend()), as: container)
        let (ann, ben) = (try client(world.url), try client(world.url, user: "_ben"))
        var record = Record(recordType: "Notes", recordID: RecordID(recordName: "n1"))
        record["title"] = "Hello"
        record = try await ann.privateDatabase.save(record)
        #expect(record["title"] as? String == "Hello")
        #expect(try await ann.userRecordID().recordName == "_ann")
        await #expect(throws: CabinetError.self) { try await ben.privateDatabase.record(for: record.recordID) }
        let found = try await ann.privateDatabase.records(
            matching: Query(recordType: "Notes", filter: try Filter("title BEGINSWITH 'Hel'")))
        #expect(found.matchResults.count == 1)
        await ann.close()
        await #expect(throws: CabinetError.self) { try await ann.privateDatabase.record(for: record.recordID) }
        await ben.close()
        await world.stop()
    }

    @Test("has live queries that go on after the server was away", .timeLimit(.minutes(15)))
    func liveQuery() async throws {
        var world = try HTTPWorld()
        let service = try LocalDatabaseService(backend: MemoryBackend())
        world.add(service, as: container)
        let port = try #require(world.url.port)
        let client = try client(world.url)
        let database = client.privateDatabase
        var live = database.observe(Query(recordType: "Notes", filter: .constant(true))).makeAsyncIterator()
        #expect(try await live.next()?.count == 0)
        try await database.save(Record(recordType: "Notes", recordID: RecordID(recordName: "a")))
        #expect(try await live.next()?.count == 1)
        await world.stop()
        let local = try Container(
            identifier: container.identifier, service: service, account: Account(userRecordName: "_ann"))
        try await local.privateDatabase.save(Record(recordType: "Notes", recordID: RecordID(recordName: "b")))
        try await Task.sleep(for: .milliseconds(300))
        world = try HTTPWorld(port: port)
        world.add(service, as: container)
        #expect(try await live.next()?.count == 2)
        try await database.save(Record(recordType: "Notes", recordID: RecordID(recordName: "c")))
        #expect(try await live.next()?.count == 3)
        await client.close()
        #expect(try await live.next() == nil)
        await world.stop()
    }

    @Test("saves once, although the connection breaks before the answer", .timeLimit(.minutes(15)))
    func lostAnswers() async throws {
        let world = try HTTPWorld()
        let service = try LocalDatabaseService(backend: MemoryBackend())
        world.add(LosingService(base: service), as: container)
        let client = try client(world.url)
        for number in 0..<10 {
            let record = Record(recordType: "Notes", recordID: RecordID(recordName: "n\(number)"))
            let saved = try await client.privateDatabase.save(record)
            #expect(saved.recordChangeTag != nil)
        }
        #expect(
            try await client.privateDatabase.count(matching: Query(recordType: "Notes", filter: .constant(true))) == 10)
        // A request that may not be repeated reports that its answer was lost.
        do {
            _ = try await client.privateDatabase.save(RecordZone(zoneName: "z"))
            Issue.record("The zone's answer was not lost.")
        } catch let error as CabinetError {
            #expect(error.code == .serverResponseLost)
        }
        await client.close()
        await world.stop()
    }

    @Test("sends assets again if the server has lost their uploads", .timeLimit(.minutes(15)))
    func lostUploads() async throws {
        let world = try HTTPWorld()
        world.add(ForgettingService(base: try LocalDatabaseService(backend: MemoryBackend())), as: container)
        let client = try client(world.url)
        let bytes = [Data(repeating: 7, count: 2_500_000), Data("short".utf8)]
        var record = Record(recordType: "Notes")
        for (number, bytes) in bytes.enumerated() { record["file\(number)"] = Asset(data: bytes) }
        let last = Mutex<AssetProgress?>(nil)
        let saved = try await client.privateDatabase.save(record) { progress in last.withLock { $0 = progress } }
        for (number, bytes) in bytes.enumerated() {
            let asset: Asset? = saved["file\(number)"]
            #expect(try await asset?.data() == bytes)
        }
        #expect(last.withLock { $0 }?.fractionCompleted == 1)
        #expect(last.withLock { $0 }?.totalBytes == 2_500_005)
        await client.close()
        await world.stop()
    }

    @Test("has live queries that read again what could not be read for a while", .timeLimit(.minutes(15)))
    func unreadableChanges() async throws {
        let world = try HTTPWorld()
        let service = RefusingService(base: try LocalDatabaseService(backend: MemoryBackend()))
        world.add(service, as: container)
        let client = try client(world.url, retryTimeLimit: .milliseconds(300))
        let database = client.privateDatabase
        var live = database.observe(Query(recordType: "Notes", filter: .constant(true))).makeAsyncIterator()
        #expect(try await live.next()?.count == 0)
        service.refuses.withLock { $0 = true }
        try await database.save(Record(recordType: "Notes"))
        Task {
            try await Task.sleep(for: .seconds(1))
            service.refuses.withLock { $0 = false }
        }
        // No further change follows, and so no signal.
        #expect(try await live.next()?.count == 1)
        await client.close()
        await world.stop()
    }

    @Test("reports a server that is away, and one that is not Cabinet's")
    func failures() async throws {
        let world = try HTTPWorld()
        let url = world.url
        await world.stop()
        let client = try client(url, retryTimeLimit: .milliseconds(300))
        do {
            _ = try await client.privateDatabase.record(for: RecordID(recordName: "a"))
            Issue.record("The server answers.")
        } catch let error as CabinetError {
            #expect(error.code == .networkUnavailable)
        }
        await client.close()
        #expect(throws: CabinetError.self) {
            try Container(
                identifier: "c", server: URL(string: "http://example.com")!,
                credentials: .bearer("secret", userRecordName: "_ann"))
        }
    }
}

/// A service that does what it is asked, and then fails as a broken connection does, every second time.
private final class LosingService: WrappingService {
    let base: any DatabaseService
    private let count = Mutex(0)

    init(base: any DatabaseService) {
        self.base = base
    }

    func perform<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response {
        let response = try await base.perform(request, for: caller)
        let isLost =
            Request.effect == .once
            && (request is ModifyZonesRequest
                || count.withLock { count in
                    count += 1
                    return count % 2 == 1
                })
        if isLost { throw CabinetError(.serverResponseLost, "The connection to the store broke.") }
        return response
    }
}

/// A service that loses its uploads twice: before one is finished, and before its record is saved.
private final class ForgettingService: WrappingService {
    let base: any DatabaseService
    private let losses = Mutex((finish: 0, save: 0))

    init(base: any DatabaseService) {
        self.base = base
    }

    func perform<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response {
        if let finish = request as? FinishUploadRequest, losses.withLock({ $0.finish.isFirst() }) {
            _ = try await base.perform(EndUploadsRequest([finish.upload]), for: caller)
        }
        if let save = request as? ModifyRecordsRequest, losses.withLock({ $0.save.isFirst() }) {
            _ = try await base.perform(EndUploadsRequest(save.uploads), for: caller)
        }
        return try await base.perform(request, for: caller)
    }
}

extension Int {
    fileprivate mutating func isFirst() -> Bool {
        self += 1
        return self == 1
    }
}

/// A service that refuses reads for now, while its signals go on.
private final class RefusingService: WrappingService {
    let base: any DatabaseService
    let refuses = Mutex(false)

    init(base: any DatabaseService) {
        self.base = base
    }

    func perform<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response {
        if Request.effect == .none, refuses.withLock({ $0 }) {
            throw CabinetError(.serviceUnavailable, "The store is away.", retryAfterSeconds: 1)
        }
        return try await base.perform(request, for: caller)
    }
}
