/// A request for zones.
struct FetchZonesRequest: Sendable {
    var scope: DatabaseScope
    /// The zones' IDs, or `nil` for all zones.
    var zoneIDs: [RecordZone.ID]?
}
