import Cabinet

/// Checks unique values: that no two records have the same ones.
extension DatabaseVerification {
    /// Reads the records in the order of the fields that the schema declares unique.
    ///
    /// Equal values follow each other in this order, so that memory does not grow with the records.
    func checkUniqueValues(_ rules: SchemaRules) async throws {
        for type in schema.recordTypes.keys.sorted() {
            for keys in rules.uniqueKeys(of: type) {
                _ = try await attempt(
                    "The \(type) records in the order of \(keys.joined(separator: ", "))",
                    await checkUniqueValues(of: keys, in: type))
            }
        }
    }

    private func checkUniqueValues(of keys: [Record.FieldKey], in type: Record.RecordType) async throws {
        // A mirror can have values twice: beside a local change that the server has refused for them, or between two pages that exchange
        // them. The local schema alone may declare them unique, too.
        if try await isMirror() { return }
        var plan = try plan(
            of: type, in: nil, order: keys.map { Sort($0) }, limit: 4 * Self.pageSize,
            keys: keys.filter { SystemField(rawValue: $0) == nil })
        var last: (recordID: RecordID, values: UniqueValues)?
        while true {
            let page = try await snapshot.records(matching: plan)
            for record in page {
                let values = UniqueValues(record, keys)
                if let values, let last, last.values == values { addDuplicate(of: last.recordID, record, values, keys) }
                last = values.map { (record.recordID, $0) }
            }
            try pause()
            guard page.count == plan.limit, let end = page.last else { return }
            plan = try plan.continued(after: end)
        }
    }

    private func addDuplicate(
        of first: RecordID, _ record: StoredRecord, _ values: UniqueValues, _ keys: [Record.FieldKey]
    ) {
        collector.add(
            IntegrityIssue(
                .uniqueValue,
                "The records \(first) and \(record.recordID) of \(record.recordType) both have \(values), and the schema declares "
                    + "UNIQUE (\(keys.joined(separator: ", "))). Change or delete one of them.",
                recordType: record.recordType, recordID: record.recordID, fieldKey: keys.count == 1 ? keys[0] : nil))
    }
}
