/// The total order of a query's records: the sort keys, then the insertion number.
struct RecordOrder: Sendable {
    /// A record's position in the order, in the form that is compared with others, instead of the values of the fields.
    struct Place {
        fileprivate var values: [FieldValue?]
        fileprivate var insertionNumber: Int64
    }

    fileprivate struct Key: Sendable {
        let source: Source
        let ascending: Bool
        /// The options for the comparison of text.
        let options: Sort.Options
    }

    fileprivate enum Source: Sendable {
        case systemField(SystemField)
        case field(slot: Int)
        case distance(slot: Int, from: Location)
        indirect case path(Source, PathWalk)
        indirect case relevance([(search: SearchText, texts: [Source])])
        case count(Record.RecordType, field: Record.FieldKey, Filter)
    }

    private let keys: [Key]
    private var slots: FieldSlots

    /// - Parameter searches: The searches that the relevance is computed from, if the records are ordered by it.
    init(_ order: [Sort], searches: [PlannedSearch] = []) {
        var names: [Record.FieldKey] = []
        func plain(_ key: Record.FieldKey) -> Source {
            if let field = SystemField(rawValue: key) { return .systemField(field) }
            names.append(key)
            return .field(slot: names.count - 1)
        }
        func source(of key: Record.FieldKey) -> Source {
            // Validation has refused malformed paths.
            guard FieldPath.isLong(key), let path = try? FieldPath(key) else { return plain(key) }
            let first = plain(path.first)
            return path.isLong ? .path(first, PathWalk(path.steps.dropFirst(), of: key)) : first
        }
        keys = order.map { sort in
            if sort.isByRelevance {
                let texts = searches.map { (search: $0.text, texts: $0.keys.map(source)) }
                return Key(source: .relevance(texts), ascending: sort.ascending, options: [])
            }
            if let (type, field, filter) = try? sort.counted() {
                return Key(source: .count(type, field: field, filter), ascending: sort.ascending, options: [])
            }
            var source = source(of: sort.key)
            if let origin = sort.origin, case .field(let slot) = source { source = .distance(slot: slot, from: origin) }
            return Key(source: source, ascending: sort.ascending, options: sort.options)
        }
        slots = FieldSlots(names)
    }

    /// Returns a record's position in the order, as a cursor holds it.
    mutating func position(
        of record: StoredRecord, resolving resolver: CompiledFilter.Resolver
    ) throws -> QueryPosition {
        slots.use(record.fieldNames)
        return QueryPosition(
            values: try keys.map { try value($0.source, of: record, resolver) }, insertionNumber: record.insertionNumber
        )
    }

    /// Returns a record's position in the order.
    mutating func place(of record: StoredRecord, resolving resolver: CompiledFilter.Resolver) throws -> Place {
        slots.use(record.fieldNames)
        var values: [FieldValue?] = []
        values.reserveCapacity(keys.count)
        for key in keys { values.append(key.comparable(try value(key.source, of: record, resolver))) }
        return Place(values: values, insertionNumber: record.insertionNumber)
    }

    /// Returns the comparable form of a cursor's position.
    func place(at position: QueryPosition) -> Place {
        Place(
            values: zip(keys, position.values).map { $0.comparable($1) },
            insertionNumber: position.insertionNumber)
    }

    /// Returns the relation of a record to a position in the order.
    ///
    /// Most records of a large type are compared once and dropped, so their keys are read one by one, and only as far
    /// as necessary.
    mutating func compare(
        _ record: StoredRecord, to place: Place, resolving resolver: CompiledFilter.Resolver
    ) throws -> Ordering {
        slots.use(record.fieldNames)
        for (key, other) in zip(keys, place.values) {
            let ordering = key.compare(key.comparable(try value(key.source, of: record, resolver)), other)
            if ordering != .same { return ordering }
        }
        return Ordering(record.insertionNumber, place.insertionNumber)
    }

    /// Returns a Boolean value that indicates whether a record comes after a position by its first keys alone.
    ///
    /// The record must not come before the position.
    ///
    /// - Parameter count: The number of keys. A number above that of all keys includes the insertion number.
    mutating func isAfter(
        _ record: StoredRecord, _ place: Place, inFirst count: Int, resolving resolver: CompiledFilter.Resolver
    ) throws -> Bool {
        if count <= 0 { return false }
        slots.use(record.fieldNames)
        for (key, other) in zip(keys.prefix(count), place.values) {
            let ordering = key.compare(key.comparable(try value(key.source, of: record, resolver)), other)
            if ordering != .same { return ordering == .after }
        }
        return count > keys.count && record.insertionNumber > place.insertionNumber
    }

    /// Returns the first value that a record is compared by.
    mutating func firstValue(
        of record: StoredRecord, resolving resolver: CompiledFilter.Resolver
    ) throws -> FieldValue? {
        guard let key = keys.first else { return nil }
        slots.use(record.fieldNames)
        return key.comparable(try value(key.source, of: record, resolver))
    }

    /// Whether the smaller values of the first sort key come first.
    var isFirstAscending: Bool { keys.first?.ascending ?? true }

    /// Returns the relation of two positions.
    func compare(_ left: Place, to right: Place) -> Ordering {
        for (index, key) in keys.enumerated() {
            let ordering = key.compare(left.values[index], right.values[index])
            if ordering != .same { return ordering }
        }
        return Ordering(left.insertionNumber, right.insertionNumber)
    }

    private func value(
        _ source: Source, of record: StoredRecord, _ resolver: CompiledFilter.Resolver
    ) throws -> FieldValue? {
        switch source {
        case .systemField(let field): return record[field]
        case .field(let slot): return record.value(in: slot, at: slots.positions)
        case .distance(let slot, let origin):
            guard case .location(let place)? = record.value(in: slot, at: slots.positions) else { return nil }
            let distance = place.distance(to: origin)
            return distance.isNaN ? nil : .double(distance)
        case .path(let first, let walk):
            // Validation has ensured that the path leads through single references, so that no list can be found.
            let found = try walk.follow(FilterValue(try value(first, of: record, resolver)), resolver)
            if case .single(let value) = found { return value }
            return nil
        case .relevance(let searches):
            if searches.isEmpty { return nil }
            return .int64(
                try searches.reduce(0) { points, search in
                    var scan = SearchScan(search.search)
                    for text in search.texts {
                        if case .string(let text)? = try value(text, of: record, resolver) { try scan.read(text) }
                    }
                    return points + scan.relevance
                })
        case .count(let type, let field, let filter):
            let records = ReferringRecords(recordType: type, field: field, target: record.recordID, filter: filter)
            return .int64(Int64(try resolver.count(of: records)))
        }
    }

    /// Returns the relation of two IDs: by record name, then by zone.
    static func compare(_ left: RecordID, _ right: RecordID) -> Ordering {
        let byName = Ordering(left.recordName, right.recordName)
        if byName != .same { return byName }
        let byZone = Ordering(left.zoneID.zoneName, right.zoneID.zoneName)
        return byZone != .same ? byZone : Ordering(left.zoneID.ownerName, right.zoneID.ownerName)
    }
}

extension RecordOrder.Key {
    /// Returns the form of a value that is compared.
    fileprivate func comparable(_ value: FieldValue?) -> FieldValue? {
        if options.isEmpty { return value }
        if case .string(let text)? = value { return .string(options.key(of: text)) }
        return value
    }

    fileprivate func compare(_ left: FieldValue?, _ right: FieldValue?) -> Ordering {
        let ordering = FieldValue.sortOrder(left, right)
        return ascending ? ordering : ordering.reversed
    }
}
