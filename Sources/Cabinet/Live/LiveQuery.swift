/// The answer to a query, again and again, each time that it has changed.
///
/// It looks when the backend signals that something has changed, reads what, and changes its answer accordingly; it runs the query
/// anew only when that is not possible, or would take longer.
struct LiveQuery {
    private let backend: any StorageBackend
    private let database: DatabaseKey
    private let request: QueryRequest
    private var signals: AsyncStream<Void>.Iterator
    private var state: State?

    private struct State: Sendable {
        var plan: QueryPlan
        var answer: LiveAnswer
        /// The number up to which all changes are taken in.
        var number: Int64
    }

    /// A look that has more changes to read than this runs the query anew.
    private static let maximumChanges = 1_000

    init(backend: any StorageBackend, database: DatabaseKey, request: QueryRequest) {
        self.backend = backend
        self.database = database
        self.request = request
        // Before the first look, so that nothing is missed between the two.
        signals = backend.changeSignals(of: database).makeAsyncIterator()
    }

    /// The answer as it is at first, and then whenever it has changed; `nil` when the backend was closed or the task cancelled.
    mutating func next() async throws -> [StoredRecord]? {
        guard let old = state else {
            let new = try await backend.read(database) { [request] in try await Self.load(request, in: $0) }
            state = new
            return new.answer.records
        }
        var state = old
        while true {
            guard await signals.next(isolation: #isolation) != nil, !Task.isCancelled else { return nil }
            let result = try await backend.read(database) { [request, state] in
                try await Self.update(state, request, in: $0)
            }
            state = result.state
            self.state = state
            if result.hasChanged { return state.answer.records }
        }
    }

    private static func load(_ request: QueryRequest, in snapshot: any StorageSnapshot) async throws -> State {
        let plan = try await LocalDatabaseService.plan(
            request.query, zoneID: request.zoneID, scope: request.scope, in: snapshot)
        try plan.validate()
        return State(
            plan: plan, answer: try LiveAnswer(plan, records: try await snapshot.records(matching: plan)),
            number: try await snapshot.lastSequenceNumber())
    }

    private static func update(
        _ state: State, _ request: QueryRequest, in snapshot: any StorageSnapshot
    ) async throws -> (state: State, hasChanged: Bool) {
        let last = try await snapshot.lastSequenceNumber()
        if last == state.number { return (state, false) }
        let plan = try await LocalDatabaseService.plan(
            request.query, zoneID: request.zoneID, scope: request.scope, in: snapshot)
        // A field that the filter reads may be new, and other records may have changed what a key path leads to.
        if plan.fields == state.plan.fields, !LiveAnswer.depends(onOthers: plan),
            let result = try await Self.follow(state, request, to: last, in: snapshot)
        {
            return result
        }
        let new = try await load(request, in: snapshot)
        return (new, new.answer.records != state.answer.records)
    }

    /// The state with what has changed since; `nil` if that cannot be told, or is too much.
    private static func follow(
        _ state: State, _ request: QueryRequest, to last: Int64, in snapshot: any StorageSnapshot
    ) async throws -> (state: State, hasChanged: Bool)? {
        guard last > state.number else { return nil }
        var state = state
        var hasChanged = false
        let zones = try await snapshot.zoneChanges(after: state.number, limit: maximumChanges + 1)
        var room = maximumChanges - zones.count
        for case .deleted(let zoneID, _) in zones where state.answer.removeAll(in: zoneID) { hasChanged = true }
        for case .changed(let zone) in zones where request.zoneID.map({ $0 == zone.zoneID }) ?? true {
            guard room > 0, zone.expirationNumber <= state.number else { return nil }
            let changes = try await snapshot.changes(
                inZone: zone.zoneID, after: state.number, limit: room + 1, keys: nil)
            guard changes.count <= room else { return nil }
            room -= changes.count
            for change in changes where try state.answer.apply(change) { hasChanged = true }
        }
        state.number = last
        return (state, hasChanged)
    }
}
