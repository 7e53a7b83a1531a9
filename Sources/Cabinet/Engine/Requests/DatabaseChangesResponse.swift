/// One page of the changed zones.
struct DatabaseChangesResponse: Sendable {
    var modifications: [DatabaseChange.Modification] = []
    var deletions: [DatabaseChange.Deletion] = []
    var place: FeedPosition
    var moreComing = false
}
