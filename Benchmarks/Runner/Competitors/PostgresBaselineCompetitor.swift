import BenchmarkBaseline

/// Plain C on PostgreSQL, through libpq in pipeline mode.
final class PostgresBaselineCompetitor: Competitor {
    private let connection: String
    private var store: OpaquePointer?
    private var lists = CItems([Samples.List]())
    private var items = CItems([Samples.Item]())
    private var fetched = CStrings([])
    private var updated = CStrings([])
    private var tags: [CChar] = []

    init(connection: String) { self.connection = connection }

    func open(_ name: String, isDurable: Bool) async throws {
        try await close()
        store = postgres_open(connection)
        if store == nil { throw BenchmarkFailure("The baseline cannot connect to PostgreSQL.") }
    }

    func close() async throws {
        postgres_close(store)
        store = nil
    }

    private func check(_ code: Int32) throws {
        if code != 0 {
            let reason = store.map { String(cString: postgres_failure($0)) } ?? "it is closed"
            throw BenchmarkFailure("The baseline failed: \(reason)")
        }
    }

    func prepareInsertion(lists: [Samples.List], items: [Samples.Item]) async throws {
        self.lists = CItems(lists)
        self.items = CItems(items)
    }

    func insert(batch: Int) async throws {
        try check(postgres_insert_lists(store, lists.items, lists.count))
        try check(postgres_insert_items(store, items.items, items.count, Int32(batch)))
    }

    /// C has one connection: its tasks take turns.
    func insertConcurrently(tasks: Int) async throws { try await insert(batch: 1) }

    func prepareFetch(_ items: [Samples.Item]) async throws { fetched = CStrings(items.map(\.id)) }

    func fetch(each: Int, _ tally: Tally) async throws {
        try check(postgres_fetch(store, fetched.pointers, fetched.count, Int32(each), &tally.counts))
    }

    func list(_ list: Samples.List, _ tally: Tally) async throws {
        try check(postgres_list(store, list.id, 100, &tally.counts))
    }

    func scan(number: Int64, _ tally: Tally) async throws { throw BenchmarkFailure.absent }

    func iterate(_ tally: Tally) async throws { try check(postgres_iterate(store, &tally.counts)) }

    func prepareUpdate(_ items: [Samples.Item]) async throws {
        updated = CStrings(items.map(\.id))
        tags = Array(repeating: 0, count: items.count * 32)
        try check(postgres_tags(store, updated.pointers, updated.count, &tags))
    }

    func update(number: Int64, batch: Int) async throws {
        try check(postgres_update(store, updated.pointers, &tags, updated.count, Int32(batch), number))
    }
}
