/// Rows that read.
extension Row {
    static let singleFetches = Row(
        id: "c", title: "fetch one by ID, 1,000 calls", group: .read, unit: "call", goal: 2.0,
        slices: 3, isReading: true,
        preparation: { run in try await run.store.prepareFetch(run.samples.some(1_000)) },
        work: { run in try await run.measure { try await run.store.fetch(each: 1, run.tally) } })

    static let fetches = Row(
        id: "c'", title: "fetch 100 by ID, 50 calls", group: .read, unit: "record", goal: 1.0,
        slices: 3, isReading: true,
        preparation: { run in try await run.store.prepareFetch(run.samples.some(5_000)) },
        work: { run in try await run.measure { try await run.store.fetch(each: 100, run.tally) } })

    static let listQueries = Row(
        id: "d", title: "`list == ?` sorted by name, 100 rows, 200 calls", group: .read, unit: "call",
        goal: 1.3, isReading: true,
        work: { run in
            try await run.calls(run.samples.someLists(200)) { try await run.store.list($0, run.tally) }
        })

    static let prefixQueries = Row(
        id: "e", title: "name prefix and number, sorted, limit 100, 200 calls", group: .read, unit: "call",
        goal: 1.3, isReading: true,
        work: { run in
            let prefixes = (0..<200).map { index in
                String(decoding: [index % 26, (index / 26 + index * 7) % 26].map { UInt8(97 + $0) }, as: UTF8.self)
            }
            try await run.calls(prefixes) { try await run.store.prefix($0, number: 500, run.tally) }
        })

    static let scans = Row(
        id: "f", title: "`number == ?` without an index, 5 scans", group: .read, unit: "scan", goal: 1.1,
        isReading: true, isLong: true, isOrdered: false,
        work: { run in
            try await run.measure {
                for number in 100..<105 { try await run.store.scan(number: Int64(number), run.tally) }
            }
            run.operations = 5
        })

    static let iteration = Row(
        id: "j", title: "iterate over all", group: .read, unit: "record", goal: 1.6, isReading: true,
        isLong: true,
        side: [
            SideFigure(key: "growth", id: "j, memory", title: "its growth of memory", unit: .bytes, limit: 4_194_304)
        ],
        work: { run in try await run.measure { try await run.store.iterate(run.tally) } })

    static let fieldReads = Row(
        id: "r", title: "read a field of each held record, 20 times", group: .own, unit: "field", isReading: true,
        isLong: true,
        preparation: { run in _ = try await run.store.hold(Tally(isDigesting: false)) },
        work: { run in try await run.measure { try await run.store.readFields(times: 20, run.tally) } })

    static let pathQueries = Row(
        id: "p", title: "`list.name == ?` sorted by name, 200 calls", group: .own, unit: "call",
        goal: 1.3, isReading: true,
        work: { run in
            try await run.calls(run.samples.someLists(200)) {
                try await run.store.list(named: $0.name, run.tally)
            }
        })

    static let wordQueries = Row(
        id: "s'", title: "search for one of two rare words, limit 100, 100 calls", group: .own, unit: "call",
        goal: 1.3, isReading: true,
        work: { run in
            let words = (0..<100).map { [Samples.word(200 + $0 * 7), Samples.word(3_000 + $0)] }
            try await run.calls(words) { try await run.store.search($0, run.tally) }
        })

    // FTS5 ranks by statistics of all notes, and Cabinet by each record alone: the records are the same, not their order.
    static let typedSearches = Row(
        id: "s''", title: "search as you type: a rare word and a beginning, by relevance, 100 calls", group: .own,
        unit: "call", goal: 1.5, isReading: true, isOrdered: false,
        work: { run in
            try await run.calls(0..<100) {
                try await run.store.search(Samples.word(200 + $0 * 7), beginning: "word\(1 + $0 % 9)", run.tally)
            }
        })

    static let firstPage = Row(
        id: "p1", title: "page 1 of all sorted by name, 100 records, 100 calls", group: .own, unit: "call",
        goal: 1.3, isReading: true,
        work: { run in
            try await run.calls(0..<100) { _ in try await run.store.page(isFirst: true, run.tally) }
        })

    static let lastPage = Row(
        id: "p2", title: "page N / 100 of all sorted by name, 100 calls", group: .own, unit: "call",
        goal: 1.3, isReading: true,
        preparation: { run in try await run.store.preparePage(after: run.samples.count - 100) },
        work: { run in
            try await run.calls(0..<100) { _ in try await run.store.page(isFirst: false, run.tally) }
        })

    static let opening = Row(
        id: "o", title: "open the store and fetch one, 10 times", group: .own, unit: "opening",
        preparation: { run in try await run.store.prepareFetch(run.samples.some(1)) },
        work: { run in
            for _ in 0..<10 {
                try await run.opening { try await run.store.fetch(each: 1, run.tally) }
            }
        })

    static let firstQuery = Row(
        id: "o'", title: "open the store and run a first query as in d, 10 times", group: .own, unit: "opening",
        work: { run in
            for list in run.samples.someLists(10) {
                try await run.opening { try await run.store.list(list, run.tally) }
            }
        })
}

extension Run {
    /// Measures calls, one after the other.
    func calls<Arguments: Collection>(
        _ arguments: Arguments, _ call: (Arguments.Element) async throws -> Void
    ) async throws {
        try await measure {
            for argument in arguments { try await call(argument) }
        }
        operations = arguments.count
    }

    /// Measures opening the store, and a first call.
    func opening(_ call: () async throws -> Void) async throws {
        try await store.close()
        try await measure(followsMemory: false) {
            try await store.open("main", isDurable: false)
            try await call()
        }
        operations = (operations ?? 0) + 1
    }
}
