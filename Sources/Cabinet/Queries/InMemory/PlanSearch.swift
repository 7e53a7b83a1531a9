/// Decides which records belong to a plan, on any page.
struct PlanSearch {
    private let recordType: Record.RecordType
    private let zoneID: RecordZone.ID?
    private var filter: CompiledFilter
    /// That of a record whose type was found to be the plan's; the next record often shares it.
    private var attribution: StoredRecord.Attribution?
    private let meter: WorkMeter?

    init(_ plan: QueryPlan) {
        recordType = plan.recordType
        zoneID = plan.zoneID
        filter = CompiledFilter(validated: plan.filter, fields: plan.fields)
        meter = WorkMeter.current
    }

    /// Whether a record is of the plan's type and in its zone.
    mutating func isCandidate(_ record: StoredRecord) throws -> Bool {
        try meter?.spend(1)
        if record.attribution !== attribution {
            guard record.recordType.hasSameScalars(as: recordType) else { return false }
            attribution = record.attribution
        }
        return zoneID == nil || record.recordID.zoneID == zoneID
    }

    /// Whether the filter finds a record of the plan's type.
    mutating func matches(_ record: StoredRecord, resolving resolver: CompiledFilter.Resolver) throws -> Bool {
        try filter.matches(record, resolving: resolver)
    }

    /// Whether a record belongs to the plan.
    mutating func finds(_ record: StoredRecord, resolving resolver: CompiledFilter.Resolver) throws -> Bool {
        try isCandidate(record) && matches(record, resolving: resolver)
    }
}

extension QueryPlan {
    /// Runs an evaluation on the plan's meter, also in a task or on a thread that belongs to the backend.
    func metered<Output>(_ body: () throws -> Output) rethrows -> Output {
        guard let meter, WorkMeter.current !== meter else { return try body() }
        return try WorkMeter.$current.withValue(meter, operation: body)
    }
}
