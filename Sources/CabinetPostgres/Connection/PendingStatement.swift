/// A statement that was sent and has not been answered.
struct PendingStatement {
    let statement: String
    /// Whether it is the end of statements that were pushed, instead of a statement.
    var isEnd = false
    /// The name that it prepares a statement under; `nil` unless it is a preparation.
    var prepares: String?
    /// The name of the prepared statement that it evicts, if it does.
    var evicts: String?
    var check: ((QueryResult) throws -> Void)?
}
