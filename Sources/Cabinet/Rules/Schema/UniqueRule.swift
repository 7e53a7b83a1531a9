/// The rule that no two records of a database have the same values in fields that the schema declares unique.
///
/// A batch is judged by its result, so two records can exchange their values.
struct UniqueRule: Sendable {
    let rules: SchemaRules
    let permissions: PermissionRule

    /// The stored records with values that the batch's records will have.
    let holders: [UniqueValues: [StoredRecord]]

    /// Returns the errors of records whose values another record has.
    ///
    /// - Parameters:
    ///   - drafts: The records in their new state.
    ///   - stored: The records in their stored state.
    ///   - deletions: The records that the batch deletes.
    func violations(
        in drafts: PerRecord<StoredRecord>, replacing stored: PerRecord<StoredRecord>,
        deleting deletions: Set<RecordID>
    ) -> [RecordID: CabinetError] {
        guard rules.types.values.contains(where: { !$0.uniqueKeys.isEmpty }) else { return [:] }
        var taken: [UniqueValues: StoredRecord] = [:]
        for (values, records) in holders {
            taken[values] = records.first { drafts[$0.recordID] == nil && !deletions.contains($0.recordID) }
        }
        var changed: [(draft: StoredRecord, values: UniqueValues)] = []
        for (draft, old) in zip(drafts.values, stored.values) {
            guard let draft else { continue }
            for values in UniqueValues.all(of: draft, rules) {
                if old.flatMap({ UniqueValues($0, values.keys) }) == values {
                    taken[values] = draft
                } else {
                    changed.append((draft, values))
                }
            }
        }
        var violations: [RecordID: CabinetError] = [:]
        var failed: [RecordID] = []
        for (draft, values) in changed {
            if let other = taken[values] {
                guard violations[draft.recordID] == nil else { continue }
                violations[draft.recordID] = violation(of: values, by: draft, held: other)
                failed.append(draft.recordID)
            } else {
                taken[values] = draft
            }
        }
        // A record that fails keeps its stored values, so a record that was to get them fails too.
        while let id = failed.popLast() {
            guard let old = stored[id] else { continue }
            for values in UniqueValues.all(of: old, rules) {
                guard let draft = taken[values], draft.recordID != id, violations[draft.recordID] == nil else {
                    continue
                }
                violations[draft.recordID] = violation(of: values, by: draft, held: old)
                failed.append(draft.recordID)
            }
        }
        return violations
    }

    /// Returns the errors of records in which a participant of a share sets values that must be unique.
    ///
    /// They would be compared with all records of the owner, so that a refusal would reveal one that is not shared.
    func refusals(
        in drafts: PerRecord<StoredRecord>, replacing stored: PerRecord<StoredRecord>
    ) -> [RecordID: CabinetError] {
        var refusals: [RecordID: CabinetError] = [:]
        for case (let draft?, let old) in zip(drafts.values, stored.values) {
            for values in UniqueValues.all(of: draft, rules)
            where old.flatMap({ UniqueValues($0, values.keys) }) != values {
                refusals[draft.recordID] = CabinetError(
                    .permissionFailure,
                    "The schema declares UNIQUE (\(values.keys.joined(separator: ", "))), over all records of the owner. "
                        + "Only the owner sets such values in a shared zone.", recordID: draft.recordID,
                    fieldKey: values.keys.first)
            }
        }
        return refusals
    }

    private func violation(
        of values: UniqueValues, by draft: StoredRecord, held other: StoredRecord
    ) -> CabinetError {
        let isKnown = permissions.allows(.read, for: other)
        return CabinetError(
            .constraintViolation,
            "\(isKnown ? "The record \(other.recordID)" : "Another record") of \(draft.recordType) has \(values) already, and the "
                + "schema declares UNIQUE (\(values.keys.joined(separator: ", "))). Change that record, or save other values.",
            recordID: draft.recordID, fieldKey: values.keys.count == 1 ? values.keys[0] : nil)
    }
}
