/// Rows of shares.
extension Row {
    static let acceptance = Row(
        id: "y",
        title: "leave a share, be added to it again and accept it, 50 times; the owner ends the share and shares again",
        group: .own, unit: "acceptance",
        work: { run in
            try await run.measure { try await run.store.beginAndEndShares(times: 50) }
            run.operations = 50
        })

    static let zoneFeed = Row(
        id: "y'", title: "the feed of a database with 1,000 accepted shares, 5 times; the owner's with as many zones",
        group: .own, unit: "zone",
        preparation: { run in try await run.store.prepareShares(1_000) },
        work: { run in
            try await run.measure { for _ in 0..<5 { try await run.store.changedZones(run.tally) } }
        })
}
