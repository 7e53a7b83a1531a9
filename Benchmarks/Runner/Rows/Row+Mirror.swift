/// Rows of mirrors.
extension Row {
    static let sending = Row(
        id: "ms", title: "send 10,000 pending records to a server 20 ms away; the client saves them in batches of 200",
        group: .own,
        unit: "record", goal: 1.3, goalTimes: [.wall],
        preparation: { run in
            let first = run.samples.count + run.turn * 100_000 + 20_000
            let list = run.samples.listCount + 4_000 + run.turn
            let items = (first..<first + 10_000).map { run.samples.item($0, list: list) }
            try await run.store.prepareInsertion(lists: [run.samples.list(list)], items: items)
            try await run.store.prepareSend()
        },
        work: { run in
            try await run.measure { try await run.store.send() }
            run.operations = 10_000
        })

    static let firstFetch = Row(
        id: "mf", title: "the first fetch of all records; the plain container copies them to another store",
        group: .own,
        unit: "record", goal: 2, phase: .last,
        preparation: { run in try await run.store.prepareCopy() },
        work: { run in
            try await run.measure { try await run.store.copy(to: "copy-\(run.turn)-\(run.slice)") }
            run.operations = run.samples.count
        })
}
