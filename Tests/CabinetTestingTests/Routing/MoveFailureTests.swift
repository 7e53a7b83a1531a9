import Cabinet
import Foundation
import Synchronization
import Testing

@testable import CabinetTesting

/// Wherever a move is interrupted, the database has one home, and the move can be finished or undone.
@Suite("Interrupted moves")
struct MoveFailureTests {
    static let faults: [InjectedFault] = [
        .failure(.networkFailure), .connectionLostBeforeCommit(), .connectionLostAfterCommit(),
    ]

    @Test("A move can fail at every step", arguments: faults, [0, 1, 2])
    func everyStep(_ fault: InjectedFault, at place: Int) async throws {
        var step = 0
        var isInterrupted = true
        while isInterrupted {
            step += 1
            let stores = RoutedStores()
            try await CopySamples.fill(stores.process(), size: 300)
            let expected = try await StoreDump(stores.process(), RoutedStores.anna)
            stores.stores[place].inject(fault, at: step)
            do {
                _ = try await stores.process().move(RoutedStores.anna, to: "paris")
                isInterrupted = stores.stores[place].injections.isEmpty
            } catch {
                #expect((error as? CabinetError)?.code.isInjected == true, "step \(step): \(error)")
            }
            stores.forgetFaults()
            // Another process can read at any time.
            #expect(try await StoreDump(stores.process(), RoutedStores.anna) == expected, "step \(step)")
            let isUndone = step.isMultiple(of: 2)
            try await stores.process().move(RoutedStores.anna, to: isUndone ? "berlin" : "paris")
            let name = try await stores.process().home(of: RoutedStores.anna)?.name
            #expect(name == (isUndone ? "berlin" : "paris"))
            #expect(try await StoreDump(stores.process(), RoutedStores.anna) == expected, "step \(step)")
            try await RoutedStores.expectNothing(
                in: isUndone ? stores.paris : stores.berlin, "step \(step)")
            try await stores.process(patience: .zero).annas.save(Record("Items", "new"))
        }
        #expect(step > (place == 2 ? 3 : 10))
    }

    @Test("Moves fail and are made again while others write", arguments: [1, 2, 3])
    func againAndAgain(seed: UInt64) async throws {
        let stores = RoutedStores()
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            let movesEnded = Flag()
            for writer in 0..<4 {
                group.addTask {
                    let database = try stores.process().annas
                    var count = 0
                    while !movesEnded.isSet || count < 20 {
                        let record = Record("Items", "\(writer)-\(count)")
                        do {
                            try await database.overwrite(record)
                            count += 1
                        } catch let error as CabinetError where error.code.isInjected || error.code == .zoneBusy {}
                        await Task.yield()
                    }
                    return count
                }
            }
            var random = SeededGenerator(seed: seed)
            try await stores.process().annas.overwrite(Record("Items", "0-0"))
            for _ in 0..<30 {
                for store in stores.stores {
                    store.inject(
                        Self.faults.randomElement(using: &random) ?? .failure(.networkFailure), times: 2,
                        probability: 0.05)
                }
                _ = try? await stores.process().move(
                    RoutedStores.anna, to: Bool.random(using: &random) ? "berlin" : "paris")
            }
            stores.forgetFaults()
            // One that is under way is finished or undone.
            try await stores.process().move(
                RoutedStores.anna, to: stores.process().home(of: RoutedStores.anna)?.name ?? "")
            movesEnded.set()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(try await stores.process().annas.itemCount() == counts.reduce(0, +))
        let name = try await stores.process().home(of: RoutedStores.anna)?.name
        try await RoutedStores.expectNothing(in: name == "berlin" ? stores.paris : stores.berlin)
    }

    @Test("While a move hangs, writes are refused in time, and reads are not")
    func hanging() async throws {
        let stores = RoutedStores()
        let writer = try stores.process(patience: .milliseconds(20))
        try await writer.annas.save(Record("Items", "a"))
        // The first write notes the move, and the second one would end it.
        stores.directory.inject(.failure(.networkFailure), on: .write, at: 2)
        await #expect(throws: CabinetError.self) {
            try await stores.process().move(RoutedStores.anna, to: "paris")
        }
        await expectCode(.zoneBusy) { try await writer.annas.save(Record("Items", "b")) }
        #expect(try await writer.annas.itemCount() == 1)
        // It can be moved nowhere else before that is settled.
        try await writer.move(RoutedStores.anna, to: "berlin")
        try await writer.annas.save(Record("Items", "b"))
        #expect(try await stores.process().annas.itemCount() == 2)
        #expect(try await writer.home(of: RoutedStores.anna)?.name == "berlin")
    }
}

extension CabinetError.Code {
    fileprivate var isInjected: Bool { self == .networkFailure || self == .serverResponseLost }
}

/// What one task tells others.
private final class Flag: Sendable {
    private let state = Mutex(false)

    var isSet: Bool { state.withLock(\.self) }

    func set() { state.withLock { $0 = true } }
}
