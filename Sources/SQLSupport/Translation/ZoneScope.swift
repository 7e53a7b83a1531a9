package import Cabinet

/// The zones of the rows of a query.
package enum ZoneScope {
    /// All rows are in one zone, which may be the only one of the database.
    case one(RecordZone.ID, id: Int64, isOnly: Bool)

    /// The rows are in zones with these numbers, in the order of the zones' names.
    case several([Int64])

    /// The rows are in more zones than a statement names.
    case many

    /// The greatest number of zones that a statement names, and compares with each row.
    package static let mostNamed = 32

    /// - Returns: `nil` if the plan's zone does not exist.
    package init?(of plan: QueryPlan, in zones: ZoneTable) {
        let isOnly = zones.lastID == ZoneTable.defaultZone
        if let zoneID = plan.zoneID {
            guard let id = zones[zoneID] else { return nil }
            self = .one(zoneID, id: id, isOnly: isOnly)
        } else if isOnly {
            self = .one(.default, id: ZoneTable.defaultZone, isOnly: true)
        } else {
            self = zones.count <= Self.mostNamed ? .several(zones.ranking) : .many
        }
    }
}
