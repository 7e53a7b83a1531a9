public import Foundation
import Synchronization

/// A request that an operation queue runs: the base class of CloudKit's operations.
///
/// Blocks are called one after the other, on a queue of the operation; as in CloudKit, they need not be Sendable. An
/// operation that is cancelled calls its final block with ``CKError/Code/operationCancelled``.
// Unchecked, and safe as far as CloudKit's own is. The program sets the input and the blocks before it adds the operation, which
// publishes them to the task of the operation. After that they are only read, by that task and on the serial queue `callbacks`,
// which runs one block at a time. The state is behind a lock.
open class CKOperation: Operation, @unchecked Sendable {
    /// The identity of an operation.
    public typealias ID = String
    /// The settings of an operation.
    public typealias Configuration = CKOperationConfiguration

    /// The settings, which are accepted and ignored, but for ``CKOperationConfiguration/container``.
    ///
    /// An operation copies the settings that it is given.
    open var configuration: CKOperationConfiguration = CKOperationConfiguration() {
        didSet { configuration = CKOperationConfiguration(configuration) }
    }

    /// The group of the operation, which is accepted and ignored.
    open var group: CKOperationGroup? {
        didSet { IgnoredMember.warn("CKOperation.group", IgnoredMember.networkReason) }
    }

    /// The identity of the operation.
    public let operationID: ID = UUID().uuidString

    /// A block that is called when a long-lived operation was stored, which Cabinet does not do.
    open var longLivedOperationWasPersistedBlock: (() -> Void)? {
        didSet {
            IgnoredMember.warn("CKOperation.longLivedOperationWasPersistedBlock", "an operation ends with its program")
        }
    }

    /// The container of the operation, or `nil` for the default one.
    open var container: CKContainer? {
        get { configuration.container }
        set { configuration.container = newValue }
    }

    /// Whether the operation continues after the program ends, which is accepted and ignored.
    open var isLongLived: Bool {
        get { configuration.isLongLived }
        set { configuration.isLongLived = newValue }
    }

    /// Whether the operation may use a mobile network, which is accepted and ignored.
    open var allowsCellularAccess: Bool {
        get { configuration.allowsCellularAccess }
        set { configuration.allowsCellularAccess = newValue }
    }

    /// The longest wait for more data, in seconds, which is accepted and ignored.
    open var timeoutIntervalForRequest: TimeInterval {
        get { configuration.timeoutIntervalForRequest }
        set { configuration.timeoutIntervalForRequest = newValue }
    }

    /// The longest time of the request, in seconds, which is accepted and ignored.
    open var timeoutIntervalForResource: TimeInterval {
        get { configuration.timeoutIntervalForResource }
        set { configuration.timeoutIntervalForResource = newValue }
    }

    private struct State {
        var isExecuting = false
        var isFinished = false
        var task: Task<Void, Never>?
    }

    private let state = Mutex(State())
    private let callbacks = DispatchQueue(label: "CloudKit operation")

    /// Whether the operation runs apart from the thread that starts it: always.
    open override var isAsynchronous: Bool { true }

    /// Whether the operation has started and not finished.
    open override var isExecuting: Bool { state.withLock { $0.isExecuting } }

    /// Whether the operation has called its final block.
    open override var isFinished: Bool { state.withLock { $0.isFinished } }

    /// Starts the operation.
    ///
    /// A queue calls this method.
    open override func start() {
        change(\.isExecuting) { $0.isExecuting = true }
        main()
    }

    /// Does the work of the operation, for a subclass to override.
    ///
    /// A subclass calls this method of its superclass, which finishes the operation.
    open override func main() {
        let task = Task { [self] in
            do {
                if isCancelled { throw Self.cancelled }
                try await perform()
            } catch {
                await call { self.end(error) }
            }
            finish()
        }
        state.withLock { $0.task = task }
        if isCancelled { task.cancel() }
    }

    /// Cancels the operation.
    ///
    /// Changes that were committed stay.
    open override func cancel() {
        super.cancel()
        state.withLock { $0.task }?.cancel()
    }

    private func finish() {
        change(\.isExecuting) { $0.isExecuting = false }
        change(\.isFinished) {
            $0.isFinished = true
            $0.task = nil
        }
    }

    private func change(_ keyPath: KeyPath<Operation, Bool>, _ body: (inout State) -> Void) {
        willChangeValue(for: keyPath)
        state.withLock { body(&$0) }
        didChangeValue(for: keyPath)
    }

    static let cancelled = CKError(.operationCancelled, "The operation was cancelled.")

    /// Runs the request, and calls all blocks, but not the final ones if it throws.
    func perform() async throws {}

    /// Calls the final blocks with an error of the whole request.
    func end(_ error: any Error) {}

    /// Runs a closure with calls of the program's blocks on the operation's queue.
    func call(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            callbacks.async {
                body()
                continuation.resume()
            }
        }
    }
}

/// An operation of a database: the base class of most operations.
// Unchecked, and safe as its base class is.
open class CKDatabaseOperation: CKOperation, @unchecked Sendable {
    /// The database of the operation, or `nil` for the private database of the container.
    open var database: CKDatabase?

    var target: CKDatabase { database ?? (container ?? CKContainer.default()).privateCloudDatabase }
}

extension Sequence {
    /// Calls a block with the result of each item.
    ///
    /// - Returns: The items that succeeded. The errors of the others are added to `errors`.
    func report<ID: Hashable, Item>(
        to block: ((ID, Result<Item, any Error>) -> Void)?, _ errors: inout [AnyHashable: any Error]
    ) -> [(ID, Item)] where Element == (ID, Result<Item, any Error>) {
        var items: [(ID, Item)] = []
        for (id, result) in self {
            switch result {
            case .success(let item): items.append((id, item))
            case .failure(let error): errors[id] = error
            }
            block?(id, result)
        }
        return items
    }
}
