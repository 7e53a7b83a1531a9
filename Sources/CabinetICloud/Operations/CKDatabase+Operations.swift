import Cabinet
import CloudKit
import Foundation
import Synchronization

extension CKDatabase {
    /// Runs an operation, and cancels it with the task.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - setFinalBlock: Sets the operation's final block, which passes the result on.
    func run<Operation: CKDatabaseOperation, Output: Sendable>(
        _ operation: Operation,
        _ setFinalBlock: (Operation, @escaping @Sendable (Result<Output, any Error>) -> Void) -> Void
    ) async throws -> Output {
        try await CabinetICloud.run(operation, addedBy: add, setFinalBlock)
    }
}

extension CKContainer {
    /// Runs an operation, and cancels it with the task.
    ///
    /// Errors of single items are left to the operation's other blocks.
    func run<Operation: CKOperation>(
        _ operation: Operation,
        _ setFinalBlock: (Operation, @escaping @Sendable (Result<Void, any Error>) -> Void) -> Void
    ) async throws {
        do {
            try await CabinetICloud.run(operation, addedBy: add, setFinalBlock)
        } catch {
            // Failures of single items may be reported again as one of the operation.
            guard CabinetError(cloudKit: error).code == .partialFailure else { throw error }
        }
    }
}

/// Runs an operation, and returns what its final block receives.
private func run<Operation: CKOperation, Output: Sendable>(
    _ operation: Operation, addedBy add: (Operation) -> Void,
    _ setFinalBlock: (Operation, @escaping @Sendable (Result<Output, any Error>) -> Void) -> Void
) async throws -> Output {
    try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
            setFinalBlock(operation) { continuation.resume(with: $0) }
            // The default would let the system wait for a better moment.
            operation.qualityOfService = .userInitiated
            add(operation)
        }
    } onCancel: {
        operation.cancel()
    }
}

/// The items that the blocks of an operation have received, in their order.
final class Collector<Item: Sendable>: Sendable {
    private let state = Mutex<[Item]>([])

    var items: [Item] { state.withLock { $0 } }

    func append(_ item: Item) { state.withLock { $0.append(item) } }
}
