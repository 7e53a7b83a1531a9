/// A request for one page of the changed zones.
struct DatabaseChangesRequest: Sendable {
    var scope: DatabaseScope
    var since: FeedPosition?
    var resultsLimit: Int?
}
