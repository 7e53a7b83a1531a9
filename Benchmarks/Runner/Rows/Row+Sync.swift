/// Rows of change feeds.
extension Row {
    static let changes = Row(
        id: "h", title: "the changes since a token, 1,000 changes, 10 times", group: .sync, unit: "change",
        goal: 1.2, slices: 3, isReading: true, isOrdered: false,
        preparation: { run in
            try await run.store.mark()
            try await run.store.prepareUpdate(run.samples.some(1_000))
            try await run.store.update(number: 9_000, batch: 400)
        },
        work: { run in
            try await run.measure { for _ in 0..<10 { try await run.store.changes(run.tally) } }
        })
}
