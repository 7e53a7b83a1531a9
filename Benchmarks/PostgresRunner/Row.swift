/// One kind of work, and Cabinet's goal: how much it may cost beside the baseline.
struct Row: Sendable {
    typealias Preparation = @Sendable (inout any Competitor, Samples) async throws -> Void
    typealias Work = @Sendable (inout any Competitor, Samples, _ slice: Int) async throws -> Answer

    let id: String
    let title: String
    let goal: Double?
    /// How many slices the work is cut into. Both do a slice each in turn, so that what the machine does besides meets both.
    let slices: @Sendable (Samples) -> Int
    /// How many calls a slice has.
    let calls: Int
    /// What is done before, and not measured.
    let preparation: Preparation
    let work: Work

    init(
        _ id: String, _ title: String, goal: Double?, slices: @escaping @Sendable (Samples) -> Int, calls: Int = 1,
        preparation: @escaping Preparation = { _, _ in }, work: @escaping Work
    ) {
        self.id = id
        self.title = title
        self.goal = goal
        self.slices = slices
        self.calls = calls
        self.preparation = preparation
        self.work = work
    }

    private static let batch = 400
    private static let updates = 10_000

    /// The rows in the order in which they are run; the first one fills the store.
    static let all: [Row] = [
        Row(
            "bulk", "bulk save in batches of 400, with change log", goal: 1.25,
            slices: { ($0.items.count + batch - 1) / batch },
            preparation: { store, samples in
                try await store.prepareInsertion(samples)
                try await store.insertLists()
            },
            work: { store, samples, slice in
                try await store.insert(slice * batch..<min((slice + 1) * batch, samples.items.count))
            }),
        Row("fetch", "fetch one by ID", goal: 1.3, slices: { _ in 100 }, calls: 20) { store, samples, slice in
            try await store.fetch(Array(samples.mixed[slice * 20..<(slice + 1) * 20]), each: 1)
        },
        Row("fetch100", "fetch 100 by ID in one call", goal: 1.3, slices: { _ in 100 }) { store, samples, slice in
            let start = slice * 100 % (samples.items.count - 99)
            return try await store.fetch(Array(samples.mixed[start..<start + 100]), each: 100)
        },
        Row("query", "list == ? sorted by name, 100 rows", goal: 1.3, slices: { _ in 200 }) { store, samples, slice in
            try await store.list(slice * 37 % samples.lists.count)
        },
        Row(
            "update", "change one field of 10,000 in batches of 400, tags checked", goal: 1.3,
            slices: { (min(updates, $0.items.count) + batch - 1) / batch },
            preparation: { store, samples in
                try await store.prepareUpdate(Array(samples.mixed.prefix(updates)))
            },
            work: { store, samples, slice in
                let count = min(updates, samples.items.count)
                return try await store.update(slice * batch..<min((slice + 1) * batch, count), number: 5_000)
            }),
        Row(
            "delta", "what changed, 1,000 changes", goal: 1.2, slices: { _ in 20 },
            preparation: { store, samples in
                try await store.mark()
                try await store.prepareUpdate(Array(samples.mixed.prefix(1_000)))
                for start in stride(from: 0, to: 1_000, by: batch) {
                    _ = try await store.update(start..<min(start + batch, 1_000), number: 9_000)
                }
            },
            work: { store, _, _ in try await store.changes() }),
        Row("save", "save one durably", goal: 1.2, slices: { _ in 100 }, calls: 2) { store, samples, slice in
            try await store.insertSingly(samples.more(2, from: slice * 2))
        },
        Row("delete", "delete a list with 100 items", goal: nil, slices: { min(20, $0.lists.count / 4) }) {
            store, _, slice in
            try await store.deleteList(slice)
        },
    ]
}
