import Cabinet
import CabinetTesting

/// A view that puts a fault between the core and another view.
struct MutantView: StorageTransaction {
    let fault: Fault
    let base: any StorageSnapshot
    let isTransaction: Bool
    let memory: MutantMemory
    /// The latest state, beside a snapshot.
    let latest: AutocommitTransaction?

    func load(_ keys: StorageKeys) async throws -> StorageValues {
        var values = fault.loaded(try await base.load(fault.keys(keys)), keys)
        if isTransaction, let origin = fault.origin { values.origin = origin() }
        let (types, entries) = memory.withLock { ($0.rolledBackTypes, $0.rolledBackEntries) }
        if fault.losesRolledBackTypes {
            values.records = values.records.map { record in
                record.map { types.contains($0.recordType) } == true ? nil : record
            }
        }
        if fault.losesRolledBackEntries {
            values.entries = zip(keys.entries, values.entries).map { entries.contains($0) ? nil : $1 }
        }
        return values
    }

    func entries(in range: Range<StorageKey>, limit: Int) async throws -> [StorageEntry] {
        fault.entries(try await base.entries(in: fault.range(range), limit: fault.entryLimit(limit)))
    }

    func records(matching plan: QueryPlan) async throws -> [StoredRecord] {
        if fault.detachesQueries {
            return try await Task.detached { [base] in try await base.records(matching: try plan.with { _ in }) }.value
        }
        if fault.liveRead == .targets, let latest { return try await base.page(of: plan, resolvingIn: latest) }
        guard try await base.schema().indexes[plan.recordType] != nil else {
            return fault.page(try await base.records(matching: fault.plan(plan)), plan)
        }
        var other = try fault.indexedPlan(fault.plan(plan))
        if fault.pagesCountOtherZones { other = try other.with { $0.zoneID = nil } }
        var page = fault.page(try await base.records(matching: other), plan)
        if fault.keepsFirstSearches {
            page = memory.withLock { [page] state in
                let first = state.searchedPages[plan.filter] ?? page
                state.searchedPages[plan.filter] = first
                return first
            }
        }
        let indexed = memory.withLock { $0.indexedRecords[plan.recordType] }
        return fault.indexedPage(
            page.filter { plan.zoneID ?? $0.recordID.zoneID == $0.recordID.zoneID }
                .filter { indexed?.contains($0.recordID) ?? true })
    }

    func references(to ids: [RecordID]) async throws -> [StoredReference] {
        let left = memory.withLock { $0.references.filter { ids.contains($0.target) } }
        let view: any StorageSnapshot = fault.liveRead == .references ? latest ?? base : base
        return fault.references(try await view.references(to: ids)) + left
    }

    func changes(
        in zoneID: RecordZone.ID, after number: Int64, limit: Int, of content: ChangeContent
    ) async throws -> [StoredChange] {
        let other = fault.mixesUpRolledBackZones ? memory.withLock { $0.rolledBackZones[zoneID] ?? nil } : nil
        return fault.changes(
            try await base.changes(
                in: other ?? zoneID, after: fault.since(number), limit: fault.changeLimit(limit),
                of: fault.content(content)))
    }

    var abilities: SnapshotAbilities {
        let abilities = base.abilities
        return fault.abilities(
            SnapshotAbilities(
                aggregates: abilities.aggregates.map { MutantAggregates(fault: fault, base: $0, view: base) },
                assets: abilities.assets.map { MutantAssets(fault: fault, base: $0, latest: latest) },
                referrers: fault.groups.flatMap { groups in
                    abilities.referrers.map { MutantReferrers(fault: groups, base: $0) }
                }),
            isTransaction)
    }

    func apply(_ mutations: [StorageMutation]) async throws {
        guard let transaction = base as? any StorageTransaction else {
            throw CabinetError(.internalError, "A snapshot cannot be written to.")
        }
        memory.record(mutations)
        var applied = fault.applied(mutations)
        let old = try await base.schema().indexes
        for (index, mutation) in applied.enumerated() {
            switch mutation {
            case .setIndexes(let indexes, let recordType):
                if fault.keepsDroppedIndexes, indexes.isEmpty {
                    let plan = try QueryPlan(recordType: recordType, filter: .constant(true), fields: [:])
                    let ids = Set(try await base.records(matching: plan).map(\.recordID))
                    memory.withLock { $0.indexedRecords[recordType] = ids }
                }
                applied[index] = .setIndexes(fault.indexes(indexes, old[recordType] ?? []), of: recordType)
            case .eraseZone(let zoneID) where fault.leavesLargeZones,
                .forgetDeletions(let zoneID, _) where fault.leavesLargeZones:
                let changes = try await base.changes(in: zoneID, after: 0, limit: 1001, of: .all(fields: []))
                if changes.count > 1000 { applied[index] = .forgetDeletions(in: zoneID, through: 0) }
            case .eraseZone(let zoneID) where fault.zonesLeaveReferences:
                let left = try await references(in: zoneID)
                memory.withLock { $0.references += left }
            default: break
            }
        }
        try await transaction.apply(applied)
    }

    /// Every reference of a zone's records.
    private func references(in zoneID: RecordZone.ID) async throws -> [StoredReference] {
        let changes = try await base.changes(in: zoneID, after: 0, limit: .max, of: .all(fields: nil))
        let targets = changes.flatMap { change -> [RecordID] in
            if case .saved(let record) = change { record.references.map(\.target) } else { [] }
        }
        return try await base.references(to: Array(Set(targets)))
    }
}

extension StorageSnapshot {
    /// The page of a plan, with the records that references lead to in another snapshot.
    fileprivate func page(of plan: QueryPlan, resolvingIn other: any StorageSnapshot) async throws -> [StoredRecord] {
        var targets: [StoredRecord] = []
        for type in try await other.schema().recordTypes.keys { targets += try await other.records(of: type) }
        return try plan.page(of: try await records(of: plan.recordType), resolving: plan.resolver(over: targets))
    }

    private func records(of recordType: Record.RecordType) async throws -> [StoredRecord] {
        let fields = FieldTypes(of: recordType, in: try await schema())
        return try await records(matching: QueryPlan(recordType: recordType, filter: .constant(true), fields: fields))
    }
}
