/// The records that a query finds, kept up to date by what has changed.
struct LiveAnswer: Sendable {
    /// The records in the query's order.
    private(set) var records: [StoredRecord] = []

    private let plan: QueryPlan
    private var filter: CompiledFilter
    private var order: RecordOrder
    private var byID: [RecordID: StoredRecord] = [:]

    init(_ plan: QueryPlan, records: [StoredRecord]) throws {
        self.plan = plan
        filter = try CompiledFilter(plan.filter, fields: plan.fields)
        order = RecordOrder(plan.order)
        self.records = records
        for record in records { byID[record.recordID] = record }
    }

    /// Whether a change of another record can change the answer: then it cannot be kept up to date record by record.
    static func depends(onOthers plan: QueryPlan) -> Bool {
        plan.filter.hasPaths || plan.order.contains { FieldPath.isLong($0.key) }
    }

    /// Takes in what happened to a record.
    ///
    /// - Returns: Whether the answer has changed.
    /// - Complexity: O(*n*) in the number of records of the answer, to make room; O(log *n*) comparisons.
    mutating func apply(_ change: StoredChange) throws -> Bool {
        let old = byID[change.recordID]
        var new: StoredRecord?
        if case .saved(let record) = change, record.recordType.hasSameScalars(as: plan.recordType) {
            if old == record { return false }
            if try filter.matches(record) { new = record }
        }
        if old == nil, new == nil { return false }
        if let old { records.remove(at: try place(of: old)) }
        if let new { records.insert(new, at: try place(of: new)) }
        byID[change.recordID] = new
        return true
    }

    /// Drops the records of a zone that is gone.
    ///
    /// - Returns: Whether there were any.
    mutating func removeAll(in zoneID: RecordZone.ID) -> Bool {
        let gone = records.filter { $0.recordID.zoneID == zoneID }
        if gone.isEmpty { return false }
        records.removeAll { $0.recordID.zoneID == zoneID }
        for record in gone { byID[record.recordID] = nil }
        return true
    }

    /// Where a record stands, or would stand.
    private mutating func place(of record: StoredRecord) throws -> Int {
        let place = try order.place(of: record, resolving: CompiledFilter.noResolver)
        var range = records.startIndex..<records.endIndex
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            let ordering = try order.compare(records[middle], to: place, resolving: CompiledFilter.noResolver)
            range = ordering == .before ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}
