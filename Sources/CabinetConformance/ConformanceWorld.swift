public import Cabinet
public import CabinetTesting
public import Foundation

/// The environment of a rule: an empty backend, containers on it, and a clock that stands still.
public struct ConformanceWorld: Sendable {
    /// The backend under test.
    public let backend: any StorageBackend

    /// The clock of the world's containers.
    public let clock: TestClock

    /// The instant by which a rule of variable length should end.
    let deadline: ContinuousClock.Instant

    /// The directory with the files of the store, if all of them are in one.
    let directory: URL?

    private let reopen: (@Sendable () async throws -> any StorageBackend)?
    private let helper: HelperTask.Run?
    /// A closure that each new container passes through.
    private let adapt: ContainerAdapter

    init(
        backend: any StorageBackend, clock: TestClock = TestClock(),
        deadline: ContinuousClock.Instant, reopen: (@Sendable () async throws -> any StorageBackend)?,
        helper: HelperTask.Run? = nil, directory: URL? = nil, adapt: @escaping ContainerAdapter = { $0 }
    ) {
        self.directory = directory
        self.backend = backend
        self.clock = clock
        self.deadline = deadline
        self.reopen = reopen
        self.helper = helper
        self.adapt = adapt
    }

    /// The default account of a rule.
    public static let account = Account(userRecordName: "_anna")

    /// Creates a container on the backend, as another device or another user.
    ///
    /// - Parameters:
    ///   - identifier: The container's identifier.
    ///   - account: The user, or `nil` for no account.
    ///   - schema: The schema mode of the container.
    ///   - limits: The size limits of requests.
    ///   - changeRetention: The retention of deletions and notifications.
    ///   - deviceID: The identifier that distinguishes the container from others of the same user.
    /// - Throws: The errors of the container's initializer.
    public func container(
        identifier: String = "com.example.conformance", account: Account? = Self.account,
        schema: SchemaMode = .growing, limits: Limits = .default, changeRetention: ChangeRetention = ChangeRetention(),
        deviceID: String = UUID().uuidString
    ) throws -> Container {
        try adapt(
            Container(
                identifier: identifier, backend: backend, account: account, schema: schema, limits: limits,
                changeRetention: changeRetention, deviceID: deviceID, now: clock.now))
    }

    /// Returns the private database of the account.
    ///
    /// - Throws: Nothing that ``container(identifier:account:schema:limits:changeRetention:deviceID:)`` does not throw.
    public func privateDatabase() throws -> Database {
        try container().privateDatabase
    }

    /// Closes the backend, reopens its store, and passes the new world to a closure.
    ///
    /// - Parameters:
    ///   - whileClosed: A closure to run between closing and reopening.
    ///   - body: A closure that receives the new world, whose backend is closed afterwards.
    public func reopened(
        whileClosed: () async throws -> Void = {}, _ body: (ConformanceWorld) async throws -> Void
    ) async throws {
        let reopen = try require(reopen, "A way to open the store again")
        await backend.close()
        try await whileClosed()
        try await with(try await reopen(), body)
    }

    /// Opens the store a second time while the backend is open.
    ///
    /// - Parameter body: A closure that receives the second backend, which is closed afterwards.
    /// - Returns: Whether the store could be opened; `false` if opening throws ``/Cabinet/CabinetError/Code/zoneBusy``.
    public func openedTwice(_ body: (ConformanceWorld) async throws -> Void) async throws -> Bool {
        let reopen = try require(reopen, "A way to open the store again")
        let second: any StorageBackend
        do {
            second = try await reopen()
        } catch CabinetError.Code.zoneBusy {
            return false
        }
        do {
            // A backend may open its store on first use.
            _ = try await second.read(.public) { try await $0.schema() }
        } catch CabinetError.Code.zoneBusy {
            await second.close()
            return false
        }
        try await with(second, body)
        return true
    }

    private func with(
        _ backend: any StorageBackend, _ body: (ConformanceWorld) async throws -> Void
    ) async throws {
        let world = ConformanceWorld(
            backend: backend, clock: clock, deadline: deadline, reopen: reopen, helper: helper,
            directory: directory, adapt: adapt)
        do {
            try await body(world)
        } catch {
            await backend.close()
            throw error
        }
        await backend.close()
    }

    /// Performs a task in a second process that opens the same store.
    func runHelper(_ task: HelperTask) async throws -> HelperTask.Outcome {
        let text = try await helperLines(task).joined(separator: " ")
        return try require(HelperTask.Outcome(rawValue: text), "The helper's outcome, which is '\(text)'")
    }

    /// Performs a task in a second process, and returns the lines that it printed: the calls that returned, and the outcome.
    func helperLines(_ task: HelperTask) async throws -> [String] {
        let helper = try require(helper, "A helper")
        return try await helper(task.description).split(separator: "\n").map(String.init)
    }

    /// The same world on a part of the backend.
    func part(_ name: String) -> ConformanceWorld { on(PartitionedBackend(base: backend, name: name)) }

    /// The same world on another backend, which is not opened again.
    func on(_ backend: any StorageBackend) -> ConformanceWorld {
        ConformanceWorld(backend: backend, clock: clock, deadline: deadline, reopen: nil, adapt: adapt)
    }

    /// The same world on a backend that indexes every field as soon as the field exists.
    func indexingEveryField() -> ConformanceWorld {
        let reopen = reopen.map { reopen -> @Sendable () async throws -> any StorageBackend in
            { IndexingBackend(base: try await reopen()) }
        }
        return ConformanceWorld(
            backend: IndexingBackend(base: backend), clock: clock, deadline: deadline, reopen: reopen, helper: helper,
            directory: directory, adapt: adapt)
    }
}

/// Changes how the containers of a rule send their requests.
typealias ContainerAdapter = @Sendable (Container) throws -> Container
