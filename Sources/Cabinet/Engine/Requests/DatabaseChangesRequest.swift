/// Asks for one page of the zones in which something has changed.
struct DatabaseChangesRequest: Sendable {
    var scope: DatabaseScope
    var since: FeedPosition?
    var resultsLimit: Int?
}
