extension QueryPlan {
    /// Returns the plan of the records that refer to a record and that a filter or an order counts.
    ///
    /// ```swift
    /// let resolver = CompiledFilter.Resolver(find) { records in
    ///     try count(matching: plan.counting(records))
    /// }
    /// ```
    ///
    /// - Parameter records: The records to count, as the evaluation of this plan asks for them.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the filter does not fit the fields' types. The filters of a plan
    ///   fit.
    public func counting(_ records: ReferringRecords) throws -> QueryPlan {
        let isList = fields.typeOfReferences(from: records.recordType, by: records.field)?.isList == true
        let refers = Filter.comparison(
            Filter.Comparison(
                .field(records.field), isList ? .contains : .equal,
                .constant(.reference(Reference(recordID: records.target, action: .none)))))
        var plan = try QueryPlan(
            recordType: records.recordType, zoneID: records.target.zoneID,
            filter: records.filter == .constant(true) ? refers : .and([refers, records.filter]), isOrdered: false,
            keys: [],
            fields: fields.types(of: records.recordType))
        plan.meter = meter
        return plan
    }

    /// Returns a resolver that finds other records among all records of a store.
    ///
    /// - Parameter records: All records of the database. They are arranged by their IDs, and by the records that they refer
    ///   to, when the first one is searched for.
    /// - Complexity: O(*n*) in the number of records, once; then a look-up for each record that is found or counted.
    public func resolver(over records: some Sequence<StoredRecord>) -> CompiledFilter.Resolver {
        resolver(over: RelatedRecords(records))
    }

    private func resolver(over records: RelatedRecords) -> CompiledFilter.Resolver {
        CompiledFilter.Resolver({ records.byID[$0] }) { referring in
            let plan = try counting(referring)
            return try plan.count(in: records.byTarget[referring.target] ?? [], resolving: plan.resolver(over: records))
        }
    }
}

extension Filter {
    /// The record to which every record that matches refers, and the field or parent that does; `nil` if it is not known.
    var requiredReference: (field: Record.FieldKey, target: RecordID)? {
        switch self {
        case .comparison(let comparison):
            guard comparison.quantifier == .single, [.equal, .contains].contains(comparison.operator),
                case .field(let key) = comparison.left, !FieldPath.isLong(key),
                key == SystemField.parent.rawValue || SystemField(rawValue: key) == nil,
                case .constant(.reference(let reference)?) = comparison.right
            else { return nil }
            return (key, reference.recordID)
        case .and(let children): return children.lazy.compactMap(\.requiredReference).first
        case .constant, .or, .not: return nil
        }
    }
}

/// Records by ID, and by the records that they refer to.
private final class RelatedRecords {
    private let records: [StoredRecord]

    init(_ records: some Sequence<StoredRecord>) {
        self.records = Array(records)
    }

    private(set) lazy var byID = Dictionary(
        records.map { ($0.recordID, $0) }, uniquingKeysWith: { first, _ in first })

    private(set) lazy var byTarget: [RecordID: [StoredRecord]] = {
        var found: [RecordID: [StoredRecord]] = [:]
        for record in records {
            for target in Set(record.references.map(\.target)) { found[target, default: []].append(record) }
        }
        return found
    }()
}
