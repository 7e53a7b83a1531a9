/// The records that a query finds, kept up to date by what has changed.
struct LiveAnswer: Sendable {
    /// The records in the query's order.
    private(set) var records: [StoredRecord]

    private let plan: QueryPlan
    private var filter: CompiledFilter
    private var order: RecordOrder
    private var byID: [RecordID: StoredRecord]

    init(_ plan: QueryPlan, records: [StoredRecord]) throws {
        self.plan = plan
        filter = try CompiledFilter(plan.filter, fields: plan.fields)
        order = RecordOrder(plan.order)
        self.records = records
        byID = Dictionary(records.map { ($0.recordID, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Takes in what happened to records, none of which is named twice.
    ///
    /// - Returns: Whether the answer has changed.
    /// - Throws: What evaluating the filter throws; then the answer is of no use any more.
    /// - Complexity: O(*n* + *m* log *n*) in the number of records of the answer and of changes; O(*m*) if nothing changes.
    mutating func apply(_ changes: [StoredChange]) throws -> Bool {
        filter.meter = WorkMeter.current
        var gone: [Int] = []
        var new: [(place: RecordOrder.Place, position: Int, record: StoredRecord)] = []
        for change in changes {
            let old = byID[change.recordID]
            let record = try change.record.flatMap { try finds($0) ? $0 : nil }
            if old == record { continue }
            if let old { gone.append(try position(of: try place(of: old))) }
            if let record {
                let place = try place(of: record)
                new.append((place, try position(of: place), record))
            }
            byID[change.recordID] = record
        }
        if gone.isEmpty, new.isEmpty { return false }
        gone.sort()
        new.sort { order.compare($0.place, to: $1.place) == .before }
        var result: [StoredRecord] = []
        result.reserveCapacity(records.count - gone.count + new.count)
        var rest = records[...]
        var remaining = gone[...]
        /// Moves what stays before a position.
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

    /// Drops the records of zones that are gone.
    ///
    /// - Returns: Whether there were any.
    mutating func removeAll(inZones isGone: (RecordZone.ID) -> Bool) -> Bool {
        let count = records.count
        records.removeAll { isGone($0.recordID.zoneID) }
        if records.count == count { return false }
        byID = byID.filter { !isGone($0.key.zoneID) }
        return true
    }

    private mutating func finds(_ record: StoredRecord) throws -> Bool {
        try record.recordType.hasSameScalars(as: plan.recordType) && filter.matches(record)
    }

    private mutating func place(of record: StoredRecord) throws -> RecordOrder.Place {
        try order.place(of: record, resolving: CompiledFilter.noResolver)
    }

    /// How many records come before a place.
    private mutating func position(of place: RecordOrder.Place) throws -> Int {
        var range = records.startIndex..<records.endIndex
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            let ordering = try order.compare(records[middle], to: place, resolving: CompiledFilter.noResolver)
            range = ordering == .before ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}
