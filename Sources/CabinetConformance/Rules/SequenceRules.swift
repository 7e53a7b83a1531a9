import Cabinet
import Foundation

extension ConformanceRule {
    /// The numbers of concurrent changes, and the changes that readers see.
    static let sequences: [ConformanceRule] = [
        ConformanceRule(
            .concurrency, "numbers rise in the order of commits",
            law:
                "No number is assigned twice by concurrent writers, and a transaction's are above those of all that ended before it began.",
            source: .storage("StorageBackend.write(_:_:)")
        ) { world in
            let backend = world.backend
            try await backend.write(.public) { try await $0.add([], to: "Type") }
            let log = NumberLog()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<6 {
                    group.addTask {
                        for turn in 0..<8 {
                            let began = await log.tick()
                            let count = writer % 3 + 1
                            let (before, first) = try await backend.write(.public) { transaction in
                                let before = try await transaction.lastSampleNumber()
                                let values = (0..<count).map { ("r\(writer).\(turn).\($0)", Int64($0)) }
                                return (before, try await transaction.store(values))
                            }
                            try expect(first > before, "The number \(first) was reserved when \(before) was assigned.")
                            try await log.add(began: began, first, Int64(count))
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await log.check()
            let changes = try await backend.read(.public) {
                try await $0.changes(in: .default, after: 0, limit: 1000, of: .all(fields: []))
            }
            try expect("The number of changes", Set(changes.map(\.sequenceNumber)).count, equals: 6 * 8 * 2)
        },
        ConformanceRule(
            .concurrency, "no smaller number appears later",
            law:
                "After a change was read, no later read finds a new one with a smaller number, even of a transaction that began earlier.",
            source: .storage("StorageBackend.write(_:_:)")
        ) { world in
            let backend = world.backend
            let follow = { @Sendable (number: Int64) async throws -> [StoredChange] in
                try await backend.read(.public) {
                    try await $0.changes(in: .default, after: number, limit: 100, of: .all(fields: []))
                }
            }
            _ = try await backend.write(.public) { try await $0.store([("begin", 0)]) }
            let begin = try require(try await follow(0).last?.sequenceNumber, "The first number")
            let hasReserved = Signal()
            let isFollowed = Barrier(of: 2, timeout: .milliseconds(100))
            let found = try await withThrowingTaskGroup(of: [StoredChange].self) { group in
                group.addTask {
                    do {
                        try await backend.write(.public) { transaction in
                            _ = try await transaction.store([("slow", 1)])
                            await hasReserved.give()
                            await isFollowed.join()
                        }
                    } catch {
                        await hasReserved.give()
                        throw error
                    }
                    return []
                }
                group.addTask {
                    await hasReserved.wait()
                    _ = try await backend.write(.public) { try await $0.store([("fast", 1)]) }
                    let found = try await follow(begin)
                    await isFollowed.join()
                    return found
                }
                return try await group.reduce([], +)
            }
            let number = found.map(\.sequenceNumber).max() ?? begin
            let later = try await follow(number)
            try expect("The found changes", (found + later).count, equals: 2)
            let all = try await follow(begin)
            try expect("The numbers", (found + later).map(\.sequenceNumber), equals: all.map(\.sequenceNumber))
        },
        ConformanceRule(
            .concurrency, "a reader of the changes misses none",
            law:
                "A device that fetches changes during saves, and continues from its token, has every record in the end.",
            source: .cabinet("change feed")
        ) { world in
            let writers = 4
            let left = Countdown(from: writers)
            let names = try await withThrowingTaskGroup(of: [String].self) { group in
                for writer in 0..<writers {
                    let database = try world.privateDatabase()
                    group.addTask {
                        for turn in 0..<10 { try await database.save(Record("Items", "r\(writer).\(turn)")) }
                        await left.leave()
                        return []
                    }
                }
                let device = Device(try world.privateDatabase())
                group.addTask { [device] in
                    var device = device
                    var names: [String] = []
                    while await !left.isOver, !Task.isCancelled { names += try await device.update() }
                    return names + (try await device.update())
                }
                return try await group.reduce([], +)
            }
            let expected = (0..<writers).flatMap { writer in (0..<10).map { "+r\(writer).\($0)" } }
            try expect("The reported records, each once", names.sorted(), equals: expected.sorted())
        },
    ]
}

/// The number of tasks that are still running.
private actor Countdown {
    private var left: Int

    init(from number: Int) {
        left = number
    }

    var isOver: Bool { left <= 0 }

    func leave() {
        left -= 1
    }
}

/// The times at which transactions began and ended, and the numbers that they were assigned.
private actor NumberLog {
    private struct Entry {
        let began: Int
        let ended: Int
        let numbers: Range<Int64>
    }

    private var time = 0
    private var entries: [Entry] = []

    func tick() -> Int {
        time += 1
        return time
    }

    func add(began: Int, _ first: Int64, _ count: Int64) throws {
        try expect((1...(1 << 60)).contains(first), "The number \(first) was reserved.")
        entries.append(Entry(began: began, ended: tick(), numbers: first..<(first + count)))
    }

    /// Throws unless the numbers are in the order of the transactions.
    func check() throws {
        for entry in entries {
            for other in entries {
                if other.ended < entry.began {
                    try expect(
                        other.numbers.upperBound <= entry.numbers.lowerBound,
                        "The numbers from \(entry.numbers.lowerBound) came after \(other.numbers.lowerBound).")
                }
            }
        }
        try expect(
            "The numbers", Set(entries.flatMap(\.numbers)).count, equals: entries.map(\.numbers.count).reduce(0, +))
    }
}
