/// The total order of a query's records: the sort keys, then record name, then zone.
struct RecordOrder: Sendable {
    private enum Key: Sendable {
        case systemField(SystemField)
        case field(slot: Int)
    }

    private let keys: [(key: Key, ascending: Bool)]
    private var slots: FieldSlots

    init(_ order: [Sort]) {
        var names: [Record.FieldKey] = []
        keys = order.map { sort in
            if let field = SystemField(rawValue: sort.key) { return (.systemField(field), sort.ascending) }
            names.append(sort.key)
            return (.field(slot: names.count - 1), sort.ascending)
        }
        slots = FieldSlots(names)
    }

    /// A record's place in the order.
    mutating func position(of record: StoredRecord) -> QueryPosition {
        slots.use(record.fields.names)
        return QueryPosition(values: keys.indices.map { value($0, of: record) }, recordID: record.recordID)
    }

    /// How a record stands to a place in the order.
    ///
    /// Most records of a large type are compared once and dropped, so their keys are read one by one, only as far as
    /// needed.
    mutating func compare(_ record: StoredRecord, to position: QueryPosition) -> Ordering {
        slots.use(record.fields.names)
        for index in keys.indices {
            let ordering = compare(value(index, of: record), position.values[index], at: index)
            if ordering != .same { return ordering }
        }
        return compare(record.recordID, position.recordID)
    }

    /// How two places stand to each other.
    func compare(_ left: QueryPosition, to right: QueryPosition) -> Ordering {
        for index in keys.indices {
            let ordering = compare(left.values[index], right.values[index], at: index)
            if ordering != .same { return ordering }
        }
        return compare(left.recordID, right.recordID)
    }

    private func value(_ index: Int, of record: StoredRecord) -> FieldValue? {
        switch keys[index].key {
        case .systemField(let field): record[field]
        case .field(let slot): record.value(in: slot, at: slots.positions)
        }
    }

    private func compare(_ left: FieldValue?, _ right: FieldValue?, at index: Int) -> Ordering {
        let ordering = FieldValue.sortOrder(left, right)
        return keys[index].ascending ? ordering : ordering.reversed
    }

    private func compare(_ left: RecordID, _ right: RecordID) -> Ordering {
        let byName = Ordering(left.recordName, right.recordName)
        if byName != .same { return byName }
        let byZone = Ordering(left.zoneID.zoneName, right.zoneID.zoneName)
        return byZone != .same ? byZone : Ordering(left.zoneID.ownerName, right.zoneID.ownerName)
    }
}

extension FieldValue {
    /// How values stand to each other when records are sorted.
    ///
    /// It is a total order: nil first, then not-a-number, then as the filter language orders; references by record
    /// name; values of different kinds by kind.
    static func sortOrder(_ left: FieldValue?, _ right: FieldValue?) -> Ordering {
        switch (left, right) {
        case (nil, nil): return .same
        case (nil, _): return .before
        case (_, nil): return .after
        case (.reference(let left)?, .reference(let right)?):
            return Ordering(left.recordID.recordName, right.recordID.recordName)
        case (let left?, let right?):
            return left.compared(to: right) ?? Ordering(left.sortRank, right.sortRank)
        }
    }

    /// Where values stand that have no order of their own.
    private var sortRank: Int {
        switch self {
        case .double(let number) where number.isNaN: 0
        case .int64, .double: 1
        case .string: 2
        case .timestamp: 3
        case .bytes: 4
        case .reference: 5
        case .location: 6
        case .asset: 7
        case .list: 8
        }
    }
}
