/// The result of each record of a ``ModifyRequest``.
struct ModifyResponse: Sendable {
    var saveResults: [RecordID: Result<Record, CabinetError>]
    var deleteResults: [RecordID: Result<Void, CabinetError>]
    /// A position before all changes that skips the deletions made before the request.
    var place: FeedPosition?
}
