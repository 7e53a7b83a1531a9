/// Rows that measure memory, and no time.
extension Row {
    static let heldRecords = Row(
        id: "m", title: "hold all records of a query", group: .own, unit: "record", isTimed: false,
        isReading: true, isOrdered: false,
        side: [
            SideFigure(key: "held", id: "m", title: "all records of a query in memory, for each record", unit: .bytes)
        ],
        work: { run in
            // Warmed up before, so that the store's own caches exist already.
            _ = try await run.store.hold(Tally(isDigesting: false))
            run.note("held", Double(try await run.store.hold(run.tally)) / Double(run.samples.count))
        })

    static let idleness = Row(
        id: "idle", title: "an open store without requests", group: .own, unit: "second", isTimed: false,
        phase: .restarted,
        side: [
            SideFigure(
                key: "opened", id: "idle", title: "memory of the process that an open store adds, after one fetch",
                unit: .bytes),
            SideFigure(
                key: "wakeUps", id: "idle'", title: "wake-ups of the process in 3 seconds of sleep", unit: .count),
        ],
        preparation: { run in try await run.store.prepareFetch(run.samples.some(1)) },
        work: { run in
            try await run.store.fetch(each: 1, Tally(isDigesting: false))
            run.note("opened", Double(max(ProcessUsage.residentBytes - run.residentBefore, 0)))
            // Background work of the first use must have ended.
            try await Task.sleep(for: .seconds(1))
            let before = ProcessUsage.wakeUps
            try await Task.sleep(for: .seconds(3))
            run.note("wakeUps", Double(ProcessUsage.wakeUps - before))
        })
}
