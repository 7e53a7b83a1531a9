import Cabinet

/// Forms requests from what is pending: one pass over all saves, or over all deletions.
///
/// It reads what is pending in pages, so the memory that it takes does not grow with the number of changes, except for a set of IDs.
///
/// It is an actor so that a send reads ahead without a copy of that set.
actor MirrorPass {
    private let store: MirrorStore
    private let scope: DatabaseScope
    private let isDeletion: Bool
    /// The deletions of records that the server never had.
    private(set) var needless: [PendingRecord] = []
    /// The records that were deleted and created again, and that wait for others: these may have an effect of the deletion.
    private(set) var recreated: [PendingRecord] = []

    private var position: RecordID?
    private var isAtEnd = false
    private var queue: [PendingRecord] = []
    /// The records that this pass has put into a request, or has left out.
    private var seen: Set<RecordID> = []
    /// The records that wait for others.
    private var waiting: Set<RecordID> = []
    /// The zones whose own changes were not sent when the latest page was read.
    private var unsentZones: Set<RecordZone.ID> = []
    /// The pending changes of the latest page and of the records that it refers to.
    private var targets: [RecordID: PendingRecord] = [:]
    /// The records that the page refers to and that have no pending change.
    private var unpending: Set<RecordID> = []

    private static let pageSize = 200

    init(_ context: MirrorContext, isDeletion: Bool) {
        (store, scope) = (context.store, context.scope)
        self.isDeletion = isDeletion
    }

    /// Returns the next request; `nil` at the end.
    ///
    /// - Parameter batchSize: The maximum number of records of the request.
    func next(_ batchSize: Int) async throws -> MirrorBatch? {
        while queue.count < batchSize, !isAtEnd { try await readPage() }
        if queue.isEmpty { return nil }
        let items = Array(queue.prefix(max(batchSize, 1)))
        queue.removeFirst(items.count)
        return MirrorBatch(saving: isDeletion ? [] : items, deleting: isDeletion ? items : [], in: scope)
    }

    /// Returns the next request, encoded for the store; `nil` at the end.
    func nextEncoded(_ batchSize: Int) async throws -> MirrorBatch? {
        var next = try await next(batchSize)
        next?.encode()
        return next
    }

    private func readPage() async throws {
        let (page, zones) = try await store.pendingPage(after: position, limit: Self.pageSize)
        unsentZones = zones
        isAtEnd = page.count < Self.pageSize
        position = page.last?.change.recordID ?? position
        if !isDeletion { try await readTargets(of: page) }
        for item in page where !seen.contains(item.change.recordID) {
            if isDeletion { addDeletion(item) } else { try await addSave(item) }
        }
    }

    /// Reads the pending changes of the records that a page refers to, at once.
    private func readTargets(of page: [PendingRecord]) async throws {
        (targets, unpending) = ([:], [])
        var others: Set<RecordID> = []
        var last: RecordID?
        for target in page.lazy.flatMap(\.targets) where target != last {
            // Adjacent records mostly refer to the same ones.
            last = target
            if !seen.contains(target) { others.insert(target) }
        }
        if others.isEmpty { return }
        let own = Dictionary(page.map { ($0.change.recordID, $0) }, uniquingKeysWith: { first, _ in first })
        others = others.filter { own[$0] == nil }
        targets = try await store.pending(Array(others)).merging(own) { first, _ in first }
        unpending = others.filter { targets[$0] == nil }
    }

    /// Returns the pending changes among some records.
    private func pending(_ ids: [RecordID]) async throws -> [RecordID: PendingRecord] {
        let unknown = ids.filter { targets[$0] == nil && !unpending.contains($0) }
        var found = try await store.pending(unknown)
        for id in ids { found[id] = found[id] ?? targets[id] }
        return found
    }

    private func canSend(_ item: PendingRecord) -> Bool {
        item.change.error == nil && item.change.effect == nil
            && (unsentZones.isEmpty || !unsentZones.contains(item.change.recordID.zoneID))
    }

    /// Whether a record is in an earlier request, or has no pending change.
    private func isReady(_ target: RecordID) -> Bool {
        seen.contains(target) ? !waiting.contains(target) : unpending.contains(target)
    }

    private func addDeletion(_ item: PendingRecord) {
        guard item.record == nil || item.replacesType, canSend(item) else { return }
        seen.insert(item.change.recordID)
        if item.change.ancestor == nil { needless.append(item) } else { queue.append(item) }
    }

    /// Adds a record after the targets of its references that the server does not have yet.
    ///
    /// The search is a loop, because a chain of references may have any length. Records that refer to each other in a cycle follow each
    /// other, and succeed if one request has them all.
    private func addSave(_ item: PendingRecord) async throws {
        if item.record != nil, !item.replacesType, canSend(item), item.targets.allSatisfy(isReady) {
            seen.insert(item.change.recordID)
            queue.append(item)
            return
        }
        var path = [item]
        var pathIDs: Set<RecordID> = [item.change.recordID]
        while let item = path.last {
            let id = item.change.recordID
            guard item.record != nil else {
                // The other pass sends deletions, after the records that still refer to the deleted one.
                path.removeLast()
                seen.insert(id)
                continue
            }
            guard !item.replacesType, canSend(item) else {
                leaveOut(item)
                path.removeLast()
                continue
            }
            let targets = item.targets.filter { !pathIDs.contains($0) && !seen.contains($0) }
            let pending = try await pending(targets)
            let next = targets.lazy.compactMap { pending[$0] }.first { $0.change.ancestor == nil || $0.replacesType }
            if let next {
                path.append(next)
                pathIDs.insert(next.change.recordID)
                continue
            }
            path.removeLast()
            if item.targets.contains(where: waiting.contains) {
                leaveOut(item)
            } else if seen.insert(id).inserted {
                queue.append(item)
            }
        }
    }

    /// Leaves a record out of this pass.
    ///
    /// Others that refer to it wait too, unless the server has a version of it.
    private func leaveOut(_ item: PendingRecord) {
        seen.insert(item.change.recordID)
        if !item.change.affected.isEmpty, !item.replacesType, canSend(item) { recreated.append(item) }
        if item.change.ancestor == nil || item.replacesType { waiting.insert(item.change.recordID) }
    }
}
