extension FieldValue {
    /// Returns the relation of two values in the order of sorted records.
    ///
    /// This is a total order. Nil comes first, then not-a-number, then the order of the filter language. References are
    /// ordered by record name, and values of different kinds by kind.
    static func sortOrder(_ left: FieldValue?, _ right: FieldValue?) -> Ordering {
        switch (left, right) {
        case (nil, nil): return .same
        case (nil, _): return .before
        case (_, nil): return .after
        case (.reference(let left)?, .reference(let right)?):
            return Ordering(left.recordID.recordName, right.recordID.recordName)
        case (let left?, let right?):
            return left.compared(to: right) ?? Ordering(left.kindRank, right.kindRank)
        }
    }

    /// The rank of a kind of values that have no order of their own.
    private var kindRank: Int {
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
        case .encrypted: 9
        }
    }
}
