/// The answer to a query, again and again, each time that it has changed.
///
/// It changes its answer by what has changed in the database, which is read once for all who observe it. It runs the query anew
/// only when that is not possible, or would take longer.
///
/// A class: copying so large a value would take code in every type that holds one.
final class LiveQuery {
    private let service: LocalDatabaseService
    private let database: DatabaseKey
    private let request: QueryRequest
    private let observer: ChangeObserver
    private var arrivals: AsyncStream<Void>.Iterator
    /// What is known; `nil` at first, and after an error.
    private var state: State?
    private var isEnded = false

    fileprivate struct State: Sendable {
        var plan: QueryPlan
        var answer: LiveAnswer
        /// The number up to which all changes are taken in.
        var number: Int64
        /// The timeline that the number is on.
        let timeline: Int64?
    }

    init(service: LocalDatabaseService, database: DatabaseKey, request: QueryRequest) {
        self.service = service
        self.database = database
        self.request = request
        // Before the first look, so that nothing is missed between the two.
        observer = service.followers.observe(database)
        arrivals = observer.inbox.makeIterator()
    }

    /// The answer as it is at first, with the fields that were asked for, and then whenever it has changed; `nil` when the container was closed or the task cancelled.
    ///
    /// After an error the next answer is one that was looked up anew.
    func next() async throws -> [StoredRecord]? {
        do {
            if !isEnded, let records = try await nextAnswer() {
                // An asset that is gone meanwhile has no file; its record comes again, in the next state.
                return await service.addingFiles(
                    to: records.map { $0.trimmed(to: request.desiredKeys) }, in: database)
            }
        } catch {
            if !Task.isCancelled, !service.isClosed { throw error }
        }
        isEnded = true
        state = nil
        return nil
    }

    private func nextAnswer() async throws -> [StoredRecord]? {
        guard state != nil else {
            _ = observer.inbox.take()
            state = try await load()
            return state?.answer.records
        }
        while await arrivals.next(isolation: #isolation) != nil, !Task.isCancelled {
            if try await takeIn(observer.inbox.take()) { return state?.answer.records }
        }
        return nil
    }

    private func load() async throws -> State {
        try await service.prepare(database)
        return try await service.read(database) { [request] snapshot in
            let plan = try await LocalDatabaseService.plan(
                request.query, zoneID: request.zoneID, scope: request.scope, in: snapshot)
            try plan.validate()
            let records = try await snapshot.records(matching: plan)
            let end = try await snapshot.timelineEnd()
            return State(
                plan: plan, answer: try LiveAnswer(plan, records: records), number: end.number, timeline: end.timeline)
        }
    }

    /// Changes the answer by what has come.
    ///
    /// - Returns: Whether it has changed.
    private func takeIn(_ content: ChangeInbox.Content) async throws -> Bool {
        guard var state else { return false }
        // The answer is changed in place; and if an error comes between, it is not known any more.
        self.state = nil
        var hasChanged = false
        var isKnown = !content.isIncomplete
        for set in content.sets where isKnown {
            let meter = WorkMeter(limit: service.limits.workPerRequest, observesTask: true)
            let consequence = try WorkMeter.$current.withValue(meter) {
                try state.takeIn(set, zoneID: request.zoneID)
            }
            switch consequence {
            case .unknown: isKnown = false
            case .known(let isOther): hasChanged = hasChanged || isOther
            }
        }
        if !isKnown {
            let new = try await ChangeFollowers.retrying { try await load() }
            hasChanged = hasChanged || new.answer.records != state.answer.records
            state = new
        }
        self.state = state
        return hasChanged
    }
}

extension LiveQuery.State {
    fileprivate enum Consequence {
        /// The answer is known, and maybe another one.
        case known(isOther: Bool)
        /// The query must be run anew.
        case unknown
    }

    /// Changes the answer by what has changed in the database.
    fileprivate mutating func takeIn(_ set: ChangeSet, zoneID: RecordZone.ID?) throws -> Consequence {
        // Numbers of different timelines cannot be compared: an older copy of the store may have been put back between them.
        if set.timeline != timeline { return .unknown }
        // Which fields there are decides what the filter means, and that may change without a record.
        let fields = FieldTypes(of: plan.recordType, in: set.schema)
        let isSameType = fields.own == plan.fields.own && fields.searchable == plan.fields.searchable
        if !isSameType, set.end >= number { return .unknown }
        guard set.isComplete else { return set.end == number ? .known(isOther: false) : .unknown }
        if set.start > number { return .unknown }
        if set.end <= number || set.count == 0 { return .known(isOther: false) }
        // Other records may have changed what a key path leads to.
        if plan.dependsOnOthers { return .unknown }
        let removed = set.removedZones.filter { $0.value > number }
        // There is no such zone, or another one.
        if let zoneID, removed[zoneID] != nil { return .unknown }
        var isOther = false
        if !removed.isEmpty { isOther = answer.removeAll { removed[$0] != nil } }
        let changes = set.changes.filter {
            $0.sequenceNumber > number && (zoneID == nil || $0.recordID.zoneID == zoneID)
        }
        if try answer.apply(changes) { isOther = true }
        number = set.end
        return .known(isOther: isOther)
    }
}

extension QueryPlan {
    /// Whether a change of another record can change the answer: then it cannot be kept up to date record by record.
    fileprivate var dependsOnOthers: Bool {
        filter.hasPaths || order.contains { FieldPath.isLong($0.key) }
    }
}
