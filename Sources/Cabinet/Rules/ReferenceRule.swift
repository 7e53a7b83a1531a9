/// What references demand: that their targets exist, and that something happens when a target is deleted.
///
/// `none` leaves an ID dangling; `deleteSelf`, `nullify`, `deny` and parents have targets that exist, or are saved in the same
/// batch. In the public database, a user's deletion deletes or changes other users' records as their own references ask for, and
/// only records that the user may change can forbid it: another user's `deny` reference or child would otherwise keep a record
/// that is not that user's for ever.
struct ReferenceRule {
    let transaction: any StorageTransaction
    let limits: Limits

    private enum TargetPlace {
        /// Whether the target is there.
        case known(Bool)
        /// The position in what is looked up.
        case asked(Int)
    }

    /// Which targets are stored, as far as it was looked up.
    private var known: [RecordID: TargetPlace] = [:]

    init(transaction: any StorageTransaction, limits: Limits) {
        self.transaction = transaction
        self.limits = limits
    }

    /// The errors of records whose new references point nowhere, or are too many.
    ///
    /// - Parameters:
    ///   - drafts: The records as they will be.
    ///   - stored: The records as they are; references that are there already have been checked.
    ///   - deletions: The records that the batch deletes.
    mutating func violations(
        in drafts: BatchValues<StoredRecord>, replacing stored: BatchValues<StoredRecord>,
        deleting deletions: Set<RecordID>
    ) async throws -> [RecordID: CabinetError] {
        var checks: [StoredReference] = []
        for (draft, old) in zip(drafts.values, stored.values) {
            guard let draft else { continue }
            // Most updates leave the references as they are.
            if let old, deletions.isEmpty, draft.hasReferences(of: old) { continue }
            let held = Set(old?.references.filter(\.hasRule) ?? [])
            draft.forEachReference { reference in
                guard reference.hasRule else { return }
                if deletions.contains(reference.target) || !held.contains(reference) { checks.append(reference) }
            }
        }
        let exists = try await lookUp(checks, besides: drafts)

        var violations: [RecordID: CabinetError] = [:]
        for (reference, exists) in zip(checks, exists) {
            let isDeleted = deletions.contains(reference.target)
            if exists, !isDeleted { continue }
            // The first of a record's fields is the one to name.
            guard violations[reference.source] == nil else { continue }
            violations[reference.source] = reference.violation(
                isDeleted
                    ? "which the same batch deletes" : "which does not exist and is not saved in the same batch")
        }
        if let limit = limits.ownedRecordsPerRecord {
            let tooMany = try await self.violations(of: limit, by: checks, in: drafts, deleting: deletions)
            violations.merge(tooMany) { first, _ in first }
        }
        return violations
    }

    /// The errors of records that need, directly or through others, a record that is not there because it cannot be saved:
    /// a new one, or one that belongs to a record that the batch deletes, and goes with it unless it is saved.
    func dependents(
        of failures: [RecordID: CabinetError], in drafts: BatchValues<StoredRecord>,
        replacing stored: BatchValues<StoredRecord>, deleting deletions: Set<RecordID>
    ) -> [RecordID: CabinetError] {
        guard !failures.isEmpty else { return [:] }
        let new = drafts.values.compactMap(\.self).flatMap(\.references).filter {
            $0.hasRule && drafts[$0.target] != nil
        }
        let dependents = Dictionary(grouping: new, by: \.target)
        let replaced = zip(drafts.values, stored.values).compactMap { $0 == nil ? nil : $1 }
        let old = replaced.flatMap(\.references).filter(\.isOwned)
        let belongings = Dictionary(grouping: old, by: \.target)
        /// The records that go unless they are saved.
        var endangered = Set(old.filter { deletions.contains($0.target) }.map(\.source))
        var violations: [RecordID: CabinetError] = [:]
        var missing: Set<RecordID> = []
        var failed = Array(failures.keys)
        while let target = failed.popLast() {
            let isNew = stored[target] == nil
            guard isNew || endangered.contains(target), missing.insert(target).inserted else { continue }
            for reference in dependents[target] ?? [] {
                guard failures[reference.source] == nil, violations[reference.source] == nil else { continue }
                violations[reference.source] = reference.violation(
                    isNew ? "which cannot be saved itself" : "which the same batch deletes")
                failed.append(reference.source)
            }
            for reference in belongings[target] ?? [] where endangered.insert(reference.source).inserted {
                let hasFailed = failures[reference.source] != nil || violations[reference.source] != nil
                if hasFailed { failed.append(reference.source) }
            }
        }
        return violations
    }

    /// Whether the targets of references are stored, or saved in the same batch.
    private mutating func lookUp(
        _ references: [StoredReference], besides drafts: BatchValues<StoredRecord>
    ) async throws -> [Bool] {
        var unknown: [RecordID] = []
        /// Where the answer about each reference's target will stand: in what is asked for now, or it is known already.
        let places = references.map { reference -> TargetPlace in
            if drafts[reference.target] != nil { return .known(true) }
            switch known[reference.target] {
            case .known(let exists)?: return .known(exists)
            case .asked(let position)?: return .asked(position)
            case nil:
                known[reference.target] = .asked(unknown.count)
                unknown.append(reference.target)
                return .asked(unknown.count - 1)
            }
        }
        guard !unknown.isEmpty else {
            return places.map { if case .known(let exists) = $0 { exists } else { false } }
        }
        let found = try await transaction.records(for: unknown, keys: []).map { $0 != nil }
        for (id, exists) in zip(unknown, found) { known[id] = .known(exists) }
        return places.map { place in
            switch place {
            case .known(let exists): exists
            case .asked(let position): found.indices.contains(position) && found[position]
            }
        }
    }

    /// The errors of records that make too many owned records of one target.
    private func violations(
        of limit: Int, by references: [StoredReference], in drafts: BatchValues<StoredRecord>,
        deleting deletions: Set<RecordID>
    ) async throws -> [RecordID: CabinetError] {
        let new = Dictionary(grouping: references.filter(\.isOwned), by: \.target)
        guard !new.isEmpty else { return [:] }
        var counts: [RecordID: Int] = [:]
        for reference in drafts.values.compactMap(\.self).flatMap(\.references)
        where reference.isOwned && new[reference.target] != nil {
            counts[reference.target, default: 0] += 1
        }
        for reference in try await transaction.references(to: Array(new.keys))
        where reference.isOwned && drafts[reference.source] == nil && !deletions.contains(reference.source) {
            counts[reference.target, default: 0] += 1
        }
        var violations: [RecordID: CabinetError] = [:]
        for (target, references) in new where (counts[target] ?? 0) > limit {
            for reference in references {
                violations[reference.source] = CabinetError(
                    .limitExceeded,
                    "More than \(limit) references with the action 'deleteSelf' would point to \(target).",
                    recordID: reference.source)
            }
        }
        return violations
    }

    /// The records that lose references, in their new state.
    func nullified(_ references: [StoredReference], by saveRule: SaveRule) async throws -> [StoredRecord] {
        let bySource = Dictionary(grouping: references, by: \.source)
        guard !bySource.isEmpty else { return [] }
        // In the order in which they were found: neighbours in the store stay neighbours.
        var seen: Set<RecordID> = []
        let sources = references.map(\.source).filter { seen.insert($0).inserted }
        return try await transaction.records(for: sources, keys: nil).compactMap { record in
            guard var record else { return nil }
            let targets = Set((bySource[record.recordID] ?? []).map(\.target))
            record.fields.removeReferences(to: targets)
            if let parent = record.parent, targets.contains(parent.recordID) { record.parentName = nil }
            record.modificationDate = saveRule.now
            record.lastModifierName = saveRule.user
            return record
        }
    }
}

extension StoredReference {
    /// Whether the source goes when the target does.
    var isOwned: Bool {
        if case .field(_, action: .deleteSelf) = place { true } else { false }
    }

    /// Where the reference is, for an error.
    var fieldKey: Record.FieldKey {
        switch place {
        case .field(let key, _): key
        case .parent: "parent"
        }
    }

    fileprivate func violation(_ reason: String) -> CabinetError {
        CabinetError(
            .referenceViolation, "The reference points to \(target), \(reason).", recordID: source, fieldKey: fieldKey)
    }
}

extension RecordFields {
    /// Clears references to deleted records, and drops them from lists.
    ///
    /// A `deny` reference to a deleted record is another user's, and is treated like `nullify`.
    fileprivate mutating func removeReferences(to targets: Set<RecordID>) {
        func goes(_ reference: Reference) -> Bool {
            [.nullify, .deny].contains(reference.action) && targets.contains(reference.recordID)
        }
        for (key, value) in zip(names.names, values) {
            switch value {
            case .reference(let reference) where goes(reference):
                self[key] = nil
            case .list(.reference(let references)) where references.contains(where: goes):
                self[key] = .list(.reference(references.filter { !goes($0) }))
            default:
                break
            }
        }
    }
}
