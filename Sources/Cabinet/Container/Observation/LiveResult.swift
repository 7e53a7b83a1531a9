/// The result of a query, and the state of the database that it reflects.
struct LiveResult: Sendable {
    /// The records in the query's order: all, or those up to ``end``.
    private(set) var records: [StoredRecord]

    /// The maximum number of records that an observer receives, or `nil` for all.
    var limit: Int?

    /// The position up to which the result has the query's records; `nil` if it has all.
    private(set) var end: QueryPosition?

    /// The end as the order compares it.
    private var endPlace: RecordOrder.Place?

    /// The state of the database that the records reflect.
    var basis: LiveBasis

    /// The plan that the records are those of.
    let plan: QueryPlan

    private var filter: CompiledFilter
    private var order: RecordOrder
    private var byID: [RecordID: StoredRecord]

    /// Creates a result from the records of a query.
    ///
    /// - Returns: `nil` if changes cannot be merged: the service has returned records without numbers, which give no order, or the
    ///   query follows references, so that a change of another record can change the result.
    init?(_ request: QueryRecordsRequest, _ records: [Record], _ basis: LiveBasis) throws {
        let query = request.query
        if query.followsReferences { return nil }
        let stored = records.compactMap(\.unchanged)
        guard stored.count == records.count else { return nil }
        let plan = try QueryPlan(
            recordType: query.recordType, zoneID: request.zoneID, filter: query.filter,
            order: query.sortDescriptors, fields: FieldTypes(basis.fields, searchable: basis.searchable)
        ).simplified()
        self.init(plan, records: stored, basis: basis)
    }

    init(_ plan: QueryPlan, records: [StoredRecord], basis: LiveBasis) {
        self.plan = plan
        self.basis = basis
        filter = CompiledFilter(validated: plan.filter, fields: plan.fields)
        order = plan.recordOrder
        self.records = records
        byID = Dictionary(records.map { ($0.recordID, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Applies changes of different records to the result.
    ///
    /// - Returns: Whether the result has changed.
    /// - Throws: The errors of evaluating the filter; the result is then unusable.
    /// - Complexity: O(*n* + *m* log *n*) in the number of records of the result and of changes; O(*m*) if nothing changes.
    mutating func apply(_ changes: [(recordID: RecordID, record: StoredRecord?)]) throws -> Bool {
        filter.meter = WorkMeter.current
        var removed: [Int] = []
        var new: [(place: RecordOrder.Place, position: Int, record: StoredRecord)] = []
        for change in changes {
            let old = byID[change.recordID]
            let record = try change.record.flatMap { try matches($0) && !isAfterEnd($0) ? $0 : nil }
            if old == record { continue }
            if let old { removed.append(try position(of: old)) }
            if let record {
                let place = try place(of: record)
                new.append((place, try position(of: place), record))
            }
            byID[change.recordID] = record
        }
        if removed.isEmpty, new.isEmpty { return false }
        removed.sort()
        new.sort { order.compare($0.place, to: $1.place) == .before }
        var result: [StoredRecord] = []
        result.reserveCapacity(records.count - removed.count + new.count)
        var rest = records[...]
        var remaining = removed[...]
        /// Appends the remaining records before a position, without those that are removed.
        func move(upTo end: Int) {
            while let next = remaining.first, next < end {
                result += rest[..<next]
                rest = rest[(next + 1)...]
                remaining.removeFirst()
            }
            guard rest.startIndex < end else { return }
            result += rest[..<end]
            rest = rest[end...]
        }
        for (_, position, record) in new {
            move(upTo: position)
            result.append(record)
        }
        move(upTo: records.endIndex)
        records = result
        return true
    }

    /// Removes the records of deleted zones.
    ///
    /// - Returns: Whether the result had such records.
    mutating func removeAll(inZones isDeleted: (RecordZone.ID) -> Bool) -> Bool {
        let count = records.count
        records.removeAll { isDeleted($0.recordID.zoneID) }
        if records.count == count { return false }
        byID = byID.filter { !isDeleted($0.key.zoneID) }
        return true
    }

    /// Sets the position up to which the result has the query's records.
    ///
    /// - Throws: ``CabinetError/Code/internalError`` if the position is not one of the query's order.
    mutating func setEnd(_ position: QueryPosition?) throws {
        guard position == nil || position?.values.count == plan.order.count else {
            throw CabinetError(.internalError, "The service gave a position that does not fit the query's order.")
        }
        end = position
        endPlace = position.map { order.place(at: $0) }
    }

    /// Adds records that follow the others.
    mutating func add(_ rest: [StoredRecord]) {
        records += rest
        for record in rest { byID[record.recordID] = record }
    }

    /// Removes a number of the last records.
    mutating func removeLast(_ count: Int) {
        for record in records.suffix(count) { byID[record.recordID] = nil }
        records.removeLast(count)
    }

    private mutating func isAfterEnd(_ record: StoredRecord) throws -> Bool {
        guard let endPlace else { return false }
        return try order.compare(record, to: endPlace, resolving: .none) == .after
    }

    private mutating func matches(_ record: StoredRecord) throws -> Bool {
        try record.recordType.hasSameScalars(as: plan.recordType) && filter.matches(record)
    }

    private mutating func place(of record: StoredRecord) throws -> RecordOrder.Place {
        try order.place(of: record, resolving: .none)
    }

    /// Returns the index of one of the records.
    private mutating func position(of record: StoredRecord) throws -> Int {
        let expected = try position(of: try place(of: record))
        if expected < records.count, records[expected].recordID == record.recordID { return expected }
        // A faulty server, or one of another version, may sort in another order.
        guard let found = records.firstIndex(where: { $0.recordID == record.recordID }) else {
            throw CabinetError(.internalError, "A live result has lost a record.", recordID: record.recordID)
        }
        return found
    }

    /// Returns the number of records that sort before a position in the order.
    private mutating func position(of place: RecordOrder.Place) throws -> Int {
        var range = records.startIndex..<records.endIndex
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            let ordering = try order.compare(records[middle], to: place, resolving: .none)
            range = ordering == .before ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}
