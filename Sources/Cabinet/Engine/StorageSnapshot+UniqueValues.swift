/// Finds the records with given values, by the index that unique fields have.
extension StorageSnapshot {
    /// The maximum number of values in one query.
    private static var valuesPerQuery: Int { 100 }

    /// Returns the records with the values, with their unique fields.
    ///
    /// - Complexity: one query for each list of fields and hundred values.
    func holders(
        of values: [UniqueValues], in schema: StoredSchema
    ) async throws -> [UniqueValues: [StoredRecord]] {
        var holders: [UniqueValues: [StoredRecord]] = [:]
        let wanted = Set(values)
        let lists = Dictionary(grouping: wanted) { UniqueFields(recordType: $0.recordType, keys: $0.keys) }
        for (fields, values) in lists where schema.recordTypes[fields.recordType] != nil {
            for page in values.parts(of: Self.valuesPerQuery) {
                let plan = try fields.plan(toFind: page, in: schema)
                for record in try await records(matching: plan) {
                    guard let found = UniqueValues(record, fields.keys), wanted.contains(found) else { continue }
                    holders[found, default: []].append(record)
                }
            }
        }
        return holders
    }

    /// Throws if two stored records have the same values.
    ///
    /// Only the hashes of the values are kept: 16 bytes for each record.
    ///
    /// - Complexity: O(*n*) in the number of records of the type.
    func checkUniqueness(
        of keys: [Record.FieldKey], in recordType: Record.RecordType, schema: StoredSchema
    ) async throws {
        let fields = UniqueFields(recordType: recordType, keys: keys)
        var seen: Set<Int> = []
        var plan = try fields.planOfAll(in: schema)
        while true {
            let page = try await records(matching: plan)
            for record in page {
                guard let values = UniqueValues(record, keys), !seen.insert(values.hashValue).inserted else { continue }
                let holders = try await holders(of: [values], in: schema)[values] ?? []
                if holders.count > 1 { throw fields.duplicate(values, holders[0].recordID, holders[1].recordID) }
            }
            guard page.count == plan.limit, let last = page.last else { return }
            plan = try plan.continued(after: last)
        }
    }
}

/// A list of fields that the schema declares unique.
private struct UniqueFields: Hashable {
    let recordType: Record.RecordType
    let keys: [Record.FieldKey]

    /// The keys of the fields to read.
    private var fieldKeys: [Record.FieldKey] { keys.filter { SystemField(rawValue: $0) == nil } }

    /// Returns a plan that finds at least the records with the values.
    func plan(toFind values: ArraySlice<UniqueValues>, in schema: StoredSchema) throws -> QueryPlan {
        let conditions = keys.indices.map { index -> Filter in
            let distinct = Set(values.map { $0.values[index] })
            let constants = distinct.map { Filter.Expression.constant($0) }
            return .comparison(
                constants.count == 1
                    ? Filter.Comparison(.field(keys[index]), .equal, constants[0])
                    : Filter.Comparison(.field(keys[index]), .in, .list(constants)))
        }
        return try QueryPlan(
            recordType: recordType, filter: conditions.count == 1 ? conditions[0] : .and(conditions), isOrdered: false,
            keys: fieldKeys, fields: FieldTypes(of: recordType, in: schema)
        ).simplified()
    }

    /// Returns the plan of the first page of all records.
    func planOfAll(in schema: StoredSchema) throws -> QueryPlan {
        try QueryPlan(
            recordType: recordType, filter: .constant(true), limit: 1000, keys: fieldKeys,
            fields: FieldTypes(of: recordType, in: schema))
    }

    func duplicate(_ values: UniqueValues, _ first: RecordID, _ second: RecordID) -> CabinetError {
        CabinetError(
            .invalidArguments,
            "UNIQUE (\(keys.joined(separator: ", "))) of \(recordType) cannot be declared: the records \(first) and \(second) "
                + "both have \(values). Change or delete one of them, and apply the schema again.",
            recordID: second, fieldKey: keys.count == 1 ? keys[0] : nil)
    }
}
