import Cabinet
import CabinetMirror
import CabinetTesting
import Foundation

/// Several devices that mirror one server, with a network that loses, repeats and delays requests, and processes that are killed, also
/// that of the server.
///
/// A seed decides what happens, at every call to a store and every request. Nothing runs at the same time, so a seed always does the same.
actor MirrorSimulation {
    /// The constants that a seed chooses.
    struct Constants: Sendable {
        let batchSize: Int
        let pageSize: Int
        let leaseDuration: Double
        let retention: ChangeRetention
        /// Whether processes are killed; the next one may repair what a faulty one has done.
        let hasKills: Bool
        let editsWin: Bool
        let preference: ConflictResolver.FieldPreference
        /// The probability that something happens at a moment, in percent.
        let disturbance: Int

        init(_ random: inout SeededGenerator, _ kind: RemoteKind) {
            batchSize = [1, 2, 3, 100].randomElement(using: &random) ?? 1
            pageSize = [1, 2, 5, 100].randomElement(using: &random) ?? 100
            leaseDuration = [1, 1, 30].randomElement(using: &random) ?? 1
            retention = ChangeRetention(count: [1, 3, 1_000, 1_000].randomElement(using: &random) ?? 1)
            hasKills = Bool.random(using: &random)
            editsWin = Int.random(in: 0..<4, using: &random) > 0
            // iCloud does not recognize a repeated send. If another client has changed the same field after the lost answer, the
            // client's value would return.
            preference = Bool.random(using: &random) && kind == .cabinet ? .client : .server
            disturbance = [3, 10, 25].randomElement(using: &random) ?? 10
        }
    }

    static let container = "com.example.simulation"
    static let account = Account(userRecordName: "_ann")
    static let fields = ["f", "g", "h"]
    static let types = ["Notes", "Lists"]

    nonisolated let kind: RemoteKind
    /// The database that the devices mirror and edit.
    nonisolated let scope: DatabaseScope
    nonisolated let zone: RecordZone.ID
    nonisolated let ids: [RecordID]
    nonisolated let constants: Constants
    /// Whether records are created again with another type.
    nonisolated let hasTypes: Bool
    /// The moment at which sends read their next requests: nothing runs at the same time.
    nonisolated let readAhead: MirrorReadAhead
    nonisolated let fault: MirrorFault?
    let clock = TestClock()
    let server: SimulatedServer
    let observer: Database
    var devices: [SimulatedDevice] = []
    /// The versions of each record on the server, and `nil` where it did not exist.
    var history: [RecordID: [[String: String]?]] = [:]
    /// The texts that resolvers have dropped.
    let droppedTexts = DroppedTexts()
    let saveOrder = SaveOrder()
    var failure: String?
    private(set) var log: [String] = []
    var random: SeededGenerator
    var isDisturbed = true
    /// The number of disturbances that a step may still have.
    var disturbances = 0
    var depth = 0
    private var editCount = 0
    /// Requests that the network delivers once more, later.
    private var duplicates: [@Sendable () async -> Void] = []

    /// Whether another user shares the zone now, in a simulation of the shared database.
    var isShared = false

    init(seed: UInt64, of kind: RemoteKind = .cabinet, fault: MirrorFault? = nil) throws {
        let scope = [DatabaseScope.private, .shared, .private, .public][Int(seed % 4)]
        let owner = scope == .shared ? "_owner" : RecordZone.ID.defaultOwnerName
        // CloudKit reports no changes of the default zone.
        let hasHome = scope == .shared || (scope == .private && kind == .iCloud)
        let home = hasHome ? RecordZone.ID(zoneName: "Home", ownerName: owner) : .default
        self.kind = kind
        let zone = RecordZone.ID(zoneName: "Notes", ownerName: owner)
        (self.scope, self.zone) = (scope, zone)
        ids =
            ["a", "b", "c"].map { RecordID(recordName: $0, zoneID: home) }
            + ["d", "e"].map { RecordID(recordName: $0, zoneID: scope == .public ? home : zone) }
        random = SeededGenerator(seed: seed)
        constants = Constants(&random, kind)
        hasTypes = scope != .public && (seed / 8) % 5 == 2
        readAhead = (seed / 4).isMultiple(of: 2) ? .before : .after
        self.fault = fault
        server = try SimulatedServer(retention: constants.retention, now: clock.now)
        observer = try Container(identifier: Self.container, service: server, account: Self.account).database(
            with: scope)
        for id in ids { history[id] = [nil] }
    }

    /// Returns the service by which a process of a device reaches the server.
    nonisolated func service(ofDevice index: Int) throws -> any DatabaseService {
        switch kind {
        case .cabinet: return server
        case .iCloud:
            let container = try Container(
                identifier: Self.container, service: server, account: Self.account, deviceID: "device-\(index)")
            return try RemoteKind.iCloudService(over: container, notifies: false)
        }
    }

    /// Runs steps, and then lets every device send and fetch until nothing changes.
    ///
    /// - Returns: The first mistake, with the events before it, or `nil`.
    func run(devices count: Int = 3, steps: Int = 40) async throws -> String? {
        try await OwnTasks.$longestEnd.withValue(.seconds(600)) { try await play(devices: count, steps: steps) }
    }

    private func play(devices count: Int, steps: Int) async throws -> String? {
        if scope == .shared { try await shareZones() }
        if scope == .private, ids[0].zoneID != .default { try await observer.save(RecordZone(zoneID: ids[0].zoneID)) }
        for index in 0..<count {
            devices.append(SimulatedDevice(offset: Double(Int.random(in: -100_000...100_000, using: &random))))
            await start(index)
        }
        for _ in 0..<steps where failure == nil { try await step() }
        isDisturbed = false
        if failure == nil { try await finish() }
        return failure.map { "\($0)\n\(constants)\n\(log.suffix(2000).joined(separator: "\n"))" }
    }

    private func step() async throws {
        let index = Int.random(in: devices.indices, using: &random)
        disturbances = 30
        switch Int.random(in: 0..<26, using: &random) {
        case 0..<8: await edit(index)
        case 8..<18: await work(index)
        case 24, 25: advance(by: 2)
        case 18: await kill(index)
        case 19:
            devices[index].isCutOff.toggle()
            note("device \(index) is \(devices[index].isCutOff ? "cut off" : "connected")")
        case 20:
            // A server remembers for ten minutes what it has answered.
            let isAnswered = devices.allSatisfy { !$0.hasLostAnswer }
            advance(by: isAnswered ? pick([30, 1_000]) : 10)
        case 21: await deliverDuplicate()
        case 22: await decide(index)
        default: await settle(index)
        }
    }
}

extension MirrorSimulation {
    /// Lets a device fetch, send, or both.
    func work(_ index: Int) async {
        guard devices[index].isAlive else { return }
        let choice = Int.random(in: 0..<4, using: &random)
        if choice != 0 { await perform("sends", index) { try await $0.sendChanges() } }
        if choice > 1 { await perform("fetches", index) { try await $0.fetchChanges() } }
        if choice == 0 { await perform("fetches", index) { try await $0.fetchChanges() } }
    }

    func perform(_ name: String, _ index: Int, _ body: (MirrorDatabaseService) async throws -> Void) async {
        // A mirror does not begin a fetch amidst a fetch, or a send amidst a send.
        guard let mirror = devices[index].mirror, devices[index].work.insert(name).inserted else { return }
        let life = devices[index].life
        defer { if devices[index].life == life { devices[index].work.remove(name) } }
        devices[index].callCount += 1
        devices[index].workCount += 1
        note("device \(index) \(name)")
        depth += 1
        do {
            try await body(mirror)
            depth -= 1
        } catch {
            depth -= 1
            note("device \(index) \(name): \(error)")
            if let error = error as? CabinetError, error.code == .internalError { fail("Device \(index): \(error)") }
        }
        await end(index)
    }

    func end(_ index: Int) async {
        devices[index].callCount -= 1
        if !devices[index].isAlive, devices[index].callCount == 0 { await start(index) }
    }

    private func kill(_ index: Int) async {
        guard constants.hasKills, devices[index].isAlive else { return }
        note("device \(index) is killed")
        devices[index].isAlive = false
        // An answer that has arrived is lost too, if it was not stored.
        if devices[index].work.contains("sends") { devices[index].hasLostAnswer = true }
        if devices[index].callCount == 0 { await start(index) }
    }

    private func start(_ index: Int) async {
        do {
            try devices[index].start(index, self)
        } catch {
            fail("Device \(index) did not start: \(error)")
        }
    }

    /// Retries or discards what is set aside, as a program does.
    func decide(_ index: Int) async {
        guard let mirror = devices[index].mirror, devices[index].isAlive else { return }
        let retries = chance(50)
        await perform("decides", index) { _ in
            let changes = try await mirror.pendingChanges(in: scope, limit: 100).filter { $0.error != nil }
            let ids = changes.map(\.recordID)
            if ids.isEmpty { return }
            note(
                "\(retries ? "retries" : "discards") \(changes.map { "\($0.recordID.recordName) \($0.error?.code.description ?? "")" })"
            )
            if retries {
                try await mirror.retry(ids, in: scope)
            } else {
                // An edit amidst the discarding is dropped too.
                defer { for id in ids { devices[index].forgetEdits(of: id) } }
                try await mirror.discard(ids, in: scope)
            }
        }
    }
}

extension MirrorSimulation {
    /// A moment at which something may happen.
    func moment(_ index: Int, _ life: Int) async {
        guard isDisturbed, failure == nil, disturbances > 0, depth < 4, isAlive(index, life),
            chance(constants.disturbance)
        else { return }
        disturbances -= 1
        switch Int.random(in: 0..<12, using: &random) {
        case 0..<6: await edit(index)
        case 6, 7: await kill(index)
        case 8: await work(index)
        case 9: await deliverDuplicate()
        default: await work((index + Int.random(in: 1..<max(devices.count, 2), using: &random)) % devices.count)
        }
    }

    func isAlive(_ index: Int, _ life: Int) -> Bool { devices[index].isAlive && devices[index].life == life }

    /// The outcomes of a request in the network.
    enum Fate { case delivered, lost, answerLost, repeated, killed }

    func fate(_ index: Int) -> Fate {
        guard isDisturbed, failure == nil else { return .delivered }
        if devices[index].isCutOff { return .lost }
        guard chance(constants.disturbance) else { return .delivered }
        return pick([.lost, .answerLost, .answerLost, .repeated, .killed])
    }

    func duplicate(_ request: @escaping @Sendable () async -> Void) { duplicates.append(request) }

    private func deliverDuplicate() async {
        guard !duplicates.isEmpty else { return }
        note("a request arrives once more")
        await duplicates.remove(at: Int.random(in: duplicates.indices, using: &random))()
        await recordHistory()
    }

    func lostAnswer(_ index: Int, _ isLost: Bool) { devices[index].hasLostAnswer = isLost }

    func countEdit() -> Int {
        editCount += 1
        return editCount
    }

    func advance(by seconds: Double) {
        clock.advance(by: seconds)
        for index in devices.indices { devices[index].clock.advance(by: seconds) }
        note("\(seconds) seconds pass")
    }

    func fail(_ message: String) {
        if failure == nil { failure = message }
    }

    func note(_ event: String) { log.append(String(repeating: "  ", count: depth) + event) }

    func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &random)]
    }
}
