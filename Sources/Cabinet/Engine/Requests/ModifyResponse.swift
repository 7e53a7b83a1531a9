/// What became of each record of a ``ModifyRequest``.
struct ModifyResponse: Sendable {
    var saveResults: [RecordID: Result<Record, CabinetError>]
    var deleteResults: [RecordID: Result<Void, CabinetError>]
    /// A place from which no change is known, and deletions are of concern that were made after the request.
    var place: FeedPosition?
}
