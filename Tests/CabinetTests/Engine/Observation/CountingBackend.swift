import Cabinet
import Foundation
import Synchronization

/// A memory backend that counts its reads, streams of signals and the calls of its views, and lets some reads fail.
final class CountingBackend: StorageBackend {
    /// A call of a view.
    enum Call: String {
        case load, entries, records, references, groups, changes, delete, apply
    }

    /// The calls of a transaction or a read.
    struct Visit: Equatable, CustomStringConvertible {
        let isWrite: Bool
        var calls: [Call] = []

        var description: String { "\(isWrite ? "write" : "read"): \(calls.map(\.rawValue).joined(separator: ", "))" }
    }

    /// The entries that a load names, and the number of those that its ranges had.
    struct Load: Equatable {
        let entries: [StorageKey]
        let entryRanges: [Range<StorageKey>]
        let foundCount: Int
    }

    private struct State {
        var loads: [Load] = []
        var foundEntries: [StorageKey] = []
        var reads = 0
        var streams = 0
        var failures: [CabinetError] = []
        var visits: [Visit] = []
        var onCall: @Sendable (Call) -> Void = { _ in }
    }

    private let base = MemoryBackend()
    /// Whether transactions delete groups of records.
    fileprivate let hasGroups: Bool
    private let state = Mutex(State())
    private let signals = ChangeBroadcaster()
    private let readLock = AsyncLock()

    init(hasGroups: Bool = true) {
        self.hasGroups = hasGroups
    }

    /// The number of reads that have begun.
    var reads: Int { state.withLock(\.reads) }

    /// The number of signal streams with a reader.
    var streams: Int { state.withLock(\.streams) }

    /// The calls of each read and write since the last ``forgetVisits()``, in the order in which they began.
    var visits: [Visit] { state.withLock(\.visits) }

    /// Forgets the calls so far.
    ///
    /// No call may be running.
    func forgetVisits() {
        state.withLock {
            $0.visits = []
            $0.loads = []
            $0.foundEntries = []
        }
    }

    /// The loads since the last ``forgetVisits()``.
    var loads: [Load] { state.withLock(\.loads) }

    fileprivate func add(_ load: Load) { state.withLock { $0.loads.append(load) } }

    /// The keys of the entries that ranges had since the last ``forgetVisits()``.
    var foundEntries: [StorageKey] { state.withLock(\.foundEntries) }

    fileprivate func add(_ entries: [StorageEntry]) { state.withLock { $0.foundEntries += entries.map(\.key) } }

    /// Runs a closure before each later call of a view.
    func onCall(_ body: @escaping @Sendable (Call) -> Void) { state.withLock { $0.onCall = body } }

    /// Lets the next reads fail.
    func fail(_ errors: [CabinetError]) {
        state.withLock { $0.failures = errors }
    }

    /// Runs a closure while reads wait.
    func holdingReads(_ body: () async throws -> Void) async throws {
        try await readLock.withLock { try await body() }
    }

    func read<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Result
    ) async throws -> Result {
        let failure = state.withLock { state in
            state.reads += 1
            return state.failures.isEmpty ? nil : state.failures.removeFirst()
        }
        if let failure { throw failure }
        await readLock.withLock {}
        let visit = begin(isWrite: false)
        return try await base.read(database) { try await body(CountingView(base: $0, backend: self, visit: visit)) }
    }

    func write<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        let visit = begin(isWrite: true)
        let result = try await base.write(database) {
            try await body(CountingView(base: $0, backend: self, visit: visit))
        }
        signals.signal(database)
        return result
    }

    private func begin(isWrite: Bool) -> Int {
        state.withLock { state in
            state.visits.append(Visit(isWrite: isWrite))
            return state.visits.count - 1
        }
    }

    fileprivate func count(_ call: Call, in visit: Int) {
        let onCall = state.withLock { state in
            if state.visits.indices.contains(visit) { state.visits[visit].calls.append(call) }
            return state.onCall
        }
        onCall(call)
    }

    var abilities: StorageAbilities {
        var abilities = base.abilities
        abilities.signals = self
        return abilities
    }

    func close() async {
        await base.close()
        signals.finish()
    }
}

extension CountingBackend: ChangeSignals {
    func changeSignals(of database: DatabaseKey) -> AsyncStream<Void> {
        state.withLock { $0.streams += 1 }
        return signals.changeSignals(of: database) { [weak self] in self?.state.withLock { $0.streams -= 1 } }
    }
}

/// The groups of a view that counts their calls.
private struct CountingReferrers: StorageReferrers {
    let base: any StorageReferrers
    let view: CountingView

    func groups(referringTo id: RecordID) async throws -> [ReferrerGroup]? {
        view.backend.count(.groups, in: view.visit)
        return try await base.groups(referringTo: id)
    }

    func mayBeReferredTo(_ group: ReferrerGroup) async throws -> Bool {
        view.backend.count(.groups, in: view.visit)
        return try await base.mayBeReferredTo(group)
    }

    func delete(_ group: ReferrerGroup, count: Int, from sequenceNumber: Int64, date: Date) async throws {
        view.backend.count(.delete, in: view.visit)
        try await base.delete(group, count: count, from: sequenceNumber, date: date)
    }
}

/// A view that counts its calls.
private struct CountingView: StorageTransaction {
    let base: any StorageSnapshot
    let backend: CountingBackend
    let visit: Int

    func load(_ keys: StorageKeys) async throws -> StorageValues {
        backend.count(.load, in: visit)
        let values = try await base.load(keys)
        let foundCount = values.entryRanges.reduce(0) { $0 + $1.count }
        backend.add(Array(values.entryRanges.joined()))
        backend.add(
            CountingBackend.Load(entries: keys.entries, entryRanges: keys.entryRanges, foundCount: foundCount))
        return values
    }

    func entries(in range: Range<StorageKey>, limit: Int) async throws -> [StorageEntry] {
        backend.count(.entries, in: visit)
        let found = try await base.entries(in: range, limit: limit)
        backend.add(found)
        return found
    }

    func records(matching plan: QueryPlan) async throws -> [StoredRecord] {
        backend.count(.records, in: visit)
        return try await base.records(matching: plan)
    }

    func references(to ids: [RecordID]) async throws -> [StoredReference] {
        backend.count(.references, in: visit)
        return try await base.references(to: ids)
    }

    func changes(
        in zoneID: RecordZone.ID, after number: Int64, limit: Int, of content: ChangeContent
    ) async throws -> [StoredChange] {
        backend.count(.changes, in: visit)
        return try await base.changes(in: zoneID, after: number, limit: limit, of: content)
    }

    var abilities: SnapshotAbilities {
        var abilities = base.abilities
        abilities.referrers =
            backend.hasGroups ? abilities.referrers.map { CountingReferrers(base: $0, view: self) } : nil
        return abilities
    }

    func apply(_ mutations: [StorageMutation]) async throws {
        guard let transaction = base as? any StorageTransaction else {
            throw CabinetError(.internalError, "A snapshot cannot be written to.")
        }
        backend.count(.apply, in: visit)
        try await transaction.apply(mutations)
    }
}
