/// What references demand: that their targets exist, and that something happens when a target is deleted.
///
/// `none` leaves an ID dangling; `deleteSelf`, `nullify`, `deny` and parents have targets that exist, or are saved in the same
/// batch. What the rules do to other users' records in the public database needs no permission: those who set the references
/// asked for it.
struct ReferenceRule {
    let transaction: any StorageTransaction
    let limits: Limits

    /// Which targets are stored, as far as it was looked up.
    private var known: [RecordID: Bool] = [:]

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
        try await lookUp(checks.map(\.target).filter { drafts[$0] == nil })

        var violations: [RecordID: CabinetError] = [:]
        for reference in checks {
            let target = reference.target
            // The first of a record's fields is the one to name.
            guard violations[reference.source] == nil else { continue }
            if deletions.contains(target) {
                violations[reference.source] = reference.violation("which the same batch deletes")
            } else if drafts[target] == nil, known[target] != true {
                violations[reference.source] = reference.violation(
                    "which does not exist and is not saved in the same batch")
            }
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
        let new = drafts.values.compactMap(\.self).flatMap(\.references).filter { $0.hasRule && drafts[$0.target] != nil }
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

    private mutating func lookUp(_ targets: [RecordID]) async throws {
        let unknown = Array(Set(targets).filter { known[$0] == nil })
        guard !unknown.isEmpty else { return }
        for (id, record) in zip(unknown, try await transaction.records(for: unknown, keys: [])) {
            known[id] = record != nil
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
        for reference in drafts.values.compactMap(\.self).flatMap(\.references) where reference.isOwned && new[reference.target] != nil {
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
        return try await transaction.records(for: Array(bySource.keys), keys: nil).compactMap { record in
            guard var record else { return nil }
            let targets = Set((bySource[record.recordID] ?? []).map(\.target))
            record.fields.removeReferences(to: targets)
            record.modificationDate = saveRule.now
            record.lastModifierName = saveRule.user
            return record
        }
    }
}

extension StoredRecord {
    /// Whether the record refers to the same records as another state of it, in the same fields.
    fileprivate func hasReferences(of other: StoredRecord) -> Bool {
        guard parentName == other.parentName, fields.names === other.fields.names else { return false }
        return zip(fields.values, other.fields.values).allSatisfy { value, old in
            switch (value, old) {
            case (.reference?, _), (.list(.reference)?, _), (_, .reference?), (_, .list(.reference)?): value == old
            default: true
            }
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
    /// Clears references with the rule `nullify` to the given records, and drops them from lists.
    fileprivate mutating func removeReferences(to targets: Set<RecordID>) {
        func goes(_ reference: Reference) -> Bool {
            reference.action == .nullify && targets.contains(reference.recordID)
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
