import Foundation

/// A value that the first caller creates, while callers on other threads wait.
///
/// A program's closure creates it, and may use other containers: no lock of other values is held.
// Unchecked, and safe: the lock guards both variables.
final class OpenOnce<Value: Sendable>: @unchecked Sendable {
    private let lock = NSRecursiveLock()
    private var value: Value?
    private var isOpening = false

    /// Creates a value that exists already, or that a closure will create.
    init(_ value: Value? = nil) { self.value = value }

    /// Returns the value, and creates it with a closure if there is none.
    ///
    /// After an error, the next caller tries again.
    ///
    /// - Throws: The errors of the closure; ``CKError/Code/badContainer`` if the closure needs the value that it creates.
    func value(_ open: () throws -> Value) throws -> Value {
        lock.lock()
        defer { lock.unlock() }
        if let value { return value }
        if isOpening {
            throw CKError(.badContainer, "The closure that opens the store of a container uses that container.")
        }
        isOpening = true
        defer { isOpening = false }
        let opened = try open()
        value = opened
        return opened
    }
}
