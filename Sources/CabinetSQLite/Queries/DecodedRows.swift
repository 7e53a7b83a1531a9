import Cabinet

/// The records of a statement, decoded one at a time, so that only one is in memory.
final class DecodedRows: Sequence, IteratorProtocol {
    private let statement: Statement
    private let decoder: RowDecoder
    private let connection: Connection

    /// The error that ended the iteration early.
    private(set) var failure: (any Error)?

    init(_ statement: Statement, _ decoder: RowDecoder, _ connection: Connection) {
        self.statement = statement
        self.decoder = decoder
        self.connection = connection
    }

    func next() -> StoredRecord? {
        guard failure == nil else { return nil }
        do {
            return try statement.step() ? try decoder.decode(statement, on: connection) : nil
        } catch {
            failure = error
            return nil
        }
    }
}
