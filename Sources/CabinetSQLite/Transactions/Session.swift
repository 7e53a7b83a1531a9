import Cabinet
import Synchronization

/// The use of a connection by one transaction: it ends with the transaction, whoever still holds the snapshot.
// Unchecked, and safe: the connection is reached only under the lock, and everything reached through it with it.
final class Session: @unchecked Sendable {
    private let lock = Mutex<Void>(())
    private var connection: Connection?
    private var failedChange: (any Error)?

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// Uses the connection, which nobody else uses meanwhile.
    func use<Output>(_ body: (Connection) throws -> Output) throws -> Output {
        try lock.withLock { _ in
            guard let connection else { throw Self.isOver }
            return try body(connection)
        }
    }

    /// Changes something.
    ///
    /// When that fails, half of it may be done: the transaction then cannot succeed any more.
    func change<Output>(_ body: (Connection) throws -> Output) throws -> Output {
        try lock.withLock { _ in
            guard let connection else { throw Self.isOver }
            if let failedChange { throw failedChange }
            do {
                return try body(connection)
            } catch {
                failedChange = error
                throw error
            }
        }
    }

    /// Ends the use of the connection.
    ///
    /// - Returns: What made the transaction fail, if something did.
    func end() -> (any Error)? {
        lock.withLock { _ in
            connection = nil
            return failedChange
        }
    }

    private static var isOver: CabinetError {
        CabinetError(
            .internalError, "The transaction is over. Use a snapshot or transaction only in the closure that got it.")
    }
}
