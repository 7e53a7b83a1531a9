import Cabinet

/// The records that a statement finds, decoded when their turn comes, so that never more than one is in memory.
final class DecodedRows: Sequence, IteratorProtocol {
    private let statement: Statement
    private var decoder: RowDecoder
    private let connection: Connection

    /// Why the rows ended before the last one.
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
