/// Rows of concurrent work.
extension Row {
    static let contendedFetches = contention(
        id: "i", title: "four readers by ID beside a busy writer", goal: 3.0, readsLists: false)

    static let contendedQueries = contention(
        id: "i'", title: "four readers of lists beside a busy writer", goal: 1.5, readsLists: true)

    /// The writer saves a hundred changed records per transaction, one transaction after the other.
    private static func contention(id: String, title: String, goal: Double, readsLists: Bool) -> Row {
        Row(
            id: id, title: title + "; processor time includes the writer's", group: .concurrency, unit: "read",
            goal: goal, phase: .last,
            side: [
                SideFigure(
                    key: "write", id: "\(id), writer", title: "the concurrent writer, wall time per record",
                    unit: .seconds, goal: 4)
            ],
            preparation: { run in
                try await run.store.prepareFetch(run.samples.some(5_000))
                try await run.store.prepareUpdate(run.samples.some(2_000))
                try await run.store.settle()
            },
            work: { run in
                let lists = readsLists ? run.samples.someLists(500) : nil
                var contention = Contention(reads: 0, writes: 0, seconds: 0)
                try await run.measure {
                    contention = try await run.store.contend(lists: lists, seconds: run.seconds)
                }
                run.operations = contention.reads
                run.note("write", contention.seconds / Double(max(contention.writes, 1)))
            })
    }
}
