import Foundation
import Observation
import Testing

@testable import Cabinet

@Suite("Live items")
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

    @Test("A failure is reported, and ends the run")
    func failure() async throws {
        let live = boxes.live(where: { _ in .field("name") == .unstorable("x") })
        await live.run()
        #expect(live.error != nil && live.items.isEmpty)
    }
}
