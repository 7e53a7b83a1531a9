import Cabinet

extension DatabaseImport {
    /// Removes references that a save refuses because their targets do not exist, or are deleted by the batch.
    ///
    /// - Returns: The changed records, each with a sentence about what was removed.
    func clearMissingReferences(in batch: inout ImportBatch) async throws -> [(id: RecordID, reason: String)] {
        let items = batch.items
        let saved = Set(items.filter { $0.record != nil }.map(\.id))
        let deleted = Set(items.filter { $0.record == nil }.map(\.id))
        let targets = Set(items.flatMap { $0.record?.requiredTargets ?? [] }).subtracting(saved)
        let existing = try await stored(Array(targets.subtracting(deleted)), desiredKeys: [])
        let missing = targets.filter { existing[$0] == nil }
        var changed: [(RecordID, String)] = []
        for item in items {
            guard var record = item.record, !missing.isDisjoint(with: record.requiredTargets) else { continue }
            let lost = Set(record.requiredTargets).intersection(missing).map(\.description).sorted()
            record.clear(missing)
            batch.replace(item.id, with: record)
            let names = lost.prefix(3).joined(separator: ", ") + (lost.count > 3 ? " and \(lost.count - 3) more" : "")
            changed.append(
                (item.id, "The record \(item.id) was saved without its reference to \(names), which does not exist."))
        }
        return changed
    }
}

extension Record {
    /// The targets that must exist: the parent, and those of references with a delete rule.
    fileprivate var requiredTargets: [RecordID] {
        var targets = parent.map { [$0.recordID] } ?? []
        for (_, value) in self { targets += value.fieldValue?.requiredReferences.map(\.recordID) ?? [] }
        return targets
    }

    /// Removes references with a delete rule, and the parent, if they lead to given records.
    fileprivate mutating func clear(_ targets: Set<RecordID>) {
        if let parent, targets.contains(parent.recordID) { setParent(nil as RecordID?) }
        for (key, value) in self {
            guard let value = value.fieldValue,
                value.requiredReferences.contains(where: { targets.contains($0.recordID) })
            else { continue }
            guard case .list(.reference(let list)) = value else {
                self[key] = nil
                continue
            }
            let kept = list.filter { $0.action == .none || !targets.contains($0.recordID) }
            self[key] = kept.isEmpty ? nil : FieldValue.list(.reference(kept)).recordValue
        }
    }
}

extension FieldValue {
    /// The references with a delete rule.
    fileprivate var requiredReferences: [Reference] {
        switch self {
        case .reference(let reference): reference.action == .none ? [] : [reference]
        case .list(.reference(let list)): list.filter { $0.action != .none }
        default: []
        }
    }
}
