/// One kind of work, and Cabinet's goal: how much it may cost beside the tuned baseline.
struct Row: Sendable {
    typealias Work = @Sendable (inout any Competitor, Samples) async throws -> Int

    let id: String
    let title: String
    let goal: Double
    /// Whether the processor's time is compared, and not the clock's.
    let comparesCPU: Bool
    /// What is done before, and not measured.
    let preparation: Work
    let work: Work

    init(
        _ id: String, _ title: String, goal: Double, comparesCPU: Bool = false,
        preparation: @escaping Work = { _, _ in 0 }, work: @escaping Work
    ) {
        self.id = id
        self.title = title
        self.goal = goal
        self.comparesCPU = comparesCPU
        self.preparation = preparation
        self.work = work
    }

    /// The rows in the order in which they are run; the first one fills the store.
    static let all: [Row] = [
        Row(
            "a", "bulk save in batches of 400", goal: 1.25, comparesCPU: true,
            preparation: { store, samples in
                try await store.prepareInsertion(samples)
                return 0
            },
            work: { store, _ in try await store.insert(batch: 400) }),
        Row("c", "fetch one by ID, 1,000 calls", goal: 4.0) { store, samples in
            try await store.fetch(samples.some(1_000), each: 1)
        },
        Row("c'", "fetch 100 by ID, 50 calls", goal: 1.3) { store, samples in
            try await store.fetch(samples.some(5_000), each: 100)
        },
        Row("d", "list == ? sorted by name, 100 rows, 100 calls", goal: 1.3) { store, samples in
            var count = 0
            for index in 0..<100 { count += try await store.list(index * samples.lists.count / 100) }
            return count
        },
        Row("e", "prefix and number, sorted, limit 100, 100 calls", goal: 1.3) { store, _ in
            var count = 0
            for index in 0..<100 {
                let letters = [index % 26, index * 7 % 26].map { Character(Unicode.Scalar(UInt8(97 + $0))) }
                count += try await store.prefix(String(letters), number: 500)
            }
            return count
        },
        Row("f", "scan without an index, 10 times", goal: 1.05) { store, _ in
            var count = 0
            for number in 0..<10 { count += try await store.scan(number: Int64(number)) }
            return count
        },
        Row("j", "iterate over all", goal: 2.0) { store, _ in try await store.iterate() },
        Row(
            "k", "change one field of 10,000, batches of 400", goal: 1.3, comparesCPU: true,
            preparation: { store, samples in
                try await store.prepareUpdate(samples.some(10_000))
                return 0
            },
            work: { store, _ in try await store.update(number: 5_000, batch: 400) }),
        Row(
            "h", "what changed, 1,000 changes, 10 times", goal: 1.2,
            preparation: { store, samples in
                try await store.mark()
                try await store.prepareUpdate(samples.some(1_000))
                return try await store.update(number: 9_000, batch: 400)
            },
            work: { store, _ in
                var count = 0
                for _ in 0..<10 { count += try await store.changes() }
                return count
            }),
        Row("g", "delete 20 lists with 100 items each", goal: 1.15) { store, samples in
            for list in 0..<20 { try await store.deleteList(list) }
            return 20
        },
        Row("b", "save one per transaction, 500", goal: 1.25) { store, _ in try await store.insertSingly(500) },
        Row("b'", "the same from 64 tasks, 2,000", goal: 0.125) { store, _ in
            try await store.insertConcurrently(2_000, tasks: 64)
        },
    ]
}

extension Samples {
    /// Items from all over the store, none twice.
    func some(_ count: Int) -> [Item] {
        let step = max(items.count / count, 1)
        return stride(from: 0, to: items.count, by: step).prefix(count).map { items[$0] }
    }
}
