import Cabinet
import CabinetMirror
import CabinetTesting
import Foundation
import Synchronization
import Testing

/// A server, and devices that mirror it.
final class MirrorScene: Sendable {
    static let container = "com.example.notes"
    static let zone = RecordZone.ID(zoneName: "Notes")

    let clock = TestClock()
    let server: LocalDatabaseService
    let user: Account
    private let kind: RemoteKind

    init(
        _ kind: RemoteKind = .cabinet, schema: SchemaMode = .growing, limits: Limits = .default,
        retention: ChangeRetention = ChangeRetention(), on backend: any StorageBackend = MemoryBackend(),
        user: String = "_ann"
    ) async throws {
        self.kind = kind
        self.user = Account(userRecordName: user)
        server = try LocalDatabaseService(
            backend: backend, schema: schema, limits: limits, changeRetention: retention, now: clock.now)
        if home != .default { try await remote.save(RecordZone(zoneID: home)) }
    }

    /// The zone of the records: CloudKit reports no changes of the default zone.
    var home: RecordZone.ID { kind == .iCloud ? RecordZone.ID(zoneName: "Home") : .default }

    /// The private database on the server, as another client sees it.
    var remote: Database {
        get throws { try container(of: user.userRecordName).privateDatabase }
    }

    /// Returns the container of a user on the server, as a client without a mirror sees it.
    func container(of user: String) throws -> Container {
        try Container(identifier: Self.container, service: server, account: Account(userRecordName: user))
    }

    /// Returns the service of the kind of server, for a user.
    func service(for user: Account) throws -> any DatabaseService {
        switch kind {
        case .cabinet: server
        case .iCloud: try RemoteKind.iCloudService(over: try container(of: user.userRecordName))
        }
    }

    /// Starts a device's program.
    ///
    /// - Parameters:
    ///   - store: The store of the device.
    ///   - link: The device's connection.
    ///   - syncs: Whether the mirror works by itself.
    ///   - user: The user of the device; by default that of the scene.
    ///   - configure: Sets the choices of the program.
    func device(
        on store: any StorageBackend = MemoryBackend(), through link: TestLink? = nil, syncs: Bool = false,
        user: String? = nil, configure: (inout MirrorConfiguration) -> Void = { _ in }
    ) async throws -> TestDevice {
        let account = user.map { Account(userRecordName: $0) } ?? self.user
        let link = try link ?? TestLink(service(for: account))
        var configuration = MirrorConfiguration()
        configuration.automaticallySyncs = syncs
        configure(&configuration)
        let remote = try Container(identifier: Self.container, service: link, account: account)
        // Waits of a mirror that works by itself are those of a real clock.
        let now: @Sendable () -> Date = if syncs { { Date() } } else { clock.now }
        let mirror = try MirrorDatabaseService(
            mirroring: remote, in: store, configuration: configuration, now: now)
        let device = TestDevice(mirror: mirror, container: try mirror.container(), link: link, home: home)
        // The zone must be known before a record is saved in it.
        if home != .default { try? await mirror.fetchChanges() }
        return device
    }

    /// Returns the ID of a record in the zone of the scene.
    func id(_ name: String) -> RecordID { RecordID(recordName: name, zoneID: home) }

    /// Creates a record with a text in the zone of the scene.
    func note(_ name: String, _ text: String, in zoneID: RecordZone.ID? = nil) -> Record {
        Self.note(name, text, in: zoneID ?? home)
    }

    /// Returns a text of a note on the server.
    func text(_ field: String = "text", of name: String, in zoneID: RecordZone.ID? = nil) async throws -> String? {
        try await remote.text(field, of: name, in: zoneID ?? home)
    }

    /// Creates a record with a text.
    static func note(_ name: String, _ text: String, in zoneID: RecordZone.ID = .default) -> Record {
        var record = Record(recordType: "Notes", recordID: RecordID(recordName: name, zoneID: zoneID))
        record["text"] = text
        return record
    }
}

/// A device with a mirror.
struct TestDevice: Sendable {
    let mirror: MirrorDatabaseService
    let container: Container
    let link: TestLink
    let home: RecordZone.ID

    var database: Database { container.privateDatabase }

    func sync() async throws {
        try await mirror.fetchChanges()
        try await mirror.sendChanges()
        try await mirror.fetchChanges()
    }

    /// Sets a field of a note, which is created if it does not exist.
    func set(
        _ text: String, _ field: String = "text", of name: String, in zoneID: RecordZone.ID? = nil
    ) async throws {
        let id = RecordID(recordName: name, zoneID: zoneID ?? home)
        var record: Record
        do {
            record = try await database.record(for: id)
        } catch CabinetError.Code.unknownItem {
            record = Record(recordType: "Notes", recordID: id)
        }
        record[field] = text
        try await database.save(record)
    }

    func text(_ field: String = "text", of name: String, in zoneID: RecordZone.ID? = nil) async throws -> String? {
        try await database.text(field, of: name, in: zoneID ?? home)
    }
}

extension Database {
    func text(_ field: String = "text", of name: String, in zoneID: RecordZone.ID = .default) async throws -> String? {
        do {
            return try await record(for: RecordID(recordName: name, zoneID: zoneID))[field]
        } catch CabinetError.Code.unknownItem {
            return nil
        }
    }

    func change(_ id: RecordID, _ field: String, _ text: String) async throws {
        var record = try await record(for: id)
        record[field] = text
        try await save(record)
    }
}

/// A connection to a server that a test counts, cuts and holds.
final class TestLink: WrappingService {
    let base: any DatabaseService
    private let state = Mutex(State())

    private struct State {
        var isCutOff = false
        var cutsBytes = false
        var losesAnswers = 0
        var names: [String] = []
        var listeners = 0
        var held: Set<String> = []
        var heldAnswers: Set<String> = []
        var continuations: [CheckedContinuation<Void, Never>] = []
        /// The number of further requests of a name that reach the server.
        var passes: [String: Int] = [:]
        var observer: (name: String, body: @Sendable () -> String)?
        var observations: [String] = []
    }

    init(_ base: any DatabaseService) {
        self.base = base
    }

    func perform<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response {
        let (isCutOff, observer) = state.withLock { state in
            state.names.append(Request.name)
            if let rest = state.passes[Request.name] { state.passes[Request.name] = rest - 1 }
            let observer = state.observer.flatMap { $0.name == Request.name ? $0.body : nil }
            return (state.isCutOff || (state.passes[Request.name] ?? 0) < 0, observer)
        }
        if let observation = observer?() { state.withLock { $0.observations.append(observation) } }
        if isCutOff { throw CabinetError(.networkUnavailable, "The test has cut the connection.") }
        await wait { $0.held.contains(Request.name) }
        let response = try await base.perform(request, for: caller)
        let isLost = state.withLock { state in
            guard Request.effect != .none, state.losesAnswers > 0 else { return false }
            state.losesAnswers -= 1
            return true
        }
        if isLost { throw CabinetError(.serverResponseLost, "The test has lost the answer.") }
        await wait { $0.heldAnswers.contains(Request.name) }
        return response
    }

    /// Waits until ``release()``, if a condition holds now.
    private func wait(while isHeld: @Sendable (borrowing State) -> Bool) async {
        await withCheckedContinuation { continuation in
            let goesOn = state.withLock { state in
                if !isHeld(state) { return true }
                state.continuations.append(continuation)
                return false
            }
            if goesOn { continuation.resume() }
        }
    }

    /// Whether requests are lost.
    var isCutOff: Bool {
        get { state.withLock { $0.isCutOff } }
        set { state.withLock { $0.isCutOff = newValue } }
    }

    /// Whether the bytes of assets are lost.
    var cutsBytes: Bool {
        get { state.withLock { $0.cutsBytes } }
        set { state.withLock { $0.cutsBytes = newValue } }
    }

    func bytes(
        of asset: StoredAsset, of recordID: RecordID, in range: Range<Int64>, scope: DatabaseScope, for caller: Caller
    ) async throws -> Data {
        state.withLock { $0.names.append(Self.bytes) }
        if cutsBytes { throw CabinetError(.networkUnavailable, "The test has cut the connection.") }
        await wait { $0.held.contains(Self.bytes) }
        return try await base.bytes(of: asset, of: recordID, in: range, scope: scope, for: caller)
    }

    func signals(of scopes: [DatabaseScope], for caller: Caller) throws -> AsyncStream<Void> {
        state.withLock { $0.listeners += 1 }
        return try base.signals(of: scopes, for: caller)
    }

    /// The number of streams of signals that were asked for.
    var listeners: Int { state.withLock { $0.listeners } }

    /// Lets a number of requests of a name pass, and loses the later ones.
    func pass(_ name: String, _ count: Int) { state.withLock { $0.passes[name] = count } }

    /// Keeps the texts that a closure returns at each request of a name, from now on.
    func observe(_ name: String, _ body: @escaping @Sendable () -> String) {
        state.withLock { ($0.observer, $0.observations) = ((name, body), []) }
    }

    /// The texts that the observer has returned.
    var observations: [String] { state.withLock { $0.observations } }

    /// The number of the next answers to changes that are lost.
    func loseAnswers(_ count: Int) { state.withLock { $0.losesAnswers = count } }

    /// The names of the requests so far.
    var names: [String] { state.withLock { $0.names } }

    /// The name of requests for the bytes of assets.
    static let bytes = "bytes"

    /// Holds requests of a name until they are released.
    func hold(_ name: String) { state.withLock { _ = $0.held.insert(name) } }

    /// Holds answers to requests of a name until they are released.
    func holdAnswers(to name: String) { state.withLock { _ = $0.heldAnswers.insert(name) } }

    /// The number of requests that are held.
    var heldCount: Int { state.withLock { $0.continuations.count } }

    func release() {
        let waiting = state.withLock { state in
            (state.held, state.heldAnswers) = ([], [])
            defer { state.continuations = [] }
            return state.continuations
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Closes the device's own part; the server is closed by the test.
    func close() async { if !(base is LocalDatabaseService) { await base.close() } }
}

/// Waits until a condition holds.
func eventually(
    _ comment: Comment, within limit: Duration = .seconds(60), sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + limit
    while ContinuousClock.now < end {
        if try await condition() { return }
        try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record(comment, sourceLocation: sourceLocation)
}
