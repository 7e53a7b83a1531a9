import Cabinet
import Foundation

/// A memory backend with a fault.
struct MutantBackend: StorageBackend {
    let fault: Fault
    let base: MemoryBackend
    let uploads = MutantUploads()
    let memory: MutantMemory

    /// - Parameters:
    ///   - fault: What is wrong with it.
    ///   - base: What keeps the records: by default a new backend.
    ///   - memory: What it remembers.
    init(_ fault: Fault, base: MemoryBackend = MemoryBackend(), memory: MutantMemory = MutantMemory()) {
        self.fault = fault
        self.base = base
        self.memory = memory
    }

    func read<Result: Sendable>(
        _ database: DatabaseKey,
        _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Result
    ) async throws -> Result {
        let database = fault.database(database)
        if fault.isolation == .liveReads {
            return try await body(
                MutantView(fault: fault, base: AutocommitTransaction(backend: base, database: database)))
        }
        let open = memory.withLock { state in
            state.openSnapshots += 1
            return state.openSnapshots
        }
        defer { memory.withLock { $0.openSnapshots -= 1 } }
        if open > fault.openSnapshots { throw CabinetError(.zoneBusy, "Too many snapshots are open.") }
        return try await base.read(database) { [fault, memory] snapshot in
            try await body(MutantView(fault: fault, base: ReadOnlyTransaction(snapshot: snapshot), memory: memory))
        }
    }

    func write<Result: Sendable>(
        _ database: DatabaseKey,
        _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        let database = fault.database(database)
        switch fault.isolation {
        case .autocommit:
            return try await body(
                MutantView(fault: fault, base: AutocommitTransaction(backend: base, database: database)))
        case .noRollback:
            return try await base.write(database) { [fault] transaction -> Swift.Result<Result, any Error> in
                do {
                    return .success(try await body(MutantView(fault: fault, base: transaction)))
                } catch {
                    return .failure(error)
                }
            }.get()
        case .snapshots:
            return try await SnapshotTransaction.write(base, database) { [fault] transaction in
                try await body(MutantView(fault: fault, base: transaction))
            }
        case .full, .liveReads, .neverCloses:
            return try await base.write(database) { [fault, memory] transaction in
                do {
                    let result = try await body(MutantView(fault: fault, base: transaction, memory: memory))
                    memory.end(isUndone: false)
                    return result
                } catch {
                    memory.end(isUndone: true)
                    throw error
                }
            }
        }
    }

    func changeSignals(of database: DatabaseKey) -> AsyncStream<Void> {
        fault.signals(base.changeSignals(of: fault.database(database)))
    }

    func close() async {
        memory.withLock { $0.isClosed = true }
        if fault.isolation != .neverCloses { await base.close() }
    }
}

/// A view that puts a fault between the core and another view.
struct MutantView: StorageTransaction {
    let fault: Fault
    let base: any StorageTransaction
    var memory = MutantMemory()

    func records(for ids: [RecordID], keys: [Record.FieldKey]?) async throws -> [StoredRecord?] {
        let found = fault.fetched(try await base.records(for: ids, keys: fault.keys(keys)), ids)
        guard fault.losesUndoneTypes else { return found }
        let lost = memory.withLock { $0.undoneTypes }
        return found.map { record in record.map { lost.contains($0.recordType) } == true ? nil : record }
    }

    func records(matching plan: QueryPlan) async throws -> [StoredRecord] {
        if fault.detachesQueries {
            return try await Task.detached { [base] in try await base.records(matching: plan) }.value
        }
        guard try await base.schema().indexes[plan.recordType] != nil else {
            return fault.page(try await base.records(matching: fault.plan(plan)), plan)
        }
        var other = fault.indexedPlan(fault.plan(plan))
        if fault.pagesCountOtherZones { other.zoneID = nil }
        let page = fault.page(try await base.records(matching: other), plan)
        return fault.indexedPage(page.filter { plan.zoneID ?? $0.recordID.zoneID == $0.recordID.zoneID })
    }

    func count(matching plan: QueryPlan) async throws -> Int {
        if fault.detachesQueries {
            return try await Task.detached { [base] in try await base.count(matching: plan) }.value
        }
        return fault.count(try await base.count(matching: fault.plan(plan)))
    }

    func value(
        of aggregate: Aggregate, over key: Record.FieldKey, matching plan: QueryPlan
    ) async throws -> FieldValue? {
        if let compute = fault.aggregate {
            return compute(aggregate, key, try await base.records(matching: fault.plan(plan)))
        }
        return try await base.value(of: aggregate, over: key, matching: fault.plan(plan))
    }

    func counts(by key: Record.FieldKey, matching plan: QueryPlan) async throws -> [ValueCount] {
        fault.valueCounts(try await base.counts(by: key, matching: fault.plan(plan)))
    }

    func explanation(of plan: QueryPlan) async throws -> QueryExplanation {
        fault.explanation(try await base.explanation(of: plan))
    }

    func references(to ids: [RecordID]) async throws -> [StoredReference] {
        let left = memory.withLock { $0.references.filter { ids.contains($0.target) } }
        return fault.references(try await base.references(to: ids)) + left
    }

    func zones(for ids: Set<RecordZone.ID>?) async throws -> [StoredZone] {
        fault.zones(try await base.zones(for: ids), ids)
    }

    func lastSequenceNumber() async throws -> Int64 {
        fault.lastNumber(try await base.lastSequenceNumber())
    }

    func timelines(of numbers: [Int64]) async throws -> [Int64?] {
        if let timelines = fault.timelines { return timelines(numbers) }
        return try await base.timelines(of: numbers)
    }

    func changes(
        inZone zoneID: RecordZone.ID, after number: Int64, limit: Int, keys: [Record.FieldKey]?
    ) async throws -> [StoredChange] {
        fault.changes(try await base.changes(inZone: zoneID, after: fault.since(number), limit: limit, keys: keys))
    }

    func zoneChanges(after number: Int64, limit: Int) async throws -> [StoredZoneChange] {
        fault.zoneChanges(try await base.zoneChanges(after: number, limit: limit))
    }

    func schema() async throws -> StoredSchema {
        fault.schema(try await base.schema())
    }

    func subscriptions(of userName: String?) async throws -> [StoredSubscription] {
        fault.subscriptions(try await base.subscriptions(of: fault.subscriber(userName)))
    }

    func notifications(
        to userName: String, after number: Int64, limit: Int
    ) async throws -> [StoredNotification] {
        let found = fault.notifications(
            try await base.notifications(to: userName, after: fault.notifiedSince(number), limit: limit))
        guard fault.replacesOthersNotifications else { return found }
        let last = memory.withLock { $0.replacements }
        return found.filter { $0.sequenceNumber >= $0.replacementKey.flatMap { last[$0] } ?? 0 }
    }

    func notificationExpirationNumber(of userName: String) async throws -> Int64 {
        fault.expiration(try await base.notificationExpirationNumber(of: userName))
    }

    func put(_ subscriptions: [StoredSubscription]) async throws {
        try await base.put(fault.putSubscriptions(subscriptions))
    }

    func removeSubscriptions(_ ids: [Subscription.ID], of userName: String) async throws {
        try await base.removeSubscriptions(fault.removedSubscriptions(ids), of: userName)
    }

    func post(_ notifications: [StoredNotification]) async throws {
        try await base.post(fault.posted(notifications))
        memory.withLock { state in
            for notification in notifications {
                if let key = notification.replacementKey { state.replacements[key] = notification.sequenceNumber }
            }
        }
    }

    func forgetNotifications(to userName: String, before date: Date, keepingLast count: Int) async throws {
        if fault.forgets { try await base.forgetNotifications(to: userName, before: date, keepingLast: count) }
    }

    func reserveSequenceNumbers(_ count: Int) async throws -> Int64 {
        let first = fault.sequenceNumber(try await base.reserveSequenceNumbers(fault.reserved(count)))
        let undone = memory.withLock { state in
            state.reserved += Int64(count)
            return state.undoneNumbers
        }
        return fault.skipsUndoneNumbers ? first + undone : first
    }

    func add(_ fields: [StoredField], to recordType: Record.RecordType) async throws {
        memory.withLock { _ = $0.addedTypes.insert(recordType) }
        try await base.add(fault.added(fields), to: recordType)
    }

    func setIndexes(_ indexes: Set<StoredIndex>, of recordType: Record.RecordType) async throws {
        let old = try await base.schema().indexes[recordType] ?? []
        try await base.setIndexes(fault.indexes(indexes, old), of: recordType)
    }

    func insert(_ records: [StoredRecord]) async throws {
        try await base.insert(fault.inserted(records))
    }

    func update(_ records: [StoredRecord]) async throws {
        var records = fault.updated(records)
        if fault.updatesMerge {
            for (index, old) in try await base.records(for: records.map(\.recordID), keys: nil).enumerated() {
                old?.fields.forEach { key, value in
                    if records[index].fields[key] == nil { records[index].fields[key] = value }
                }
            }
        }
        try await base.update(records)
    }

    func remove(_ ids: [RecordID], firstSequenceNumber: Int64, date: Date) async throws {
        try await base.remove(
            fault.removed(ids), firstSequenceNumber: fault.deletionNumber(firstSequenceNumber), date: date)
    }

    func markZones(_ ids: [RecordZone.ID], sequenceNumber: Int64) async throws {
        try await base.markZones(fault.markedZones(ids), sequenceNumber: sequenceNumber)
    }

    func forgetDeletions(inZone zoneID: RecordZone.ID, before date: Date, keepingLast count: Int) async throws {
        if fault.forgets { try await base.forgetDeletions(inZone: zoneID, before: date, keepingLast: count) }
    }

    func add(_ zones: [StoredZone]) async throws {
        try await base.add(fault.addedZones(zones))
    }

    func removeZones(_ ids: [RecordZone.ID], sequenceNumber: Int64) async throws {
        if fault.zonesLeaveReferences {
            let targets = try await records(in: ids).flatMap { $0.references.map(\.target) }
            let left = try await base.references(to: Array(Set(targets)))
            memory.withLock { $0.references += left }
        }
        guard fault.zonesLeaveRecords else {
            return try await base.removeZones(fault.removedZones(ids), sequenceNumber: sequenceNumber)
        }
        // The records are put aside, and back into zones that are as new.
        let leftOver = try await records(in: ids)
        try await base.removeZones(ids, sequenceNumber: sequenceNumber)
        try await base.insert(leftOver)
    }

    /// Every record of some zones.
    private func records(in ids: [RecordZone.ID]) async throws -> [StoredRecord] {
        var found: [StoredRecord] = []
        for (recordType, fields) in try await base.schema().recordTypes {
            for zoneID in ids {
                found += try await base.records(
                    matching: QueryPlan(
                        recordType: recordType, zoneID: zoneID, filter: .constant(true), fields: FieldTypes(fields)))
            }
        }
        return found
    }
}
