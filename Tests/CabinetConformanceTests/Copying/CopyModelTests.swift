import BackendTestSupport
import Cabinet
import CabinetTesting
import CabinetTools
import Foundation
import Synchronization
import Testing

@testable import CabinetConformance

/// Clients that do not know about the copy continue in it as before.
///
/// `make model ROUNDS=100` tries more seeds.
@Suite("The model moves")
struct CopyModelTests {
    private static let seeds: ClosedRange<UInt64> = {
        let rounds = ProcessInfo.processInfo.environment["CABINET_MODEL_ROUNDS"].flatMap(UInt64.init) ?? 1
        return 1...max(rounds, 1)
    }()

    @Test("The store agrees with the model, also after a move", arguments: seeds, CopyRoute.allCases)
    func moves(seed: UInt64, _ route: CopyRoute) async throws {
        // Each operation calls a server many times.
        let count = [route.source, route.target].contains(.postgres) ? 40 : 150
        try await route.with { source, target in
            let backend = MovingBackend(source)
            var random = RandomOperations(seed: seed)
            var run = try ModelRun(backend)
            let databases: [DatabaseKey] = [.public, .private(owner: "_anna"), .private(owner: "_ben")]
            let copies = databases.map { DatabaseCopy(of: $0, from: source, to: target) }
            for operation in random.operations(count) { try await run.step(operation) }
            for copy in copies { try await copy.catchUp() }
            for _ in 0..<5 {
                for operation in random.operations(15) { try await run.step(operation) }
                for copy in copies { try await copy.catchUp() }
            }
            for operation in random.operations(15) { try await run.step(operation) }
            for copy in copies { _ = try await copy.finish() }
            for database in databases {
                #expect(try await StoreDump(target, database) == StoreDump(source, database))
            }
            backend.move(to: target)
            // Another test covers expired tokens; here the copies of whole databases keep theirs.
            run.devices = ModelRun.devices
            for operation in random.operations(count) { try await run.step(operation) }
            try await run.finish()
        }
    }
}

/// A backend that is replaced by another one at some point.
final class MovingBackend: WrappingBackend {
    private let current: Mutex<any StorageBackend>

    init(_ backend: any StorageBackend) {
        current = Mutex(backend)
    }

    func move(to backend: any StorageBackend) {
        current.withLock { $0 = backend }
    }

    var base: any StorageBackend { current.withLock(\.self) }
}
