package import Cabinet

extension Database {
    /// Returns the records that the deletion of others includes by their delete rules, with their types, and without those others.
    ///
    /// Another client may change the records before the deletion, which decides by the records of that moment. The result is
    /// incomplete if the user may not read the records of a type that can refer to others.
    package func cascade(
        of ids: [RecordID]
    ) async throws -> (records: [RecordID: Record.RecordType], isComplete: Bool) {
        var fields = try await schema().recordTypes.sorted { $0.key < $1.key }.flatMap { type, declaration in
            declaration.fields.filter { $0.value.type.scalar == .reference }.map {
                (type, $0.key, $0.value.type.isList)
            }
        }
        var isComplete = true
        var found: [RecordID: Record.RecordType] = [:]
        var known = Set(ids)
        var next = ids
        while !next.isEmpty {
            let targets = next.prefix(100).map { Reference(recordID: $0, action: .deleteSelf) }
            next.removeFirst(targets.count)
            for (type, key, isList) in fields {
                let filter = try Filter(isList ? "ANY %K IN %@" : "%K IN %@", key, targets)
                let referrers = recordSequence(
                    matching: Query(recordType: type, filter: filter), desiredKeys: [key], pageSize: 1000)
                do {
                    for try await record in referrers
                    where record.holds(key, from: targets) && known.insert(record.recordID).inserted {
                        found[record.recordID] = type
                        next.append(record.recordID)
                    }
                } catch let error as CabinetError where error.code == .permissionFailure {
                    isComplete = false
                    fields.removeAll { $0.0 == type }
                }
            }
        }
        return (found, isComplete)
    }
}

extension Record {
    /// Whether a field has one of some references, with its action.
    fileprivate func holds(_ key: FieldKey, from targets: [Reference]) -> Bool {
        switch self[key]?.fieldValue {
        case .reference(let reference)?: targets.contains(reference)
        case .list(.reference(let references))?: references.contains(where: targets.contains)
        default: false
        }
    }
}
