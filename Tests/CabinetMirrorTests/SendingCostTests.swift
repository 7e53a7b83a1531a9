import Cabinet
import CabinetMirror
import CabinetTesting
import Synchronization
import Testing

/// The calls of a send to the local store and to the server; another number is a decision.
@Suite("The cost of a send")
struct SendingCostTests {
    private static let batchSize = 200

    /// The costs of a send.
    private struct Cost {
        var local: CountingStore.Counts
        var server: CountingStore.Counts
        var requests: Int
    }

    /// Sends pending records, and returns what that costs.
    ///
    /// - Parameters:
    ///   - batches: The number of requests that the records need.
    ///   - readAhead: The moment at which the next request is read.
    ///   - local: The store of the device.
    ///   - edit: An edit that the program makes before the answer to each request.
    private func send(
        batches: Int, readAhead: MirrorReadAhead = .meanwhile, on local: CountingStore = CountingStore(),
        edit: (@Sendable (TestDevice, Int) async throws -> Void)? = nil
    ) async throws -> (cost: Cost, scene: MirrorScene, device: TestDevice) {
        let server = CountingStore()
        let scene = try await MirrorScene(on: server)
        let busy = BusyServer(base: scene.server)
        let device = try await scene.device(on: local, through: TestLink(busy)) { $0.readAhead = readAhead }
        let list = try await device.database.save(scene.note("list", "list"))
        try await device.sync()
        for batch in 0..<batches {
            let notes = (0..<Self.batchSize).map { number in
                var note = scene.note(Self.name(batch, number), "0")
                note["list"] = Reference(record: list, action: .deleteSelf)
                return note
            }
            try await device.database.save(notes)
        }
        if let edit {
            let count = Mutex(0)
            busy.set {
                let number = count.withLock { count in
                    count += 1
                    return count - 1
                }
                try await edit(device, number)
            }
        }
        let before = (local.counts, server.counts, device.link.names.count)
        try await device.mirror.sendChanges()
        let cost = Cost(
            local: local.counts - before.0, server: server.counts - before.1,
            requests: device.link.names.count - before.2)
        busy.set(nil)
        try await device.sync()
        return (cost, scene, device)
    }

    private static func name(_ batch: Int, _ number: Int) -> String { "n\(batch)-\(1_000 + number)" }

    @Test("is for each request a page that is read, and one transaction for its answer and the next request")
    func request() async throws {
        let (two, three) = (try await send(batches: 2).cost, try await send(batches: 3).cost)
        let (local, server) = (three.local - two.local, three.server - two.server)
        #expect(three.requests - two.requests == 1)
        // The page, and what its records refer to.
        #expect(local.reads == 2)
        #expect(local.writes == 1)
        // The page is one call for the changes, and one for their records. The transaction is one for the state, one for the entries of the
        // mirror, and one for the mutations.
        #expect(local.calls == 2 + 1 + 3)
        // Records that have not changed since the page was read are not read again.
        #expect(local.loadedRecords == Self.batchSize + 1)
        #expect(local.changedRecords == Self.batchSize)
        #expect((Self.batchSize..<Self.batchSize + 12).contains(local.loadedEntries))
        #expect((Self.batchSize..<Self.batchSize + 10).contains(local.changedEntries))
        // The server searches for answers that are no longer remembered, and needs no transaction if there are none.
        #expect(server.reads == 1)
        #expect(server.writes == 1)
        #expect(server.calls == 2 + 1)
        #expect(server.changedRecords == Self.batchSize)
    }

    @Test("has no wait for the next request, which is read while the server works", .timeLimit(.minutes(1)))
    func readAhead() async throws {
        let (local, scene) = (CountingStore(), try await MirrorScene())
        let busy = BusyServer(base: scene.server)
        let device = try await scene.device(on: local, through: TestLink(busy))
        try await device.database.save((0..<2 * Self.batchSize).map { scene.note(Self.name(0, $0), "0") })
        // The server does not answer the first request before the second one was read.
        let loaded = local.counts.loadedRecords
        busy.set {
            while local.counts.loadedRecords < loaded + 2 * Self.batchSize {
                try await Task.sleep(for: .milliseconds(1))
            }
        }
        try await device.mirror.sendChanges()
        #expect(device.mirror.status.isIdle)
        #expect(try await scene.remote.count(matching: Query(recordType: "Notes")) == 2 * Self.batchSize)
    }

    @Test("has no request with records of a zone that was created since it began")
    func newZone() async throws {
        let zoneID = RecordZone.ID(zoneName: "zoo")
        let id = RecordID(recordName: "a", zoneID: zoneID)
        let result = try await send(batches: 2, readAhead: .after) { device, number in
            guard number == 0 else { return }
            try await device.database.save(RecordZone(zoneID: zoneID))
            try await device.database.save(Record(recordType: "Notes", recordID: id))
        }
        // Its changes follow those of the other zones. The first send has left them to the next one.
        #expect(try await result.device.mirror.pendingChanges().isEmpty)
        #expect(try await result.scene.remote.record(for: id).recordID == id)
    }

    @Test(
        "is a second read of the records if something has changed in between, and no edit is lost",
        arguments: [MirrorReadAhead.before, .after])
    func edits(readAhead: MirrorReadAhead) async throws {
        // The program edits a record that is on its way, one that was read to be sent next, and one that was not.
        let result = try await send(batches: 3, readAhead: readAhead) { device, number in
            guard number < 3 else { return }
            for batch in 0..<3 { try await device.set("\(number + 1)", of: Self.name(batch, number)) }
        }
        #expect(result.device.mirror.status.isIdle)
        #expect(result.cost.local.loadedRecords > 5 * Self.batchSize)
        for batch in 0..<3 {
            for number in 0..<4 {
                let text = try await result.scene.text(of: Self.name(batch, number))
                #expect(text == (number == 3 ? "0" : "\(number + 1)"))
            }
        }
    }

    @Test("does not overlook a change of the schema in between")
    func renamedField() async throws {
        let store = CountingStore()
        let result = try await send(batches: 3, readAhead: .before, on: store) { device, number in
            guard number == 0 else { return }
            // A mirror refuses it, and a plain container does not know that the store is one of a mirror.
            let plain = try Container(
                identifier: MirrorScene.container, backend: store, account: Account(userRecordName: "_ann"))
            try await plain.privateDatabase.rename(SchemaPart("Notes", "text"), to: "title")
        }
        // The local schema has given away the earlier name, so the change is set aside.
        for batch in 0..<2 {
            let change = try await result.device.mirror.pendingChange(of: result.scene.id(Self.name(batch, 0)))
            #expect(change?.error?.code == .invalidArguments)
            #expect(try await result.device.text("title", of: Self.name(batch, 0)) == "0")
        }
        #expect(try await result.scene.text("title", of: Self.name(2, 0)) == "0")
        #expect(try await result.device.mirror.pendingChanges(limit: 1_000).count == 2 * Self.batchSize)
    }
}

/// A server during whose work on a request to change records something else happens.
private final class BusyServer: WrappingService {
    private struct State {
        var edit: (@Sendable () async throws -> Void)?
    }

    let base: any DatabaseService
    private let state = Mutex(State())

    init(base: any DatabaseService) {
        self.base = base
    }

    func set(_ edit: (@Sendable () async throws -> Void)?) { state.withLock { $0.edit = edit } }

    func perform<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response {
        let response = try await base.perform(request, for: caller)
        if Request.name == ModifyRecordsRequest.name { try await state.withLock { $0.edit }?() }
        return response
    }
}
