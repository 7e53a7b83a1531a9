import Cabinet

/// Which zones the rows of a query are in.
enum ZoneScope {
    /// All rows are in one zone, which may be the only one that there is.
    case one(RecordZone.ID, id: Int64)

    /// The rows are in zones with these numbers, in the order of the zones' names.
    case several([Int64])

    /// The rows are in more zones than are named in a statement.
    case many

    /// How many zones are named in a statement, and gone through for each row.
    static let mostNamed = 32

    /// The zones that a query looks in; `nil` if there is no such zone.
    init?(of plan: QueryPlan, in zones: ZoneTable) {
        if let zoneID = plan.zoneID {
            guard let id = zones[zoneID] else { return nil }
            self = .one(zoneID, id: id)
        } else if zones.lastID == Layout.defaultZone {
            self = .one(.default, id: Layout.defaultZone)
        } else {
            self = zones.count <= Self.mostNamed ? .several(zones.ranking) : .many
        }
    }
}
