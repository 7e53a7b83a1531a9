import CabinetMirror
import CabinetTesting
import Foundation

@testable import Cabinet

/// An edit whose save has returned to the device's program.
struct SimulatedEdit: Sendable {
    let id: RecordID
    let field: String
    let text: String
}

/// A device of the simulation: its store, its clock, and the process that runs on it.
struct SimulatedDevice {
    private(set) var mirror: MirrorDatabaseService?
    private(set) var database: Database?
    var isAlive = false
    /// The number of restarts.
    private(set) var life = 0
    /// The number of calls of the process that have not returned.
    var callCount = 0
    /// The number of edits that the program has begun.
    var editCount = 0
    /// The number of fetches and sends that the process has begun.
    var workCount = 0
    /// The calls of the process that are under way.
    var work: Set<String> = []
    var isCutOff = false
    /// Whether the server may have carried out a request whose answer did not arrive.
    var hasLostAnswer = false
    var lacksZone = true
    /// Whether the program has deleted the zone since the device has deleted it on the server.
    var mayDeleteZone = false
    /// The records that the program has deleted or moved to an owner, whose deletions the mirror may send: others are those of cascades.
    var deleted: Set<RecordID> = []
    /// The records that cascades of the program's deletions have deleted.
    var cascaded: Set<RecordID> = []
    /// The records that the program has created or linked, whose references the mirror may clear.
    var cleared: Set<RecordID> = []
    /// The edits that the server must get.
    private(set) var edits: [SimulatedEdit] = []
    let clock: TestClock
    private let backend = MemoryBackend()

    init(offset: TimeInterval) {
        clock = TestClock(Date(timeIntervalSinceReferenceDate: 790_000_000 + offset))
    }

    /// Starts the program with what the device has stored.
    mutating func start(_ index: Int, _ simulation: MirrorSimulation) throws {
        life += 1
        work = []
        let constants = simulation.constants
        let link = SimulatedLink(
            base: try simulation.service(ofDevice: index), simulation: simulation, index: index, life: life)
        let remote = try Container(
            identifier: MirrorSimulation.container, service: link, account: MirrorSimulation.account,
            deviceID: "device-\(index)")
        var configuration = MirrorConfiguration()
        configuration.automaticallySyncs = false
        configuration.batchSize = constants.batchSize
        configuration.pageSize = constants.pageSize
        configuration.readAhead = simulation.readAhead
        switch simulation.scope {
        case .private: break
        case .shared: configuration.selection.includesSharedZones = true
        case .public: configuration.selection.publicRecords = ["Notes": .constant(true)]
        }
        configuration.leaseDuration = .seconds(constants.leaseDuration)
        // iCloud stores no notifications about deleted records.
        if simulation.kind == .iCloud { configuration.publicCheckInterval = .seconds(1) }
        configuration.deletionConflict = constants.editsWin ? .editWins : .deletionWins
        configuration.resolver = SimulatedResolver(index: index, simulation: simulation).resolver
        let store = SimulatedStore(base: backend, simulation: simulation, index: index, life: life)
        let mirror = try MirrorDatabaseService(
            mirroring: remote, in: store, configuration: configuration, now: clock.now)
        self.mirror = mirror
        database = try mirror.container().database(with: simulation.scope)
        isAlive = true
    }

    /// Records that a record was created again, so that the mirror may send what its deletion has done to others.
    mutating func replacedDeleted(_ ids: [RecordID]) {
        deleted.formUnion(ids)
        cleared.formUnion(ids)
    }

    mutating func edited(_ edit: SimulatedEdit) {
        forgetEdits(of: edit.id, field: edit.field)
        edits.append(edit)
    }

    mutating func forgetEdits(of id: RecordID, field: String? = nil) {
        edits.removeAll { $0.id == id && (field == nil || $0.field == field) }
    }

    mutating func forgetAllEdits() { edits = [] }

    /// Returns what the mirror has stored of its work, an entry a line.
    func mirrorEntries() async -> String {
        let keys = StorageKey("mirror")..<StorageKey("mirrorz")
        let databases = (try? await backend.databases()) ?? []
        var lines: [String] = []
        for database in databases {
            let entries = (try? await backend.read(database) { try await $0.allEntries(in: keys) }) ?? []
            lines += entries.map { "\($0.key.text): \($0.text)" }
        }
        return lines.joined(separator: "\n")
    }
}
