package import Cabinet

/// The zones of a query's rows.
package enum ZoneScope {
    /// All rows are in one zone, which may be the only zone of the database.
    case one(RecordZone.ID, id: Int64, isOnly: Bool)

    /// The rows are in the zones with these numbers, in the order of the zones' names.
    case several([Int64])

    /// The rows are in more zones than a statement can list.
    case many

    /// The largest number of zones in a statement, which are compared with each row.
    package static let mostNamed = 32

    /// Creates the scope of a plan.
    ///
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
