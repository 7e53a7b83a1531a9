/// Rows of change feeds and observers.
extension Row {
    static let changes = Row(
        id: "h", title: "the changes since a token, 1,000 changes, 10 times", group: .sync, unit: "change",
        metric: .wall,
        goal: 1.2, slices: 3, isReading: true, isOrdered: false,
        preparation: { run in
            try await run.store.mark()
            try await run.store.prepareUpdate(run.samples.some(1_000))
            try await run.store.update(number: 9_000, batch: 400)
        },
        work: { run in
            try await run.measure { for _ in 0..<10 { try await run.store.changes(run.tally) } }
        })

    /// The cost of a commit while this many queries that do not match it are observed; the others only commit.
    static func liveQueries(_ count: Int, id: String, offset: Int) -> Row {
        Row(
            id: id, title: "save one per transaction, NORMAL, 3 times 300 calls; Cabinet with \(count) live queries",
            group: .sync,
            unit: "save", metric: .cpu, goal: nil, isHeadline: false,
            slices: 3,
            preparation: { run in
                let offset = offset + run.slice * 320
                try await run.store.settle()
                try await run.insertUnmeasured(run.samples.more(20, turn: run.turn, from: offset))
                try await run.store.prepareInsertion(
                    lists: [], items: run.samples.more(300, turn: run.turn, from: offset + 20))
                let lists = run.samples.deletedLists..<run.samples.listCount / 2
                try await run.store.observe(
                    (0..<count).map { run.samples.list(lists.lowerBound + $0 % max(lists.count, 1)) })
            },
            ending: { run in await run.store.stopObserving() },
            work: { run in
                try await run.measure { try await run.store.insert(batch: 1) }
                run.operations = 300
            })
    }
}
