import Foundation

/// A view of a database, which is a copy of its content.
struct MemorySnapshot: StorageSnapshot {
    let content: MemoryContent
    let words: WordIndexes

    var abilities: SnapshotAbilities { SnapshotAbilities(aggregates: self, assets: self) }

    func load(_ keys: StorageKeys) throws -> StorageValues {
        let meter = WorkMeter.current
        return StorageValues(
            records: try keys.records.map { id in
                try meter?.checkCancellation()
                guard var record = content.record(for: id) else { return nil }
                if let fields = keys.fields { record.fields = record.fields.selecting(fields) }
                return record
            },
            existing: keys.existing.map { content.record(for: $0) != nil },
            entries: keys.entries.map { content.entries[$0] },
            entryRanges: keys.entryRanges.map { entries(in: $0, limit: .max) },
            schema: content.schema)
    }

    func entries(in range: Range<StorageKey>, limit: Int) -> [StorageEntry] {
        content.entries.elements(from: range.lowerBound).prefix(limit).prefix { $0.key < range.upperBound }
            .map { StorageEntry(key: $0.key, text: $0.value) }
    }

    func records(matching plan: QueryPlan) throws -> [StoredRecord] {
        if plan.filter.requiredReference == nil, var ranked = try words.rankedCandidates(for: plan, in: content) {
            return try plan.page(sortedKeyCount: 1, resolving: resolver(for: plan)) { try ranked.next() }
        }
        var candidates = try candidates(for: plan)
        // Without sort keys, a page is in the table's order, and begins where the one before ended.
        let isInOrder = plan.order.isEmpty && candidates.found == nil
        if isInOrder, let position = plan.position {
            candidates.table = table(of: plan).elements(from: position.insertionNumber)
        }
        return try plan.page(sortedKeyCount: isInOrder ? 1 : 0, resolving: resolver(for: plan)) { candidates.next() }
    }

    func references(to ids: [RecordID]) -> [StoredReference] {
        content.references(to: ids)
    }

    func changes(
        in zoneID: RecordZone.ID, after number: Int64, limit: Int, of kind: ChangeContent
    ) throws -> [StoredChange] {
        guard number < .max else { return [] }
        let meter = WorkMeter.current
        switch kind {
        case .deletions:
            let found = content.deletions[zoneID]?.elements(from: number + 1).prefix(limit)
            return found?.map { .deleted($0.value) } ?? []
        case .all(let fields):
            return try content.changes(in: zoneID, after: number).prefix(limit).map { change in
                try meter?.checkCancellation()
                guard let fields, case .saved(var record) = change else { return change }
                record.fields = record.fields.selecting(fields)
                return .saved(record)
            }
        }
    }

    /// The records of a plan's type, or those among them that refer to the record or have the words that the filter requires.
    private func candidates(for plan: QueryPlan) throws -> Candidates {
        let reference = plan.filter.requiredReference
        let found =
            try reference.map { content.sources(of: $0.target) } ?? words.candidates(for: plan, in: content)
        return Candidates(found: found?.makeIterator(), table: table(of: plan).elements)
    }

    private func table(of plan: QueryPlan) -> SortedMap<Int64, StoredRecord> {
        content.tables[plan.recordType, default: SortedMap()]
    }

    private func resolver(for plan: QueryPlan) -> CompiledFilter.Resolver {
        CompiledFilter.Resolver(content.record) { try count(matching: plan.counting($0)) }
    }
}

/// Records that are read one by one from a table or from an index.
private struct Candidates: Sequence, IteratorProtocol {
    /// The records that an index has found, or `nil` to read the table.
    var found: Array<StoredRecord>.Iterator?
    var table: SortedMap<Int64, StoredRecord>.Elements

    mutating func next() -> StoredRecord? { found == nil ? table.next()?.value : found?.next() }
}

extension MemorySnapshot: StorageAggregates {
    func count(matching plan: QueryPlan) throws -> Int {
        try plan.count(in: candidates(for: plan), resolving: resolver(for: plan))
    }

    func value(of aggregate: Aggregate, over key: Record.FieldKey, matching plan: QueryPlan) throws -> FieldValue? {
        try plan.value(of: aggregate, over: key, in: candidates(for: plan), resolving: resolver(for: plan))
    }

    func counts(by key: Record.FieldKey, matching plan: QueryPlan) throws -> [ValueCount] {
        try plan.counts(by: key, in: candidates(for: plan), resolving: resolver(for: plan))
    }

    func explanation(of plan: QueryPlan) -> QueryExplanation {
        let access: QueryExplanation.Access =
            if let reference = plan.filter.requiredReference {
                .index(name: "references", fields: [reference.field])
            } else if let search = content.schema.search(of: plan) {
                .index(name: "words", fields: search.fields)
            } else {
                .scan
            }
        return QueryExplanation(pushedDown: nil, evaluated: plan.filter, access: [access], ordering: .sorted)
    }
}

extension MemorySnapshot: StoredAssets {
    func assets(for checksums: [Asset.Checksum]) -> [StoredAsset?] {
        checksums.map { checksum in
            content.assets[checksum].map { StoredAsset(checksum: checksum, size: Int64($0.count)) }
        }
    }

    func assets(after checksum: Asset.Checksum?, limit: Int) -> [StoredAsset] {
        let found = content.assets.keys.filter { each in checksum.map { each > $0 } ?? true }
        return assets(for: found.sorted().prefix(limit).map(\.self)).compactMap(\.self)
    }

    func assetsInUse(among checksums: [Asset.Checksum]) -> Set<Asset.Checksum> {
        Set(checksums).filter { content.assetHolders[$0] != nil }
    }

    func bytes(of checksum: Asset.Checksum, in range: Range<Int64>) -> Data? {
        guard let bytes = content.assets[checksum], range.lowerBound >= 0, range.upperBound <= Int64(bytes.count) else {
            return nil
        }
        let start = bytes.startIndex
        return bytes.subdata(in: start + Int(range.lowerBound)..<start + Int(range.upperBound))
    }
}
