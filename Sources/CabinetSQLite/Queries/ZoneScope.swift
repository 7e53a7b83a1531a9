import Cabinet

/// Which zones the rows of a query are in.
enum ZoneScope {
    /// All rows are in one zone.
    case one(RecordZone.ID, id: Int64)

    /// The rows are in zones with these numbers, in the order of the zones' names.
    case several([Int64])
}

extension Connection {
    /// The zones that a query looks in; `nil` if there is no such zone.
    func scope(of plan: QueryPlan) throws -> ZoneScope? {
        if let zoneID = plan.zoneID {
            return try number(of: zoneID).map { .one(zoneID, id: $0) }
        }
        try refreshZones()
        let ranking = zones.ranking
        return ranking.count == 1 ? .one(.default, id: Layout.defaultZone) : .several(ranking)
    }
}
