import Foundation
import Observation
import Testing

@testable import Cabinet

@Suite("Live items", .timeLimit(.minutes(15)))
@MainActor
struct LiveItemsTests {
    private let boxes: Table<Boxes>

    init() throws {
        let container = try Container(identifier: "com.example.live", backend: MemoryBackend())
        boxes = container.privateDatabase.table(Boxes.self)
    }

    @Test("A live result follows the changes, and reports each to an observer")
    func follows() async throws {
        let live = boxes.live(where: { $0.number > 1 }, by: \.name)
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
        func observe() {
            withObservationTracking {
                _ = live.items
            } onChange: {
                continuation.yield()
            }
        }
        observe()
        let task = Task { await live.run() }
        var iterator = changes.makeAsyncIterator()
        await iterator.next()
        await Task.yield()
        observe()
        try await boxes.save {
            $0.name = "box"
            $0.number = 2
        }
        await iterator.next()
        while live.items.isEmpty { await Task.yield() }
        #expect(live.items.map(\.name) == ["box"] && live.error == nil)
        task.cancel()
        await task.value
    }

    @Test("Differences are typed")
    func differences() async throws {
        let box = try await boxes.save { $0.name = "box" }
        var differences = boxes.observe(by: \.name).differences.makeAsyncIterator()
        let first = try #require(try await differences.next())
        #expect(first.inserted == [box] && first.items == [box])
        try await boxes.delete(box.id)
        let second = try #require(try await differences.next())
        #expect(second.deleted == [box.id] && second.items.isEmpty && second.updated.isEmpty && second.moved.isEmpty)
    }

    @Test("Differences have the changed and the moved items")
    func changedAndMoved() async throws {
        let saved = try await boxes.save(
            (0..<3).map { number in
                var box = boxes.make(named: "\(number)")
                (box.name, box.number) = ("box", number)
                return box
            })
        var differences = boxes.observe(by: \.number).differences.makeAsyncIterator()
        #expect(try await differences.next()?.inserted == saved)
        let first = try await boxes.update(saved[0].id) { $0.number = 7 }
        let difference = try #require(try await differences.next())
        #expect(difference.updated == [first] && difference.inserted.isEmpty)
        #expect(difference.items == [saved[1], saved[2], first] && difference.moved == [first.id])
    }

    @Test("A failure is reported to an observer, and ends the run; the next run begins without it")
    func failure() async throws {
        let container = try Container(identifier: "com.example.live-zone", backend: MemoryBackend())
        let zone = RecordZone(zoneName: "Attic")
        let live = container.privateDatabase.inZone(zone.zoneID).table(Boxes.self).live()
        let (failures, continuation) = AsyncStream.makeStream(of: Bool.self)
        withObservationTracking {
            _ = live.error
        } onChange: {
            continuation.yield(true)
        }
        await live.run()
        continuation.finish()
        #expect(live.error != nil && live.items.isEmpty)
        var iterator = failures.makeAsyncIterator()
        #expect(await iterator.next() == true)
        try await container.privateDatabase.save(zone)
        let task = Task { await live.run() }
        while live.error != nil { await Task.yield() }
        task.cancel()
        await task.value
        #expect(live.error == nil)
    }
}
