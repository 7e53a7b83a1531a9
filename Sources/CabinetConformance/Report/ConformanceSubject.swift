public import Cabinet
public import Foundation

/// What rules are run on: how to make a store that has no record yet, as often as needed.
public struct ConformanceSubject: Sendable {
    private let open: @Sendable (_ store: String) async throws -> any StorageBackend
    private let remove: @Sendable (_ store: String) async throws -> Void
    private let outlivesClosing: Bool
    private let hasFiles: Bool
    /// Performs a task on a store in a second process.
    var helper: (@Sendable (_ store: String, _ task: String) async throws -> String)?

    private init(
        outlivesClosing: Bool, hasFiles: Bool = false,
        _ open: @escaping @Sendable (String) async throws -> any StorageBackend,
        _ remove: @escaping @Sendable (String) async throws -> Void
    ) {
        self.outlivesClosing = outlivesClosing
        self.hasFiles = hasFiles
        self.open = open
        self.remove = remove
    }

    /// Backends that have stores with names.
    ///
    /// - Parameters:
    ///   - open: Opens the store of a name, and makes it if there is none. A rule about what a store keeps opens it twice, one after
    ///     the other.
    ///   - remove: Removes the store of a name, which is closed.
    public static func named(
        opening open: @escaping @Sendable (_ store: String) async throws -> any StorageBackend,
        removing remove: @escaping @Sendable (_ store: String) async throws -> Void
    ) -> ConformanceSubject {
        ConformanceSubject(outlivesClosing: true, open, remove)
    }

    /// Backends that keep everything in a directory.
    ///
    /// - Parameter open: Opens the store in a directory, which is a new one for each rule, and removed afterwards.
    public static func inDirectories(
        _ open: @escaping @Sendable (_ directory: URL) async throws -> any StorageBackend
    ) -> ConformanceSubject {
        @Sendable func directory(_ store: String) -> URL {
            FileManager.default.temporaryDirectory.appendingPathComponent(store, isDirectory: true)
        }
        return ConformanceSubject(outlivesClosing: true, hasFiles: true) { store in
            try FileAccess.owner.createDirectory(atPath: directory(store).path)
            return try await open(directory(store))
        } _: { store in
            try await remove(directory(store))
        }
    }

    /// Removes a directory, in which somebody may still be tidying up.
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

    /// Backends that keep nothing beyond their life; rules about what a store keeps do not apply to them.
    ///
    /// - Parameter make: Makes a backend without any record.
    public static func inMemory(
        _ make: @escaping @Sendable () async throws -> any StorageBackend
    ) -> ConformanceSubject {
        ConformanceSubject(outlivesClosing: false) { _ in
            try await make()
        } _: { _ in
        }
    }

    /// Whether a rule can be run on it.
    func isSubject(to rule: ConformanceRule) -> Bool {
        (outlivesClosing || !rule.needsReopening) && (helper != nil || !rule.needsHelper)
            && (hasFiles || !rule.needsFiles)
    }

    /// Performs a helper's task in this process.
    func perform(_ task: HelperTask, inStore store: String) async throws -> HelperTask.Outcome {
        try await task.perform { try await open(store) }
    }

    /// The subject with this program as its helper, unless it has a helper or its stores end with their process.
    func withOwnHelper() -> ConformanceSubject {
        #if os(macOS) || os(Linux) || os(Windows)
        if helper == nil, outlivesClosing, let executable = Bundle.main.executableURL { return withHelper(executable) }
        #endif
        return self
    }

    /// Calls a closure with what opens a new store, what opens it again, and the helper; the store is removed afterwards.
    func withStore<Result>(
        _ body: (
            _ open: @escaping @Sendable () async throws -> any StorageBackend,
            _ reopen: (@Sendable () async throws -> any StorageBackend)?,
            _ helper: HelperTask.Run?
        ) async throws -> Result
    ) async throws -> Result {
        let store = "cabinet-\(UUID().uuidString.lowercased())"
        let open: @Sendable () async throws -> any StorageBackend = { [open] in try await open(store) }
        let result: Result
        do {
            let helper = helper.map { helper -> HelperTask.Run in { try await helper(store, $0) } }
            result = try await body(open, outlivesClosing ? open : nil, helper)
        } catch {
            // What was found matters more than what is left over.
            try? await remove(store)
            throw error
        }
        try await remove(store)
        return result
    }
}

extension ConformanceRule {
    /// Finds out whether a backend keeps the law, in a store of its own, which is removed afterwards.
    ///
    /// - Parameters:
    ///   - subject: What to run the rule on.
    ///   - timeLimit: How long the rule may take. A rule that takes longer fails, and is left behind.
    /// - Throws: ``ConformanceFailure`` if the law does not hold, and what the subject throws.
    public func run(on subject: ConformanceSubject, timeLimit: Duration = .seconds(60)) async throws {
        _ = try await runIfApplicable(on: subject, timeLimit: timeLimit)
    }

    /// Finds out whether a backend keeps the law.
    ///
    /// - Returns: Whether the rule applies to the subject.
    func runIfApplicable(on subject: ConformanceSubject, timeLimit: Duration) async throws -> Bool {
        guard subject.isSubject(to: self) else { return false }
        return try await subject.withStore { open, reopen, helper in
            try await run(reopening: reopen, helper: helper, timeLimit: timeLimit, open)
        }
    }
}
