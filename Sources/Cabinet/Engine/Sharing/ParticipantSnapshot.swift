import Synchronization

/// A view of an owner's database that has only the records that a participant's shares cover.
///
/// Every request of a participant reads through it, so none can forget the limits of a share. Entries and the schema are those of the
/// database.
final class ParticipantSnapshot: StorageSnapshot {
    let base: any StorageSnapshot
    private let user: String
    private let known = Mutex<(zoneIDs: Set<RecordZone.ID>, access: ShareAccess)>(([], ShareAccess()))

    init(_ base: any StorageSnapshot, user: String) {
        self.base = base
        self.user = user
    }

    /// Returns the rights of the participant in zones.
    func access(to zoneIDs: [RecordZone.ID]) async throws -> ShareAccess {
        let missing = missing(zoneIDs)
        if !missing.isEmpty { add(try await base.shareAccess(to: missing, for: user), to: missing) }
        return known.withLock { $0.access }
    }

    private func missing(_ zoneIDs: [RecordZone.ID]) -> [RecordZone.ID] {
        known.withLock { known in zoneIDs.filter { !known.zoneIDs.contains($0) } }
    }

    private func add(_ access: ShareAccess, to zoneIDs: [RecordZone.ID]) {
        known.withLock { known in
            known.zoneIDs.formUnion(zoneIDs)
            known.access.merge(access)
        }
    }

    /// Loads what the participant sees, and in the same round trip the rights in the zones that the keys name.
    func load(_ keys: StorageKeys) async throws -> StorageValues {
        let zones = keys.entries.lazy.filter(StoredZone.allKeys.contains).compactMap { RecordZone.ID($0) }
        let new = missing((keys.records + keys.existing).distinctZones + zones)
        let current = known.withLock { $0.access }
        if new.isEmpty, !current.isPartial {
            var values = try await base.load(keys)
            values.records = values.records.map { $0.flatMap { current.canRead($0) ? $0 : nil } }
            values.existing = zip(keys.existing, values.existing).map { $1 && current.canRead($0.zoneID) }
            return values
        }
        let access = ShareAccessKeys(new, user: user)
        var all = keys
        all.records += keys.existing
        all.existing = []
        all.fields = keys.fields.map { $0.adding([StoredRecord.shareKey]) }
        all.entryRanges += access.entryRanges
        var values = try await base.load(all)
        add(try access.access(values.entryRanges.dropFirst(keys.entryRanges.count)), to: new)
        let rights = known.withLock { $0.access }
        let records = values.records.map { $0.flatMap { rights.canRead($0) ? $0 : nil } }
        values.records = Array(records.prefix(keys.records.count))
        values.existing = records.dropFirst(keys.records.count).map { $0 != nil }
        values.entryRanges = Array(values.entryRanges.prefix(keys.entryRanges.count))
        return values
    }

    func entries(in range: Range<StorageKey>, limit: Int) async throws -> [StorageEntry] {
        try await base.entries(in: range, limit: limit)
    }

    func records(matching plan: QueryPlan) async throws -> [StoredRecord] {
        guard let limits = try await limits(of: plan) else { return try await base.records(matching: plan) }
        guard plan.followsReferences else { return try await base.records(matching: plan.limited(by: limits)) }
        // The store follows references to every record, so the records that they lead to are evaluated here.
        var scan = plan.limited(by: limits, keepingPaths: false).scan(reading: [])
        scan.keys = nil
        if plan.order.isEmpty { scan.position = plan.position }
        let whole = try plan.evaluating(plan.filter, keepsFields: true)
        var found: [StoredRecord] = []
        while true {
            let page = try await base.records(matching: scan)
            found = try await resolving(for: plan) { [found] in try whole.page(of: found + page, resolving: $0) }
            if plan.order.isEmpty, found.count == plan.limit { break }
            guard page.count == scan.limit, let last = page.last else { break }
            scan = try scan.continued(after: last)
        }
        return found.trimmed(to: plan.keys)
    }

    func references(to ids: [RecordID]) async throws -> [StoredReference] {
        let found = try await base.references(to: ids)
        let sources = try await records(for: found.map(\.source), keys: [])
        return zip(found, sources).filter { $1 != nil }.map(\.0)
    }

    func changes(
        in zoneID: RecordZone.ID, after number: Int64, limit: Int, of content: ChangeContent
    ) async throws -> [StoredChange] {
        try await numberedChanges(in: zoneID, after: number, limit: limit, of: content).map(\.change)
    }

    var abilities: SnapshotAbilities {
        SnapshotAbilities(
            aggregates: base.abilities.aggregates.map { ParticipantAggregates(view: self, base: $0) },
            assets: base.abilities.assets)
    }

    /// Returns the filter of the records of a plan's zone that the participant sees; `nil` if these are all.
    ///
    /// The store would follow a path to a user's own record, which no share covers, so such a plan has a filter too.
    ///
    /// - Parameter key: The key that an aggregate reads.
    fileprivate func limits(of plan: QueryPlan, reading key: Record.FieldKey? = nil) async throws -> Filter? {
        guard let zoneID = plan.zoneID else { return .constant(false) }
        let access = try await access(to: [zoneID])
        if !access.canRead(zoneID) { return .constant(false) }
        guard let names = access.shareNames(in: zoneID) else {
            let leadsToUsers = plan.leadsToUsers || key.map(FieldPath.leadsToUser) == true
            return leadsToUsers ? .constant(true) : nil
        }
        let references = names.sorted().map {
            Reference(recordID: RecordID(recordName: $0, zoneID: zoneID), action: .none)
        }
        let share = Filter.Expression.field(StoredRecord.shareKey)
        if references.count == 1 {
            return .comparison(.init(share, .equal, .constant(.reference(references[0]))))
        }
        return .comparison(.init(share, .in, .constant(.list(.reference(references)))))
    }
}

/// Counts and values of the records that a participant sees.
private struct ParticipantAggregates: StorageAggregates {
    let view: ParticipantSnapshot
    let base: any StorageAggregates

    func count(matching plan: QueryPlan) async throws -> Int {
        guard let limits = try await view.limits(of: plan) else { return try await base.count(matching: plan) }
        if plan.followsReferences {
            return try await view.countFromPages(matching: plan)
        }
        return try await base.count(matching: plan.limited(by: limits))
    }

    func value(
        of aggregate: Aggregate, over key: Record.FieldKey, matching plan: QueryPlan
    ) async throws -> FieldValue? {
        guard let limits = try await view.limits(of: plan, reading: key) else {
            return try await base.value(of: aggregate, over: key, matching: plan)
        }
        if plan.followsReferences || FieldPath.leadsToOthers(key) {
            return try await view.valueFromPages(of: aggregate, over: key, matching: plan)
        }
        return try await base.value(of: aggregate, over: key, matching: plan.limited(by: limits))
    }

    func counts(by key: Record.FieldKey, matching plan: QueryPlan) async throws -> [ValueCount] {
        guard let limits = try await view.limits(of: plan, reading: key) else {
            return try await base.counts(by: key, matching: plan)
        }
        if plan.followsReferences || FieldPath.leadsToOthers(key) {
            return try await view.countsFromPages(by: key, matching: plan)
        }
        return try await base.counts(by: key, matching: plan.limited(by: limits))
    }

    func explanation(of plan: QueryPlan) async throws -> QueryExplanation {
        guard let limits = try await view.limits(of: plan) else { return try await base.explanation(of: plan) }
        if plan.followsReferences {
            let part = plan.limited(by: limits, keepingPaths: false).unordered()
            var explanation = try await base.explanation(of: part)
            explanation.evaluated = plan.filter
            explanation.ordering = .sorted
            return explanation
        }
        return try await base.explanation(of: plan.limited(by: limits))
    }
}

extension QueryPlan {
    /// Whether the filter or the order reads or counts other records.
    fileprivate var followsReferences: Bool { filter.hasPaths || order.contains(where: \.isByPath) }

    /// Whether the filter or the order may read users' own records.
    fileprivate var leadsToUsers: Bool {
        filter.leadsToUsers || order.contains { FieldPath.leadsToUser($0.key) && !$0.isByRelevance }
    }

    /// Returns the plan of those of its records that match another filter too.
    ///
    /// - Parameters:
    ///   - limits: The other filter.
    ///   - keepingPaths: Whether the parts of the filter that read other records stay.
    fileprivate func limited(by limits: Filter, keepingPaths: Bool = true) -> QueryPlan {
        var plan = self
        var parts =
            switch filter {
            case .constant(true): [Filter]()
            case .and(let children): children
            default: [filter]
            }
        if !keepingPaths { parts.removeAll(where: \.hasPaths) }
        if limits != .constant(true) { parts.insert(limits, at: 0) }
        plan.filter = parts.count > 1 ? .and(parts) : parts.first ?? limits
        return plan
    }
}
