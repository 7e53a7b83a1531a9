public import Cabinet
public import Foundation

/// What a rule works with: a backend without any record, containers over it, and a clock that stands still.
public struct ConformanceWorld: Sendable {
    /// The backend that is looked at.
    public let backend: any StorageBackend

    /// The clock of the world's containers.
    public let clock: ConformanceClock

    /// When the rule should have come to its end, if it can choose.
    let deadline: ContinuousClock.Instant

    private let reopen: (@Sendable () async throws -> any StorageBackend)?

    init(
        backend: any StorageBackend, clock: ConformanceClock = ConformanceClock(),
        deadline: ContinuousClock.Instant, reopen: (@Sendable () async throws -> any StorageBackend)?
    ) {
        self.backend = backend
        self.clock = clock
        self.deadline = deadline
        self.reopen = reopen
    }

    /// The account that a rule works with unless it says otherwise.
    public static let account = Account(userRecordName: "_anna")

    /// Makes a container over the backend: another device, or another user.
    ///
    /// - Parameters:
    ///   - identifier: The container's identifier.
    ///   - account: The user, or `nil` for no account.
    ///   - limits: How large requests may be.
    ///   - changeRetention: How long deletions and notifications are remembered.
    ///   - deviceID: What tells the container from others of the same user.
    public func container(
        identifier: String = "com.example.conformance", account: Account? = Self.account, limits: Limits = .default,
        changeRetention: ChangeRetention = ChangeRetention(), deviceID: String = UUID().uuidString
    ) throws -> Container {
        try Container(
            identifier: identifier, backend: backend, account: account, limits: limits,
            changeRetention: changeRetention, deviceID: deviceID, now: clock.now)
    }

    /// The private database of the account.
    public func privateDatabase() throws -> Database {
        try container().privateDatabase
    }

    /// Closes the backend, opens its store again, and lets a closure look at what is there now.
    ///
    /// - Parameter body: What to do in the new world, whose backend is closed afterwards.
    public func reopened(_ body: (ConformanceWorld) async throws -> Void) async throws {
        let reopen = try require(reopen, "A way to open the store again")
        await backend.close()
        let world = ConformanceWorld(
            backend: try await reopen(), clock: clock, deadline: deadline, reopen: reopen)
        do {
            try await body(world)
        } catch {
            await world.backend.close()
            throw error
        }
        await world.backend.close()
    }
}

// Unchecked, and safe: the lock guards the date.
/// A clock that stands still until it is told to go on.
public final class ConformanceClock: @unchecked Sendable {
    private let lock = NSLock()
    private var date: Date

    /// Creates a clock.
    ///
    /// - Parameter date: What the clock shows; by default a moment in 2026 with a fraction that uses every bit of a
    ///   `Date`.
    public init(_ date: Date = Date(timeIntervalSinceReferenceDate: 790_000_000.123456789)) {
        self.date = date
    }

    /// What the clock shows.
    public func now() -> Date {
        lock.withLock { date }
    }

    /// Lets the clock go on.
    ///
    /// - Parameter seconds: How far.
    /// - Returns: What the clock shows then.
    @discardableResult
    public func advance(by seconds: TimeInterval = 1) -> Date {
        lock.withLock {
            date += seconds
            return date
        }
    }
}
