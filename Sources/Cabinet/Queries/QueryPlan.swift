/// One page of a query, as Cabinet requests it from a backend.
///
/// Only Cabinet creates plans, and each plan is valid: its filter and its sort keys fit the fields' types, its position
/// fits the sort keys, and its limit is at least 1. A backend does not check it again. <doc:WritingABackend> answers plans
/// with ``page(of:resolving:)``, and <doc:BlockingAndIndexing> with indexes.
public struct QueryPlan: Sendable {
    /// The type of the records to find.
    public let recordType: Record.RecordType

    /// The zone to search, or `nil` for all zones.
    public let zoneID: RecordZone.ID?

    /// The condition that the records must match.
    public internal(set) var filter: Filter

    /// The order of the records.
    ///
    /// Records that it leaves equal, and all if it is empty, are in the order of their insertion numbers.
    public internal(set) var order: [Sort]

    /// Whether the page must hold the first records of the order.
    ///
    /// If it is `false`, any records that match will do, in any order.
    /// A plan without an order has no position.
    public let isOrdered: Bool

    /// The position in the order after which the page begins, or `nil` for the first page.
    public internal(set) var position: QueryPosition?

    /// The maximum number of records in the page; at least 1.
    public private(set) var limit: Int

    /// The fields that the records of the page need, or `nil` for all.
    public internal(set) var keys: [Record.FieldKey]?

    /// The types of the record type's fields, and of those that references lead to.
    ///
    /// A field that is not among them is `nil` in every record.
    public let fields: FieldTypes

    /// The searches of the filter that the records' relevance is computed from, if they are ordered by it.
    package let searches: [PlannedSearch]

    /// The meter of the request, on which a backend with an engine of its own spends work; `nil` outside of requests.
    public internal(set) var meter: WorkMeter?

    /// Creates a plan.
    ///
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the filter does not fit the fields' types, if the records
    ///   cannot be sorted as asked, if the position is not one of this order, or if the limit is not positive.
    package init(
        recordType: Record.RecordType, zoneID: RecordZone.ID? = nil, filter: Filter, order: [Sort] = [],
        isOrdered: Bool = true, position: QueryPosition? = nil, limit: Int = .max, keys: [Record.FieldKey]? = nil,
        fields: FieldTypes
    ) throws {
        self.recordType = recordType
        self.zoneID = zoneID
        self.filter = filter
        self.order = order
        self.isOrdered = isOrdered
        self.position = position
        self.limit = limit
        self.fields = fields
        meter = .current
        try filter.validate(fields: fields)
        searches = try order.searches(of: filter, in: fields)
        self.keys = keys.map { $0.adding(searches.fieldKeys) }
        for sort in order { try sort.validate(fields: fields) }
        try validatePosition()
        if limit < 1 {
            throw CabinetError(.invalidArguments, "The limit of the page is \(limit); expected at least 1.")
        }
    }
}

/// Plans derived from other plans.
extension QueryPlan {
    /// The plan of the page after a record.
    ///
    /// - Parameters:
    ///   - record: The last record of this plan's page, with the sort keys, as ``keysToFetch(for:)`` makes sure.
    ///   - resolver: Finds the records that references point to; asked only if the order has key paths. By default that fails.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if a key path cannot be followed or the record has values of other types than its
    ///   fields, and what the resolver throws.
    package func continued(
        after record: StoredRecord, resolving resolver: CompiledFilter.Resolver = .none
    ) throws -> QueryPlan {
        var plan = self
        plan.position = try position(after: record, resolving: resolver)
        try plan.validatePosition()
        return plan
    }

    /// Returns a plan of the same page for records that a backend has selected by a part of the filter.
    ///
    /// ```swift
    /// // The index has found the list's records, without comparing their prices.
    /// let page = try plan.evaluating(prices).page(of: records)
    /// ```
    ///
    /// - Parameters:
    ///   - remainder: The part of the filter that is left, or `nil` if the records match all of it.
    ///   - keepsFields: Whether the page has all fields of its records instead of ``keys``, because the backend sorts it
    ///     once more.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the remainder does not fit the fields' types. Every part of the
    ///   filter fits.
    public func evaluating(_ remainder: Filter?, keepsFields: Bool = false) throws -> QueryPlan {
        var plan = self
        plan.filter = remainder ?? .constant(true)
        if keepsFields { plan.keys = nil }
        try plan.filter.validate(fields: fields)
        return plan
    }

    /// The plan with a filter that finds the same records and that backends do more with.
    ///
    /// Simplifying drops mistakes; the plan's filter has none.
    func simplified() throws -> QueryPlan {
        filter.isPlain ? self : try evaluating(filter.simplified())
    }

    /// The plan of all its records, in the order in which they were first saved.
    func unordered() -> QueryPlan {
        var plan = self
        plan.order = []
        plan.position = nil
        return plan
    }

    /// The plan of the first page of all its records, with no other fields than the values of keys are read from.
    func scan(reading keys: [Record.FieldKey], limit: Int = 1000) -> QueryPlan {
        var plan = unordered()
        // Grouping by the keys needs the same fields as sorting by them. The plan without an order is the cheapest.
        plan.keys = keys.map { Sort($0) }.keysToFetch(for: [])
        plan.limit = limit
        return plan
    }

    /// A position may come from a cursor that was kept for long, or made up: its values must be of the sort keys'
    /// types.
    private mutating func validatePosition() throws {
        guard var position else { return }
        var fits = isOrdered && position.marker == nil && position.values.count == order.count
        for (index, sort) in zip(position.values.indices, order) {
            guard var value = position.values[index], let type = sort.valueType(in: fields) else { continue }
            // A field of whole numbers may have become one of doubles since.
            if type == .double, case .int64(let number) = value, let double = Double(exactly: number) {
                value = .double(double)
                position.values[index] = value
            }
            // Not-a-number has no position in an order, and no record holds it.
            fits = fits && value.fieldType == type && !value.isNotANumber
        }
        if !fits {
            throw CabinetError(
                .invalidArguments,
                "The cursor does not fit the query's sort keys or their types. Run the query again, from its first page."
            )
        }
        self.position = position
    }
}
