public import Cabinet
import Foundation
import Synchronization

/// A backend that injects faults into another one, to test how a program handles them without a network.
///
/// ```swift
/// let backend = FaultInjectingBackend()
/// let container = try Container(
///     identifier: "com.example.notes", backend: backend)
/// backend.inject(.failure(.zoneBusy, retryAfter: 2), on: .write, at: 3)
/// ```
///
/// From here on, the third write fails, and all others succeed. A request of a ``/Cabinet/Database`` is one call: a
/// batch of saves and deletions is one write, and a fetch or a page of a query is one read. Faults can be injected and
/// removed at any time, from any task, even while calls are running.
///
/// <doc:TestingWhatGoesWrong> has tests with each kind of fault.
///
/// If several faults happen to one call, all delays elapse, and the first of the other faults decides. Everything else
/// is forwarded to the other backend unchanged: signals, files of assets, closing. In a program of a ``SeededExecutor``,
/// other tasks may continue before, during and after each call.
public final class FaultInjectingBackend: StorageBackend {
    private struct State {
        var injections: [InjectionState] = []
        var calls: [BackendCall] = []
        var callCount = 0
        var injectionCount: UInt64 = 0
    }

    private let base: any StorageBackend
    private let seed: UInt64
    private let state = Mutex(State())

    /// Creates a backend that forwards every call to another one until a fault is injected.
    ///
    /// - Parameters:
    ///   - base: The other backend. The default is a new ``/Cabinet/MemoryBackend``.
    ///   - seed: The seed that determines which calls a fault with a ``FaultInjection/probability`` happens to. The
    ///     same seed and the same calls produce the same faults.
    public init(_ base: any StorageBackend = MemoryBackend(), seed: UInt64 = 0) {
        self.base = base
        self.seed = seed
    }

    /// Forwards a read to the other backend, unless a fault happens.
    ///
    /// - Throws: The error of the fault, or those of the other backend.
    public func read<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Result
    ) async throws -> Result {
        try await call(.read, database) { [base] fault, error in
            guard let error else { return try await base.read(database, body) }
            if case .connectionLostAfterCommit = fault { _ = try await base.read(database, body) }
            throw error
        }
    }

    /// Forwards a write to the other backend, unless a fault happens.
    ///
    /// - Throws: The error of the fault, or those of the other backend.
    public func write<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        try await call(.write, database) { [base] fault, error in
            guard let error else {
                return try await base.write(database) { transaction in
                    // While it holds the lock, others may read and wait.
                    await SeededExecutor.pause()
                    return try await body(transaction)
                }
            }
            switch fault {
            case .connectionLostAfterCommit: _ = try await base.write(database, body)
            case .connectionLostBeforeCommit:
                _ = try await base.write(database) { transaction -> Result in
                    _ = try await body(transaction)
                    throw error
                }
            case .failure, .delay, nil: break
            }
            throw error
        }
    }

    /// The abilities of the other backend, with faults in uploads.
    public var abilities: StorageAbilities {
        var abilities = base.abilities
        abilities.assets = abilities.assets.map { FaultInjectingAssets(base: $0, backend: self) }
        return abilities
    }

    /// Closes the other backend.
    public func close() async { await base.close() }

    /// Begins an upload in the other backend, unless a fault happens, before or after the call.
    fileprivate func beginUpload(
        to database: DatabaseKey, of base: any AssetStorage
    ) async throws -> any AssetUpload {
        let upload = try await call(.upload, database) { fault, error in
            guard let error else { return try await base.beginUpload(to: database) }
            // The caller never receives this upload, and cannot end it.
            if case .connectionLostAfterCommit = fault { try await base.beginUpload(to: database).end() }
            throw error
        }
        return FaultInjectingUpload(base: upload, backend: self, database: database)
    }

    /// Performs one step of an upload, unless a fault happens.
    fileprivate func upload<Result: Sendable>(
        to database: DatabaseKey, _ step: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await call(.upload, database) { fault, error in
            guard let error else { return try await step() }
            if case .connectionLostAfterCommit = fault { _ = try await step() }
            throw error
        }
    }
}

extension FaultInjectingBackend {
    /// Injects a fault into later calls.
    ///
    /// - Parameters:
    ///   - fault: The fault.
    ///   - kind: The kind of calls to affect, or `nil` for all.
    ///   - database: The database whose calls to affect, or `nil` for all.
    ///   - first: The number of the first call to affect: 1 for the next call of the kind and the database.
    ///   - times: The maximum number of affected calls, or `nil` for no maximum.
    ///   - probability: The probability that a call is affected.
    /// - Returns: The injection, which can be passed to ``remove(_:)``.
    @discardableResult
    public func inject(
        _ fault: InjectedFault, on kind: BackendCall.Kind? = nil, of database: DatabaseKey? = nil, at first: Int = 1,
        times: Int? = 1, probability: Double = 1
    ) -> FaultInjection {
        let injection = FaultInjection(
            fault, on: kind, of: database, at: first, times: times, probability: probability)
        inject(injection)
        return injection
    }

    /// Injects a fault into later calls.
    ///
    /// - Parameter injection: The fault, and the calls to affect. An active injection restarts.
    public func inject(_ injection: FaultInjection) {
        state.withLock { [seed] state in
            state.injections.removeAll { $0.injection.id == injection.id }
            // Each injection has random numbers of its own, so that injections do not affect each other.
            state.injections.append(InjectionState(injection, seed: seed &+ state.injectionCount &* 0x51_7CC1))
            state.injectionCount += 1
        }
    }

    /// The injections that can still happen, in the order of their creation.
    public var injections: [FaultInjection] {
        state.withLock { $0.injections.map(\.injection) }
    }

    /// Removes an injection.
    public func remove(_ injection: FaultInjection) {
        state.withLock { state in state.injections.removeAll { $0.injection.id == injection.id } }
    }

    /// Removes all injections.
    public func removeAllInjections() {
        state.withLock { $0.injections = [] }
    }

    /// The calls so far, in the order of their arrival.
    public var calls: [BackendCall] {
        state.withLock(\.calls)
    }

    /// Removes the recorded calls.
    ///
    /// The numbers of later calls continue.
    public func forgetCalls() {
        state.withLock { $0.calls = [] }
    }
}

extension FaultInjectingBackend {
    /// Records a call, waits for its delays, and performs it with the fault that happens to it.
    private func call<Result: Sendable>(
        _ kind: BackendCall.Kind, _ database: DatabaseKey,
        _ body: @Sendable (InjectedFault?, CabinetError?) async throws -> Result
    ) async throws -> Result {
        await SeededExecutor.pause()
        let call = begin(kind, database)
        do {
            for case .delay(let duration) in call.faults { try await wait(for: duration) }
            let failing = call.faults.lazy.compactMap { fault in
                fault.error(of: "\(kind.rawValue) in \(database)").map { (fault, $0) }
            }
            let result = try await body(failing.first?.0, failing.first?.1)
            end(call, .returned)
            await SeededExecutor.pause()
            return result
        } catch {
            end(call, .threw((error as? CabinetError)?.code))
            throw error
        }
    }

    /// Waits; in a program of a ``SeededExecutor``, for some jobs of others, because there is no time.
    private func wait(for duration: Duration) async throws {
        guard SeededExecutor.current != nil else { return try await Task.sleep(for: duration) }
        for _ in 0..<8 { await SeededExecutor.pause() }
        try Task.checkCancellation()
    }

    private func begin(_ kind: BackendCall.Kind, _ database: DatabaseKey) -> BackendCall {
        state.withLock { state in
            var faults: [InjectedFault] = []
            for index in state.injections.indices where state.injections[index].happens(to: kind, of: database) {
                faults.append(state.injections[index].injection.fault)
            }
            state.injections.removeAll(where: \.isSpent)
            state.callCount += 1
            let call = BackendCall(number: state.callCount, kind: kind, database: database, faults: faults)
            state.calls.append(call)
            return call
        }
    }

    private func end(_ call: BackendCall, _ outcome: BackendCall.Outcome) {
        state.withLock { state in
            // Running calls are among the last ones.
            guard let index = state.calls.lastIndex(where: { $0.number == call.number }) else { return }
            state.calls[index].outcome = outcome
        }
    }
}

/// The other backend's assets, with uploads that can fail.
private struct FaultInjectingAssets: AssetStorage {
    let base: any AssetStorage
    let backend: FaultInjectingBackend

    func beginUpload(to database: DatabaseKey) async throws -> any AssetUpload {
        try await backend.beginUpload(to: database, of: base)
    }

    func files(of assets: [StoredAsset], in database: DatabaseKey) async throws -> [URL?]? {
        try await base.files(of: assets, in: database)
    }

    func removeAbandonedAssets(from database: DatabaseKey) async throws -> Int {
        try await base.removeAbandonedAssets(from: database)
    }
}

/// An upload with steps that can fail.
private struct FaultInjectingUpload: AssetUpload {
    let base: any AssetUpload
    let backend: FaultInjectingBackend
    let database: DatabaseKey

    var id: UUID { base.id }

    func clone(_ file: URL) async throws -> URL? {
        try await backend.upload(to: database) { [base] in try await base.clone(file) }
    }

    func append(_ bytes: Data) async throws {
        try await backend.upload(to: database) { [base] in try await base.append(bytes) }
    }

    func finish() async throws {
        try await backend.upload(to: database) { [base] in try await base.finish() }
    }

    func end() async { await base.end() }
}
