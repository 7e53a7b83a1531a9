/// Rows that save one record per transaction.
extension Row {
    /// Saves by one or several tasks; C takes one save after the other.
    ///
    /// - Parameter offset: The first item among those of the turn. Each row uses up to 1,000.
    static func saves(tasks: Int, isDurable: Bool, goal: Double? = nil, offset: Int) -> Row {
        let calls = tasks > 1 ? 640 : isDurable ? 100 : 300
        let slices = tasks > 1 ? 1 : 3
        let id = "\(isDurable ? "b" : "n")\(tasks)"
        let callers = tasks > 1 ? "from \(tasks) tasks; C takes one after the other" : "from one task"
        return Row(
            id: id,
            title: "save one per transaction, \(isDurable ? "FULL" : "NORMAL"), \(slices * calls) calls \(callers)",
            group: tasks > 1 ? .concurrency : .write, unit: "save", goal: goal,
            goalTimes: isDurable ? [.processor] : Time.allCases, slices: slices,
            side: [
                SideFigure(
                    key: "rate", id: "\(id), rate", title: "saves per second of processor time", unit: .perSecond)
            ],
            preparation: { run in
                if isDurable {
                    try await run.store.open("main", isDurable: true)
                    try await run.fillLog()
                }
                try await run.prepareSaves(calls, from: offset)
            },
            ending: { run in if isDurable { try await run.store.open("main", isDurable: false) } },
            work: { run in
                try await run.measure {
                    if tasks == 1 {
                        try await run.store.insert(batch: 1)
                    } else {
                        try await run.store.insertConcurrently(tasks: tasks)
                    }
                }
                run.operations = calls
            })
    }

    /// Saves while this many queries that do not match the records are observed; the others only commit.
    static func liveQueries(_ count: Int, offset: Int) -> Row {
        Row(
            id: "l\(count)",
            title: "save one per transaction, NORMAL, 900 calls from one task; Cabinet with \(count) live queries",
            group: .sync, unit: "save", slices: 3,
            preparation: { run in
                try await run.prepareSaves(300, from: offset)
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

    /// Saves into a list of 100 to 200 items that is observed.
    static let observedSaves = Row(
        id: "l", title: "save one, NORMAL, then await a live query's value, 300 calls; C runs the query again",
        group: .sync, unit: "save", slices: 3,
        side: [
            SideFigure(
                key: "wait", id: "l, wait", title: "from the commit's return to the value, wall time, median",
                unit: .seconds, limit: 0.001)
        ],
        preparation: { run in
            let list = run.samples.observedList(run)
            let first = run.samples.count + run.turn * 100_000 + 8_000 + run.slice * 200
            let items = (first..<first + 200).map { run.samples.item($0, list: list.index) }
            try await run.store.settle()
            try await run.store.prepareInsertion(lists: [list.list], items: Array(items[..<100]))
            try await run.store.insert(batch: 400)
            try await run.store.prepareInsertion(lists: [], items: Array(items[100...]))
            try await run.store.prepareObservation(of: list.list)
        },
        ending: { run in await run.store.stopObserving() },
        work: { run in
            let list = run.samples.observedList(run).list
            var waits: [Double] = []
            try await run.measure { waits = try await run.store.insertObserved(list) }
            run.operations = waits.count
            run.note("wait", waits.median)
        })

    /// Saves while the number of about half of the items is observed.
    static let countedSaves = Row(
        id: "lc",
        title: "save one, NORMAL, then await the live count of half of the items, 300 calls; C counts again",
        group: .sync, unit: "save", slices: 3,
        side: [
            SideFigure(
                key: "wait", id: "lc, wait", title: "from the commit's return to the count, wall time, median",
                unit: .seconds)
        ],
        preparation: { run in
            let first = run.samples.count + run.turn * 100_000 + 9_000 + run.slice * 200
            let list = run.samples.listCount + 2_000 + run.turn * 3 + run.slice
            let items = (first..<first + 110).map { run.samples.item($0, list: list) }
            try await run.store.settle()
            try await run.store.prepareInsertion(lists: [run.samples.list(list)], items: [])
            try await run.store.insert(batch: 1)
            // The first changes read what later ones are merged into.
            try await run.store.prepareInsertion(lists: [], items: Array(items[..<10]))
            try await run.store.prepareObservation(ofCountBelow: 500)
            _ = try await run.store.insertCounted(below: 500)
            try await run.store.prepareInsertion(lists: [], items: Array(items[10...]))
        },
        ending: { run in await run.store.stopObserving() },
        work: { run in
            var waits: [Double] = []
            try await run.measure { waits = try await run.store.insertCounted(below: 500) }
            run.operations = 100
            run.note("wait", waits.median)
        })
}

extension Samples {
    /// A list of a slice of a row's work, and its index after those of other rows.
    fileprivate func observedList(_ run: Run) -> (list: List, index: Int) {
        let index = listCount + 1_000 + run.turn * 3 + run.slice
        return (list(index), index)
    }
}

extension Run {
    /// Fills the write-ahead log, which is deleted when a store is closed.
    ///
    /// The saves of a program that has been running for long overwrite a log of full size, and those before it enlarge the file.
    fileprivate func fillLog() async throws {
        for _ in 0..<2 {
            try await store.prepareUpdate(samples.some(10_000))
            try await store.update(number: 5_000, batch: 400)
        }
    }

    /// Completes deferred work, warms the store up, and prepares new items for a slice.
    fileprivate func prepareSaves(_ calls: Int, from offset: Int) async throws {
        let offset = offset + slice * 320
        try await store.settle()
        try await store.prepareInsertion(lists: [], items: samples.more(20, turn: turn, from: offset))
        try await store.insert(batch: 1)
        try await store.prepareInsertion(lists: [], items: samples.more(calls, turn: turn, from: offset + 20))
    }
}
