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
            return left.compared(to: right) ?? Ordering(left.kindRank, right.kindRank)
        }
    }

    /// Where values stand that have no order of their own.
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
        }
    }
}
