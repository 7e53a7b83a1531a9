@testable import Cabinet
import CabinetTesting
import Synchronization

/// A device of the model: its notes, its engine, and what it has stored.
struct SyncModelDevice {
    static let container = "com.example.model"

    struct Edit {
        let text: String?
        /// The number of the note's texts that the store had had before.
        let position: Int
    }

    private(set) var notes = SyncedNotes()
    private(set) var engine: SyncEngine
    private(set) var isAlive = false
    /// The number of restarts.
    private(set) var life = 0
    /// The number of calls of its engine that have not returned.
    var callCount = 0
    var isBusy: Bool { callCount > 0 }
    private(set) var lastEdits: [String: Edit] = [:]
    /// The zones that it has fetched, and that no event has reported as deleted.
    var zones: Set<RecordZone.ID> = []

    private let makeDatabase: (_ life: Int) throws -> Database
    private let makeLink: (_ life: Int) -> SyncModelLink
    private let pageSize: Int?
    private var link: SyncModelLink
    private var stored = SyncedNotes.Content()
    private var storedZones: Set<RecordZone.ID> = []
    /// The edits of each note that the store has not confirmed.
    private var unconfirmed: [String: [String?]] = [:]
    /// The edits that were confirmed since the notes were stored.
    private var confirmed: [(name: String, text: String?)] = []
    private let reports = SyncModelReports()

    init(
        _ index: Int, _ model: SyncModel, _ base: any StorageBackend, _ constants: SyncModel.Constants,
        _ clock: TestClock
    ) throws {
        pageSize = constants.pageSize
        makeLink = { SyncModelLink(model: model, index: index, life: $0) }
        makeDatabase = { life in
            try Container(
                identifier: Self.container,
                backend: SyncModelBackend(base: base, model: model, index: index, life: life),
                changeRetention: constants.retention, deviceID: "device-\(index)", now: clock.now
            ).privateDatabase
        }
        link = makeLink(0)
        engine = SyncEngine(
            .init(database: try makeDatabase(0), stateSerialization: nil, delegate: link, automaticallySync: false))
    }

    mutating func kill() { isAlive = false }

    /// Starts the program with what the device has stored.
    mutating func start() throws {
        life += 1
        _ = reports.take()
        confirmed = []
        notes = SyncedNotes(stored)
        zones = storedZones
        link = makeLink(life)
        engine = SyncEngine(
            .init(
                database: try makeDatabase(life), stateSerialization: stored.engine, delegate: link,
                automaticallySync: false),
            schedule: SyncSchedule(run: { [reports] in reports.add($0) }), pageSize: pageSize)
        isAlive = true
    }

    mutating func edited(_ name: String, _ text: String?, at position: Int) {
        lastEdits[name] = Edit(text: text, position: position)
        unconfirmed[name, default: []].append(text)
    }

    mutating func confirm(_ name: String, _ text: String?) { confirmed.append((name, text)) }

    mutating func store(_ content: SyncedNotes.Content) {
        stored = content
        storedZones = zones
        for (name, text) in confirmed {
            guard let position = unconfirmed[name]?.firstIndex(of: text) else { continue }
            unconfirmed[name]?.removeSubrange(...position)
        }
        confirmed = []
    }

    /// Whether the device may write a text: it has an edit with it that was not confirmed.
    func mayWrite(_ name: String, _ text: String?) -> Bool { unconfirmed[name]?.contains(text) == true }

    func takeReports() -> [@Sendable () async -> Void] { reports.take() }
}

/// The reports of states that an engine makes soon.
private final class SyncModelReports: Sendable {
    private let reports = Mutex<[@Sendable () async -> Void]>([])

    func add(_ report: @escaping @Sendable () async -> Void) { reports.withLock { $0.append(report) } }

    func take() -> [@Sendable () async -> Void] {
        reports.withLock { reports in
            defer { reports = [] }
            return reports
        }
    }
}
