import Cabinet

extension DatabaseImport {
    /// Saves records in one transaction.
    ///
    /// Ctrl-C does not cancel it, so that the import always ends between two batches.
    static func save(_ records: [Record], in database: Database) async throws {
        let task = Task { try await database.save(records, savePolicy: .allKeys) }
        do {
            _ = try await task.value
        } catch let error as CabinetError where error.code == .partialFailure {
            // The cause, rather than the records that failed with it.
            throw error.partialErrorsByItemID.values.first { $0.code != .batchRequestFailed } ?? error
        }
    }

    /// Removes references that are refused now, because their targets are in later batches.
    ///
    /// - Parameter records: The records of a batch.
    /// - Returns: The IDs of the changed records.
    static func removeForwardReferences(
        from records: inout [Record], in database: Database
    ) async throws -> Set<RecordID> {
        let saved = Set(records.map(\.recordID))
        let targets = Set(records.flatMap { record in record.requiredReferences.flatMap(\.targets) }).subtracting(saved)
        var missing = targets
        for (id, result) in try await database.records(for: Array(targets), desiredKeys: []) {
            if case .success = result { missing.remove(id) }
        }
        var changed: Set<RecordID> = []
        for index in records.indices {
            for reference in records[index].requiredReferences where !missing.isDisjoint(with: reference.targets) {
                if let key = reference.key {
                    records[index][key] = nil
                } else {
                    records[index].setParent(nil as RecordID?)
                }
                changed.insert(records[index].recordID)
            }
        }
        return changed
    }
}

extension Record {
    /// References whose targets must exist: the parent, without a key, and fields with a delete rule.
    fileprivate var requiredReferences: [(key: String?, targets: [RecordID])] {
        var references: [(key: String?, targets: [RecordID])] = parent.map { [(nil, [$0.recordID])] } ?? []
        for (key, value) in self {
            let found: [Reference] =
                switch value.fieldValue {
                case .reference(let reference)?: [reference]
                case .list(.reference(let list))?: list
                default: []
                }
            let targets = found.filter { $0.action != .none }.map(\.recordID)
            if !targets.isEmpty { references.append((key, targets)) }
        }
        return references
    }
}
