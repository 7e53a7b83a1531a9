/// The rules of references: their targets exist, and deleting a target follows the reference's action.
///
/// `none` leaves an ID dangling. The targets of `deleteSelf`, `nullify`, `deny` and parents exist, or are saved in the same
/// batch. In the public database, a deletion deletes or changes other users' records as their own references request. Only
/// records that the user may change can forbid it, and those of the record's creator. Otherwise another user's `deny` reference or
/// child would keep the user's record forever.
struct ReferenceRule {
    let known: KnownReferences
    let limits: Limits

    /// Returns the errors of records whose new references dangle.
    ///
    /// - Parameters:
    ///   - drafts: The records in their new state.
    ///   - stored: The records in their stored state; their references were checked before.
    ///   - deletions: The records that the batch deletes.
    func violations(
        in drafts: PerRecord<StoredRecord>, replacing stored: PerRecord<StoredRecord>,
        deleting deletions: Set<RecordID>
    ) -> [RecordID: CabinetError] {
        var violations: [RecordID: CabinetError] = [:]
        var last: RecordID?
        for reference in checks(in: drafts, replacing: stored, deleting: deletions) where reference.target != last {
            let target = reference.target
            let isDeleted = deletions.contains(target)
            if !isDeleted, drafts[target] != nil || stored[target] != nil || known.existing.contains(target) {
                // Adjacent records mostly refer to the same targets.
                last = target
                continue
            }
            // Report the first field of a record.
            guard violations[reference.source] == nil else { continue }
            violations[reference.source] = reference.violation(
                isDeleted
                    ? "which the same batch deletes" : "which does not exist and is not saved in the same batch")
        }
        return violations
    }

    /// Returns the references that the batch adds, or whose targets it deletes.
    private func checks(
        in drafts: PerRecord<StoredRecord>, replacing stored: PerRecord<StoredRecord>,
        deleting deletions: Set<RecordID>
    ) -> [StoredReference] {
        var checks: [StoredReference] = []
        for (draft, old) in zip(drafts.values, stored.values) {
            guard let draft else { continue }
            // Most updates do not change the references.
            if let old, deletions.isEmpty, draft.hasReferences(of: old) { continue }
            let held = Set(old?.references.filter(\.hasRule) ?? [])
            draft.forEachReference { reference in
                guard reference.hasRule else { return }
                if deletions.contains(reference.target) || !held.contains(reference) { checks.append(reference) }
            }
        }
        return checks
    }

    /// Returns the errors of records that need a record which will not exist, directly or through others.
    ///
    /// Such a record cannot be saved. It is new, or a deleted record owns it, so that the batch deletes it unless it is saved.
    func dependents(
        of failures: [RecordID: CabinetError], in drafts: PerRecord<StoredRecord>,
        replacing stored: PerRecord<StoredRecord>, deleting deletions: Set<RecordID>
    ) -> [RecordID: CabinetError] {
        guard !failures.isEmpty else { return [:] }
        let new = drafts.values.compactMap(\.self).flatMap(\.references).filter {
            $0.hasRule && drafts[$0.target] != nil
        }
        let dependents = Dictionary(grouping: new, by: \.target)
        let replaced = zip(drafts.values, stored.values).compactMap { $0 == nil ? nil : $1 }
        let old = replaced.flatMap(\.references).filter(\.isOwned)
        let belongings = Dictionary(grouping: old, by: \.target)
        /// Records that the cascade deletes unless this batch also saves them.
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

    /// Returns the errors of records that add too many owned records to one target.
    func excess(
        in drafts: PerRecord<StoredRecord>, replacing stored: PerRecord<StoredRecord>,
        deleting deletions: Set<RecordID>
    ) -> [RecordID: CabinetError] {
        guard let limit = limits.ownedRecordsPerRecord else { return [:] }
        let references = checks(in: drafts, replacing: stored, deleting: deletions)
        let new = Dictionary(grouping: references.filter(\.isOwned), by: \.target)
        guard !new.isEmpty else { return [:] }
        var counts: [RecordID: Int] = [:]
        for reference in drafts.values.compactMap(\.self).flatMap(\.references)
        where reference.isOwned && new[reference.target] != nil {
            counts[reference.target, default: 0] += 1
        }
        for reference in new.keys.flatMap({ known.byTarget[$0] ?? [] })
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

    /// Returns the records that lose references, in their new state.
    func nullified(_ references: [StoredReference], by saveRule: SaveRule) -> [StoredRecord] {
        let bySource = Dictionary(grouping: references, by: \.source)
        guard !bySource.isEmpty else { return [] }
        // Keep the order of discovery: adjacent records in the store stay adjacent.
        var seen: Set<RecordID> = []
        let sources = references.map(\.source).filter { seen.insert($0).inserted }
        return sources.compactMap { id in
            guard var record = known.sources[id] else { return nil }
            record.removeReferences(to: Set((bySource[record.recordID] ?? []).map(\.target)))
            record.modificationDate = saveRule.now
            record.lastModifierName = saveRule.user
            return record
        }
    }
}

extension StoredReference {
    /// Whether deleting the target deletes the source.
    var isOwned: Bool {
        if case .field(_, action: .deleteSelf) = place { true } else { false }
    }

    /// The field of the reference, for an error.
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

extension StoredRecord {
    /// Clears the references to deleted records that do not delete this one, and its parent if that is deleted.
    mutating func removeReferences(to targets: Set<RecordID>) {
        fields.removeReferences(to: targets)
        if let parent, targets.contains(parent.recordID) { parentName = nil }
    }
}

extension FieldValues {
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

/// The loaded values of a database that rules about references depend on.
struct KnownReferences: Sendable {
    /// The requested targets that are stored.
    var existing: Set<RecordID> = []

    /// The references with a delete rule to records, by target.
    var byTarget: [RecordID: [StoredReference]] = [:]

    /// The records that hold these references, complete.
    var sources: [RecordID: StoredRecord] = [:]

    /// Adds references with a delete rule.
    mutating func add(_ references: [StoredReference]) {
        // Most stores return the references to one target together.
        var rest = references[...]
        while let target = rest.first?.target {
            let group = rest.prefix { $0.target == target }
            byTarget[target, default: []] += group
            rest = rest.dropFirst(group.count)
        }
    }
}
