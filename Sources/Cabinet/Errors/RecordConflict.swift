/// The three records of a conflict: the client's, the server's, and their common ancestor.
///
/// A ``ConflictResolver`` merges them. <doc:Conflicts> shows when conflicts occur.
public struct RecordConflict: Sendable, Hashable {
    /// The record that the client tried to save.
    public let clientRecord: Record

    /// The record that the server has: the one to merge into and save, because only it has the valid change tag.
    public let serverRecord: Record

    /// The record as the client had fetched it, or `nil` if the client never fetched it.
    public let ancestorRecord: Record?

    /// Creates a conflict of three records, for a test of a resolver.
    public init(clientRecord: Record, serverRecord: Record, ancestorRecord: Record?) {
        self.clientRecord = clientRecord
        self.serverRecord = serverRecord
        self.ancestorRecord = ancestorRecord
    }
}
