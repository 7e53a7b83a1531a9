public import Cabinet
public import Foundation

/// The subject of rules: a factory of stores, each of them empty.
public struct ConformanceSubject: Sendable {
    private let open: @Sendable (_ store: String) async throws -> any StorageBackend
    private let remove: @Sendable (_ store: String) async throws -> Void
    private let outlivesClosing: Bool
    /// The directory of a store, if all its files are in one.
    private var directory: (@Sendable (_ store: String) -> URL)?
    /// Performs a task on a store in a second process.
    var helper: (@Sendable (_ store: String, _ task: String) async throws -> String)?

    private init(
        outlivesClosing: Bool,
        _ open: @escaping @Sendable (String) async throws -> any StorageBackend,
        _ remove: @escaping @Sendable (String) async throws -> Void
    ) {
        self.outlivesClosing = outlivesClosing
        self.open = open
        self.remove = remove
    }

    /// Returns a subject for backends whose stores have names.
    ///
    /// - Parameters:
    ///   - open: Opens the store with a name, and creates it if it does not exist. A rule about durable state opens it
    ///     twice, one after the other.
    ///   - remove: Removes the store with a name, which is closed.
    public static func named(
        opening open: @escaping @Sendable (_ store: String) async throws -> any StorageBackend,
        removing remove: @escaping @Sendable (_ store: String) async throws -> Void
    ) -> ConformanceSubject {
        ConformanceSubject(outlivesClosing: true, open, remove)
    }

    /// Returns a subject for backends that keep everything in a directory.
    ///
    /// - Parameter open: Opens the store in a directory. Each rule gets a new directory, which is removed afterwards.
    public static func inDirectories(
        _ open: @escaping @Sendable (_ directory: URL) async throws -> any StorageBackend
    ) -> ConformanceSubject {
        @Sendable func directory(_ store: String) -> URL {
            FileManager.default.temporaryDirectory.appendingPathComponent(store, isDirectory: true)
        }
        var subject = ConformanceSubject(outlivesClosing: true) { store in
            try FileAccess.owner.createDirectory(atPath: directory(store).path)
            return try await open(directory(store))
        } _: { store in
            try await remove(directory(store))
        }
        subject.directory = directory
        return subject
    }

    /// Removes a directory that another process may still be cleaning up.
    private static func remove(_ directory: URL) async throws {
        for remaining in (0..<20).reversed() {
            do {
                return try FileManager.default.removeItem(at: directory)
            } catch {
                if !FileManager.default.fileExists(atPath: directory.path) { return }
                if remaining == 0 { throw error }
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Returns a subject for backends that keep records only while they live; rules about durable state do not apply to them.
    ///
    /// - Parameter make: Creates an empty backend.
    public static func inMemory(
        _ make: @escaping @Sendable () async throws -> any StorageBackend
    ) -> ConformanceSubject {
        ConformanceSubject(outlivesClosing: false) { _ in
            try await make()
        } _: { _ in
        }
    }

    /// Whether a rule can run on the subject.
    func isSubject(to rule: ConformanceRule) -> Bool {
        (outlivesClosing || !rule.needsReopening) && (helper != nil || !rule.needsHelper)
            && (directory != nil || !rule.needsFiles)
    }

    /// Performs a helper's task in this process.
    func perform(
        _ task: HelperTask, inStore store: String, reporting report: (Int) -> Void
    ) async throws -> HelperTask.Outcome {
        try await task.perform(reporting: report) { try await open(store) }
    }

    /// The subject with this program as its helper.
    ///
    /// A subject that has a helper, or whose stores end with their process, is returned unchanged.
    func withOwnHelper() -> ConformanceSubject {
        #if os(macOS) || os(Linux) || os(Windows)
        if helper == nil, outlivesClosing, let executable = Bundle.main.executableURL { return withHelper(executable) }
        #endif
        return self
    }

    /// Calls a closure with functions that create and reopen a store, with the helper, and with the store's directory.
    ///
    /// The store is removed afterwards.
    func withStore<Result>(
        _ body: (
            _ open: @escaping @Sendable () async throws -> any StorageBackend,
            _ reopen: (@Sendable () async throws -> any StorageBackend)?,
            _ helper: HelperTask.Run?, _ directory: URL?
        ) async throws -> Result
    ) async throws -> Result {
        let store = "cabinet-\(UUID().uuidString.lowercased())"
        let open: @Sendable () async throws -> any StorageBackend = { [open] in try await open(store) }
        let result: Result
        do {
            let helper = helper.map { helper -> HelperTask.Run in { try await helper(store, $0) } }
            result = try await body(open, outlivesClosing ? open : nil, helper, directory?(store))
        } catch {
            // The result of the body takes precedence over an error of the removal.
            try? await remove(store)
            throw error
        }
        try await remove(store)
        return result
    }
}

extension ConformanceRule {
    /// Checks whether a backend obeys the law, in a store of its own, which is removed afterwards.
    ///
    /// - Parameters:
    ///   - subject: The stores to run the rule on.
    ///   - timeLimit: The longest time that the rule may take. A rule that exceeds it fails and is abandoned.
    /// - Throws: ``ConformanceFailure`` if the law does not hold, and errors that the subject throws.
    public func run(on subject: ConformanceSubject, timeLimit: Duration = .seconds(180)) async throws {
        _ = try await runIfApplicable(on: subject, timeLimit: timeLimit)
    }

    /// Checks whether a backend obeys the law.
    ///
    /// - Returns: Whether the rule applies to the subject.
    func runIfApplicable(
        on subject: ConformanceSubject, timeLimit: Duration, adapt: @escaping ContainerAdapter = { $0 }
    ) async throws -> Bool {
        guard subject.isSubject(to: self) else { return false }
        return try await subject.withStore { open, reopen, helper, directory in
            try await run(
                reopening: reopen, helper: helper, directory: directory, timeLimit: timeLimit, adapt: adapt, open)
        }
    }
}
