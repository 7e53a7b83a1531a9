import Cabinet

/// Which zones the rows of a query are in.
enum ZoneScope {
    /// All rows are in one zone, which may be the only one that there is.
    case one(RecordZone.ID, id: Int64, isOnly: Bool)

    /// The rows are in zones with these numbers, in the order of the zones' names.
    case several([Int64])

    /// The rows are in more zones than are named in a statement.
    case many

    /// How many zones are named in a statement, and gone through for each row.
    static let mostNamed = 32
}

extension Connection {
    /// The zones that a query looks in; `nil` if there is no such zone.
    func scope(of plan: QueryPlan) throws -> ZoneScope? {
        try refreshZones()
        let isOnly = zones.lastID == Layout.defaultZone
        if let zoneID = plan.zoneID {
            return zones[zoneID].map { .one(zoneID, id: $0, isOnly: isOnly) }
        }
        if isOnly { return .one(.default, id: Layout.defaultZone, isOnly: true) }
        return zones.count <= ZoneScope.mostNamed ? .several(zones.ranking) : .many
    }
}

extension FilterTranslator {
    /// The condition that a row is in the query's zone, written so that SQLite takes the index that serves the query
    /// best.
    ///
    /// SQLite knows no numbers of rows, and takes an index on the zone for as good as one on a field. Where a field's index
    /// serves the filter, a plus sign keeps it from the zone's. Elsewhere it is told that nearly all rows are in the zone:
    /// then it goes through the zone's index for its order alone.
    ///
    /// - Parameter isOrderedByID: Whether the query's records are wanted in the order of their IDs.
    mutating func zoneCondition(isOrderedByID: Bool) -> SQLCondition {
        guard case .one(_, let id, let isOnly) = scope else { return .always }
        if isOnly && !usesIDIndex && (!isOrderedByID || usesFieldIndex) { return .always }
        let isInZone = "\(terms.name).\"___zone\" = \(builder.parameter(.integer(id)))"
        if usesIDIndex { return .sql(isInZone) }
        return .sql(usesFieldIndex ? "+\(isInZone)" : "likelihood(\(isInZone), 0.9)")
    }
}
