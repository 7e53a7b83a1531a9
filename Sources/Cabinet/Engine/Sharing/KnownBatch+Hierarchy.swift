extension KnownBatch {
    /// Removes the stored records that the participant who sends the batch does not see, so that they seem not to exist.
    mutating func hideRecords(_ index: BatchIndex) {
        guard let access, access.isPartial else { return }
        var hidden: Set<RecordID> = []
        for (position, id) in index.ids.enumerated() {
            guard let record = stored[position], !access.canRead(record) else { continue }
            stored[position] = nil
            hidden.insert(id)
        }
        hierarchy = KnownHierarchy(hidden: hidden)
    }

    /// Loads the records of hierarchies that the batch may change: parents, and the records below those that may enter or leave a share.
    ///
    /// Most batches load none, because no hierarchy is shared.
    ///
    /// - Parameters:
    ///   - planner: The planner of the batch.
    ///   - transaction: The transaction to load from.
    ///   - meter: The meter of the request, whose cancellation ends the walk after at most ``pageSize`` records.
    mutating func loadHierarchy(
        of planner: BatchPlanner, from transaction: any StorageTransaction, _ meter: WorkMeter
    ) async throws {
        guard case .private = planner.saveRule.database, schema.hasHierarchies || planner.request.hasShares else {
            return
        }
        let index = planner.index
        var known = hierarchy ?? KnownHierarchy()
        let moves = planner.moves(stored)
        let isPartial = access?.isPartial == true
        var parents: Set<RecordID> = []
        for parent in moves.lazy.compactMap(\.parent) {
            // The plan of a batch has no stored record of those that fail.
            if index.position(of: parent) == nil {
                parents.insert(parent)
            } else {
                known.parents[parent] = stored[parent]
            }
        }
        let targets = isPartial ? Set(planner.keys.targets) : []
        if !parents.isEmpty || !targets.isEmpty {
            let ids = Array(parents.union(targets))
            let keys = StorageKeys(records: ids, fields: [StoredRecord.shareKey])
            for (id, record) in zip(ids, try await transaction.load(keys).records) {
                // A record that a participant does not see does not exist.
                if let record, access?.canRead(record) ?? true {
                    known.parents[id] = record
                } else {
                    references.existing.remove(id)
                }
            }
        }
        let roots = planner.request.recordsToSave.filter { stored[$0.recordID] == nil }.compactMap(\.sharedRoot)
        var tops = roots.filter { stored[$0] != nil }
        // A parent may enter a share in the same batch.
        let mayEnter =
            !roots.isEmpty
            || moves.contains { move in
                move.parent.map { index.position(of: $0) != nil || known.parents[$0]?.shareName != nil } ?? false
            }
        for move in moves {
            guard let record = stored[move.id] else { continue }
            if record.shareName != nil || mayEnter && move.parent != nil { tops.append(move.id) }
        }
        let deleted = planner.request.recordIDsToDelete.compactMap { stored[$0] } + references.sources.values
        tops += deleted.compactMap(\.sharedRoot)
        if moves.isEmpty, tops.isEmpty, !isPartial, !planner.request.hasShares { return }
        try await loadRecords(below: tops, into: &known, from: transaction, meter)
        try await loadSharesInZones(of: planner, into: &known, from: transaction)
        hierarchy = known
    }

    /// Loads records, and those below them up to the roots of other shares.
    private func loadRecords(
        below tops: [RecordID], into known: inout KnownHierarchy, from transaction: any StorageTransaction,
        _ meter: WorkMeter
    ) async throws {
        var frontier = Array(Set(tops))
        var reached = Set(frontier)
        for case let record? in try await load(frontier, from: transaction) where stored[record.recordID] == nil {
            known.records[record.recordID] = record
        }
        while !frontier.isEmpty {
            var next: [RecordID] = []
            for page in frontier.parts(of: Self.pageSize) {
                try meter.checkCancellation()
                let children = try await transaction.references(to: Array(page)).filter { $0.place == .parent }
                    .map(\.source).filter { reached.insert($0).inserted }
                for case let record? in try await load(children, from: transaction) {
                    known.records[record.recordID] = record
                    if record.ownShareName == nil { next.append(record.recordID) }
                }
            }
            frontier = next
        }
    }

    private func load(
        _ ids: [RecordID], from transaction: any StorageTransaction
    ) async throws -> [StoredRecord?] {
        var records: [StoredRecord?] = []
        for page in ids.parts(of: Self.pageSize) {
            records += try await transaction.load(StorageKeys(records: Array(page))).records
        }
        return records
    }

    /// Finds the shares that new ones cannot be beside: a zone's share beside those of hierarchies in it.
    private func loadSharesInZones(
        of planner: BatchPlanner, into known: inout KnownHierarchy, from transaction: any StorageTransaction
    ) async throws {
        let new = planner.request.recordsToSave.filter {
            ShareRule.isShare($0.recordType) && stored[$0.recordID] == nil
        }.map(\.recordID)
        for zoneID in new.distinctZones {
            if new.contains(where: { $0.zoneID == zoneID && !ShareRule.isZoneWide($0) }) {
                let id = ShareRule.shareID(of: zoneID)
                let values = try await transaction.load(StorageKeys(existing: [id]))
                if values.existing == [true], planner.index.deleted[id] == nil { known.sharesInZones[zoneID] = id }
            } else if schema.hasHierarchies {
                let plan = try QueryPlan(
                    recordType: Share.recordType, zoneID: zoneID, filter: .constant(true), isOrdered: false,
                    limit: planner.index.deleted.count + 1, keys: [],
                    fields: FieldTypes(of: Share.recordType, in: schema))
                known.sharesInZones[zoneID] = try await transaction.records(matching: plan).map(\.recordID)
                    .first { planner.index.deleted[$0] == nil }
            }
        }
    }
}

extension Record {
    /// The root of the hierarchy that this share covers; `nil` for other records.
    fileprivate var sharedRoot: RecordID? { ShareRule.isShare(recordType) ? ShareContent.root(in: fields) : nil }
}

extension BatchPlanner {
    /// Returns the records of the batch whose parents change, and all new ones, with their new parents.
    fileprivate func moves(_ stored: PerRecord<StoredRecord>) -> [(id: RecordID, parent: RecordID?)] {
        var moves: [(id: RecordID, parent: RecordID?)] = []
        for (position, client) in request.recordsToSave.enumerated() {
            let server = stored[position]
            let parentName = saveRule.parentName(of: client, replacing: server)
            if let server, server.parentName == parentName { continue }
            let id = index.ids[position]
            if server == nil, parentName == nil { continue }
            moves.append((id, parentName.map { RecordID(recordName: $0, zoneID: id.zoneID) }))
        }
        return moves
    }
}
