import Cabinet
import CabinetTesting
import Foundation
import Synchronization
import Testing

/// Eight clients that write at once, one that follows their changes by tokens, and one with a live query.
struct Ledger {
    let server: RestartedServer
    let seed: UInt64
    /// Creates the client of a name.
    let client: @Sendable (RestartedServer) throws -> Container

    /// Runs the clients while a closure disturbs them, and compares the server's records with what was acknowledged.
    ///
    /// - Returns: The number of operations that were acknowledged.
    @discardableResult
    func run(while disturb: @escaping @Sendable () async throws -> Void) async throws -> Int {
        let reader = try client(server)
        let database = reader.privateDatabase
        try await LedgerWriter.addCounters(to: database)
        let token = try await database.recordZoneChanges(inZoneWith: .default, since: nil).changeToken
        let (isDone, areWritersDone) = (DoneFlag(), DoneFlag())
        let follower = Task { [client, server] in
            let follower = try client(server)
            defer { Task { await follower.close() } }
            return try await Self.followedRecords(
                in: follower.privateDatabase, since: token, until: { areWritersDone.isSet })
        }
        let live = LiveMirror(try client(server))

        let writers = try await withThrowingTaskGroup(of: WriterResult.self) { group in
            for number in 0..<8 {
                let client = try client(server)
                group.addTask { [seed] in
                    let writer = LedgerWriter(client, name: "client\(number)", seed: seed &* 100 &+ UInt64(number))
                    try await writer.write { isDone.isSet }
                    await client.close()
                    return WriterResult(writer)
                }
            }
            do {
                try await disturb()
            } catch {
                isDone.set()
                throw error
            }
            isDone.set()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        areWritersDone.set()
        try await check(writers, in: database, since: token, followed: follower.value, live)
        await reader.close()
        return writers.map(\.operations).reduce(0, +)
    }

    private func check(
        _ writers: [WriterResult], in database: Database, since token: ServerChangeToken,
        followed: [RecordID: String], _ live: LiveMirror
    ) async throws {
        var expected: [RecordID: Record] = [:]
        for writer in writers { expected.merge(writer.records) { first, _ in first } }
        let query = Query(recordType: LedgerWriter.recordType, filter: .constant(true))
        let found = try await database.allRecords(matching: query)
        // Equal change tags: the last acknowledged version is stored, and nothing was applied again after it.
        let tags = found.tags
        #expect(tags == Array(expected.values).tags)
        for record in found {
            let known = expected[record.recordID]
            #expect(known?["version"] as? Int == record["version"] as? Int)
            #expect(known?["text"] as? String == record["text"] as? String)
            #expect(known?["number"] as? Int == record["number"] as? Int)
        }
        // Each increment was applied once: the numbers are those from 1 to the counter's value.
        for id in LedgerWriter.counters {
            let value = try await database.record(for: id)["value"] as? Int ?? -1
            #expect(writers.flatMap { $0.drawn[id] ?? [] }.sorted() == Array(0...value).dropFirst().map { $0 }, "\(id)")
        }
        for writer in writers {
            for (id, bytes) in writer.assets {
                let asset: Asset? = try await database.record(for: id)["file"]
                #expect(try await asset?.data() == bytes)
            }
        }
        // The feed, at once from the old token and in steps, leads to the same records.
        #expect(try await Self.followedRecords(in: database, since: token, until: { true }) == tags)
        #expect(followed == tags)
        let seen = try await live.tags(once: tags)
        #expect(seen == tags)
    }

    /// Applies the changes since a token to an empty set of records.
    private static func followedRecords(
        in database: Database, since token: ServerChangeToken, until isDone: () -> Bool
    ) async throws -> [RecordID: String] {
        var (token, tags) = (token, [RecordID: String]())
        while true {
            let wasDone = isDone()
            var moreComing = true
            while moreComing {
                let page = try await database.recordZoneChanges(
                    inZoneWith: .default, since: token, desiredKeys: [], resultsLimit: 50)
                for (id, result) in page.modificationResultsByID {
                    let record = try result.get().record
                    if record.recordType == LedgerWriter.recordType { tags[id] = record.recordChangeTag }
                }
                for deletion in page.deletions { tags[deletion.recordID] = nil }
                (token, moreComing) = (page.changeToken, page.moreComing)
            }
            if wasDone { return tags }
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}

/// The result of a writer.
struct WriterResult: Sendable {
    let records: [RecordID: Record]
    let drawn: [RecordID: [Int]]
    let assets: [RecordID: Data]
    let operations: Int

    init(_ writer: LedgerWriter) {
        (records, drawn, assets, operations) = (writer.records, writer.drawn, writer.assets, writer.operations)
    }
}

/// A mark that all writers read.
final class DoneFlag: Sendable {
    private let flag = Mutex(false)
    var isSet: Bool { flag.withLock { $0 } }
    func set() { flag.withLock { $0 = true } }
}

/// The records of a live query, as its last element has them.
final class LiveMirror: Sendable {
    private let last = Mutex<[RecordID: String]>([:])
    private let task: Task<Void, any Error>
    private let client: Container

    init(_ client: Container) {
        self.client = client
        let database = client.privateDatabase
        let query = Query(recordType: LedgerWriter.recordType, filter: .constant(true))
        let (stream, continuation) = AsyncStream.makeStream(of: [RecordID: String].self)
        task = Task {
            defer { continuation.finish() }
            for try await records in database.observe(query) { continuation.yield(records.tags) }
        }
        Task { [weak self] in
            for await tags in stream { self?.last.withLock { $0 = tags } }
        }
    }

    /// Waits until the live query has the expected records, and returns those that it has.
    func tags(once expected: [RecordID: String]) async throws -> [RecordID: String] {
        for _ in 0..<3_000 where last.withLock({ $0 }) != expected { try await Task.sleep(for: .milliseconds(100)) }
        await client.close()
        // The query ends with the container, and not by an error before.
        try await task.value
        return last.withLock { $0 }
    }
}

extension [Record] {
    /// The change tags by record.
    fileprivate var tags: [RecordID: String] {
        Dictionary(map { ($0.recordID, $0.recordChangeTag ?? "") }, uniquingKeysWith: { first, _ in first })
    }
}
