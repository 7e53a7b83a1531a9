import Foundation
import Observation
import Testing

@testable import Cabinet

@Suite("Live values of typed fields", .timeLimit(.minutes(15)))
@MainActor
struct LiveValueTests {
    private let boxes: Table<Boxes>

    init() throws {
        let container = try Container(identifier: "com.example.live", backend: MemoryBackend())
        boxes = container.privateDatabase.table(Boxes.self)
    }

    @Test("Typed counts, sums and groups follow their records")
    func typed() async throws {
        let shelf = try await boxes.database.table(Shelves.self).save { $0.name = "A" }
        let first = try await boxes.save {
            ($0.name, $0.number, $0.weight, $0.colour, $0.shelf) = ("a", 2, 0.5, .red, shelf.id)
        }
        var count = boxes.observeCount { $0.number > 1 }.makeAsyncIterator()
        var sum = boxes.observeSum(of: \.number).makeAsyncIterator()
        var average = boxes.observeAverage(of: \.weight) { $0.number > 1 }.makeAsyncIterator()
        var minimum = boxes.observeMinimum(of: \.colour).makeAsyncIterator()
        var maximum = boxes.observeMaximum(of: \.name).makeAsyncIterator()
        var counts = boxes.observeCounts(by: \.colour).makeAsyncIterator()
        var sums = boxes.observeSums(of: \.weight, by: \.shelf).makeAsyncIterator()
        var averages = boxes.observeAverages(of: \.weight, by: \.colour).makeAsyncIterator()
        var minima = boxes.observeMinima(of: \.name, by: \.number).makeAsyncIterator()
        var maxima = boxes.observeMaxima(of: \.number, by: \.colour) { $0.number > 0 }.makeAsyncIterator()
        var states = boxes.observe(by: \.name, limit: 1).makeAsyncIterator()
        #expect(try await count.next() == 1)
        #expect(try await sum.next() == 2)
        #expect(try await average.next() == .some(0.5))
        #expect(try await minimum.next() == .some(.red))
        #expect(try await maximum.next() == .some("a"))
        #expect(try await counts.next() == [.red: 1])
        #expect(try await sums.next() == [shelf.id: 0.5])
        #expect(try await averages.next() == [.red: 0.5])
        #expect(try await minima.next() == [2: "a"])
        #expect(try await maxima.next() == [.red: 2])
        #expect(try await states.next() == [first])
        try await boxes.save { ($0.name, $0.number, $0.weight, $0.colour) = ("b", 3, 1.5, .green) }
        #expect(try await count.next() == 2)
        #expect(try await sum.next() == 5)
        #expect(try await average.next() == .some(1))
        #expect(try await minimum.next() == .some(.green))
        #expect(try await maximum.next() == .some("b"))
        #expect(try await counts.next() == [.red: 1, .green: 1])
        #expect(try await sums.next() == [shelf.id: 0.5, nil: 1.5])
        #expect(try await averages.next() == [.red: 0.5, .green: 1.5])
        #expect(try await minima.next() == [2: "a", 3: "b"])
        #expect(try await maxima.next() == [.red: 2, .green: 3])
        try await boxes.delete(first.id)
        #expect(try await states.next()?.map(\.name) == ["b"])
        #expect(try await average.next() == .some(1.5))
    }

    @Test("A live value follows its aggregate, and reports each value to an observer")
    func follows() async throws {
        let live = LiveValue(boxes.observeCount())
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
        func observe() {
            withObservationTracking {
                _ = live.value
            } onChange: {
                continuation.yield()
            }
        }
        #expect(live.value == nil)
        observe()
        let task = Task { await live.run() }
        var iterator = changes.makeAsyncIterator()
        await iterator.next()
        await Task.yield()
        observe()
        try await boxes.save { $0.name = "box" }
        await iterator.next()
        while live.value != 1 { await Task.yield() }
        #expect(live.error == nil)
        task.cancel()
        await task.value
    }
}
