public import Cabinet
import Foundation
import Synchronization

/// A backend that fails when it is told to, around one that works: to test what a program does then, without a network.
///
/// ```swift
/// let backend = FaultInjectingBackend()
/// let container = try Container(identifier: "com.example.notes", backend: backend)
/// backend.inject(.failure(.zoneBusy, retryAfter: 2), on: .write, at: 3)
/// ```
///
/// The third write from here on fails, and all others succeed. A request of a ``/Cabinet/Database`` is one call: saves and
/// deletions are one write, a fetch and each page of a query are one read. Faults can be injected and removed at any time, from
/// anywhere, also while calls are under way.
///
/// If several faults happen to one call, all delays are waited for, and the first of the others decides. Whatever is not
/// mentioned here goes to the other backend as it is: signals, files of assets, closing.
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

    /// Creates a backend that does what another one does until it is told to fail.
    ///
    /// - Parameters:
    ///   - base: The backend that works; by default a new one that keeps records in memory.
    ///   - seed: What decides where faults happen that have a ``FaultInjection/probability``. The same seed and the same
    ///     calls give the same faults.
    public init(_ base: any StorageBackend = MemoryBackend(), seed: UInt64 = 0) {
        self.base = base
        self.seed = seed
    }

    /// Lets the other backend read, unless a fault happens.
    public func read<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Result
    ) async throws -> Result {
        try await call(.read, database) { [base] fault, error in
            guard let error else { return try await base.read(database, body) }
            if case .connectionLostAfterCommit = fault { _ = try await base.read(database, body) }
            throw error
        }
    }

    /// Lets the other backend write, unless a fault happens.
    public func write<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        try await call(.write, database) { [base] fault, error in
            guard let error else { return try await base.write(database, body) }
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

    /// The abilities of the other backend; faults happen to uploads too.
    public var abilities: StorageAbilities {
        var abilities = base.abilities
        abilities.assets = abilities.assets.map { FaultInjectingAssets(base: $0, backend: self) }
        return abilities
    }

    /// Closes the other backend.
    public func close() async { await base.close() }

    /// Lets an ability of the other backend begin an upload, unless a fault happens, now or on the way.
    fileprivate func beginUpload(
        to database: DatabaseKey, of base: any AssetStorage
    ) async throws -> any AssetUpload {
        let upload = try await call(.upload, database) { fault, error in
            guard let error else { return try await base.beginUpload(to: database) }
            // The caller never learns of this upload, and cannot end it.
            if case .connectionLostAfterCommit = fault { try await base.beginUpload(to: database).end() }
            throw error
        }
        return FaultInjectingUpload(base: upload, backend: self, database: database)
    }

    /// Carries out one step of an upload, unless a fault happens.
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
    /// Lets a fault happen to calls that come after this one.
    ///
    /// - Parameters:
    ///   - fault: What happens.
    ///   - kind: The kind of calls that it happens to, or `nil` for all.
    ///   - database: The database whose calls it happens to, or `nil` for all.
    ///   - first: The number of the first call that it can happen to: 1 for the next call of the kind and the database.
    ///   - times: How often it happens, or `nil` for ever.
    ///   - probability: How probable it is that it happens to a call.
    /// - Returns: The injection, with which it can be removed.
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

    /// Lets a fault happen to calls that come after this one.
    ///
    /// - Parameter injection: The fault, and to which calls it happens; one that is in force already begins anew.
    public func inject(_ injection: FaultInjection) {
        state.withLock { [seed] state in
            state.injections.removeAll { $0.injection.id == injection.id }
            // Each has numbers of its own, so that what one does does not depend on the others.
            state.injections.append(InjectionState(injection, seed: seed &+ state.injectionCount &* 0x51_7CC1))
            state.injectionCount += 1
        }
    }

    /// The injections that can still happen, in the order in which they were made.
    public var injections: [FaultInjection] {
        state.withLock { $0.injections.map(\.injection) }
    }

    /// Lets a fault happen no more.
    public func remove(_ injection: FaultInjection) {
        state.withLock { state in state.injections.removeAll { $0.injection.id == injection.id } }
    }

    /// Lets no fault happen any more.
    public func removeAllInjections() {
        state.withLock { $0.injections = [] }
    }

    /// The calls so far, in the order in which they came.
    public var calls: [BackendCall] {
        state.withLock(\.calls)
    }

    /// Forgets the calls so far; the numbers of later ones go on.
    public func forgetCalls() {
        state.withLock { $0.calls = [] }
    }
}

extension FaultInjectingBackend {
    /// Notes a call, waits as long as it is delayed, and carries it out with the fault that happens to it.
    private func call<Result: Sendable>(
        _ kind: BackendCall.Kind, _ database: DatabaseKey,
        _ body: @Sendable (InjectedFault?, CabinetError?) async throws -> Result
    ) async throws -> Result {
        let call = begin(kind, database)
        do {
            for case .delay(let duration) in call.faults { try await Task.sleep(for: duration) }
            let failing = call.faults.lazy.compactMap { fault in
                fault.error(of: "\(kind.rawValue) in \(database)").map { (fault, $0) }
            }
            let result = try await body(failing.first?.0, failing.first?.1)
            end(call, .returned)
            return result
        } catch {
            end(call, .threw((error as? CabinetError)?.code))
            throw error
        }
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
            // Calls that end are among the last ones.
            guard let index = state.calls.lastIndex(where: { $0.number == call.number }) else { return }
            state.calls[index].outcome = outcome
        }
    }
}

/// The other backend's assets, whose uploads can fail.
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

/// An upload each of whose steps can fail.
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
