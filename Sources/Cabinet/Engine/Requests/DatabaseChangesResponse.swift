/// One page of the zones in which something has changed.
struct DatabaseChangesResponse: Sendable {
    var modifications: [DatabaseChange.Modification] = []
    var deletions: [DatabaseChange.Deletion] = []
    var place: FeedPosition
    var moreComing = false
}
