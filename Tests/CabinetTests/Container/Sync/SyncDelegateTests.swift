import Foundation
import Synchronization
import Testing

@testable import Cabinet

/// Requests to an engine from its delegate.
@Suite("Requests of a sync engine's delegate", .timeLimit(.minutes(15)))
struct SyncDelegateTests {
    private final class Flag: Sendable {
        private let state = Mutex(false)

        var isSet: Bool { state.withLock(\.self) }

        func set() { state.withLock { $0 = true } }
    }

    private func engine(_ delegate: any SyncEngineDelegate) throws -> SyncEngine {
        let container = try Container(identifier: "com.example.sync", backend: MemoryBackend())
        return SyncEngine(
            .init(
                database: container.privateDatabase, stateSerialization: nil, delegate: delegate,
                automaticallySync: false))
    }

    @Test("A task that a delegate starts sends when the delegate has returned", arguments: [true, false])
    func startedTask(delegateReturnsFirst: Bool) async throws {
        let tasks = Mutex<[Task<Void, any Error>]>([])
        let hasReturned = Flag()
        let delegate = EventHandler { event, engine in
            guard case .didFetchChanges = event else { return }
            let task = Task {
                while delegateReturnsFirst, !hasReturned.isSet { await Task.yield() }
                try await engine.sendChanges()
            }
            tasks.withLock { $0.append(task) }
            // The task has asked for the send before the delegate returns.
            if !delegateReturnsFirst { try? await Task.sleep(for: .milliseconds(100)) }
        }
        try await engine(delegate).fetchChanges()
        hasReturned.set()
        let started = tasks.withLock { $0 }
        #expect(started.count == 1)
        for task in started { try await task.value }
        #expect(delegate.events.withLock { $0.suffix(1) } == ["didSendChanges"])
    }

    @Test("A delegate that awaits a send is refused, in its own task and in a child of it")
    func awaitedTask() async throws {
        let codes = Mutex<[CabinetError.Code]>([])
        let delegate = EventHandler { event, engine in
            guard case .didFetchChanges = event else { return }
            do {
                try await engine.sendChanges()
            } catch {
                codes.withLock { $0.append((error as? CabinetError)?.code ?? .internalError) }
            }
            async let send: Void = engine.sendChanges()
            do {
                try await send
            } catch {
                codes.withLock { $0.append((error as? CabinetError)?.code ?? .internalError) }
            }
        }
        try await engine(delegate).fetchChanges()
        #expect(codes.withLock { $0 } == [.invalidArguments, .invalidArguments])
    }

    @Test("A delegate that awaits an engine whose delegate awaits its own is refused")
    func mutualWait() async throws {
        let codes = Mutex<[CabinetError.Code]>([])
        let first = Mutex<SyncEngine?>(nil)
        let inner = EventHandler { event, _ in
            guard case .willSendChanges = event else { return }
            do {
                try await first.withLock { $0 }?.fetchChanges()
            } catch {
                codes.withLock { $0.append((error as? CabinetError)?.code ?? .internalError) }
            }
        }
        let second = try engine(inner)
        let outer = EventHandler { event, _ in
            guard case .didFetchChanges = event else { return }
            try? await second.sendChanges()
        }
        let engine = try engine(outer)
        first.withLock { $0 = engine }
        try await engine.fetchChanges()
        #expect(codes.withLock { $0 } == [.invalidArguments])
        #expect(inner.events.withLock { $0.suffix(1) } == ["didSendChanges"])
        #expect(outer.events.withLock { !$0.isEmpty })
    }

    @Test("A delegate that cancels does not wait for itself, and the engine can go on")
    func cancellation() async throws {
        let delegate = EventHandler { event, engine in
            guard case .willFetchChanges = event else { return }
            await engine.cancelOperations()
        }
        let engine = try engine(delegate)
        await #expect {
            try await engine.fetchChanges()
        } throws: {
            CabinetError.Code.operationCancelled ~= $0
        }
        try await engine.sendChanges()
        #expect(delegate.events.withLock { $0.suffix(1) } == ["didSendChanges"])
    }

    @Test("A cancelled fetch that waits for a send does not wait for its end")
    func cancelledWait() async throws {
        let wasCancelled = Flag()
        let delegate = EventHandler { event, engine in
            guard case .willSendChanges = event else { return }
            // The task has no delegate call, as that of a program.
            let fetch = Task.detached { try await engine.fetchChanges() }
            fetch.cancel()
            if case .failure(CabinetError.Code.operationCancelled) = await fetch.result { wasCancelled.set() }
        }
        try await engine(delegate).sendChanges()
        #expect(wasCancelled.isSet)
        #expect(delegate.events.withLock { $0.suffix(1) } == ["didSendChanges"])
    }
}

/// A delegate that stores the names of the events, and passes them to a closure.
private final class EventHandler: SyncEngineDelegate {
    let events = Mutex<[String]>([])
    private let body: @Sendable (SyncEngine.Event, SyncEngine) async -> Void

    init(_ body: @escaping @Sendable (SyncEngine.Event, SyncEngine) async -> Void) { self.body = body }

    func handleEvent(_ event: SyncEngine.Event, syncEngine: SyncEngine) async {
        switch event {
        case .stateUpdate: break
        case .didSendChanges: events.withLock { $0.append("didSendChanges") }
        default: events.withLock { $0.append("another event") }
        }
        await body(event, syncEngine)
    }

    func nextRecordZoneChangeBatch(
        _ context: SyncEngine.SendChangesContext, syncEngine: SyncEngine
    ) async -> SyncEngine.RecordZoneChangeBatch? { nil }
}
