/// Rows that write.
extension Row {
    /// Fills the store.
    static let bulk = Row(
        id: "a", title: "bulk save in batches of 400, with change log", group: .write, unit: "record", goal: 1.3,
        phase: .filling,
        side: [
            SideFigure(key: "size", id: "a, file", title: "size of the file afterwards", unit: .bytes),
            SideFigure(key: "peak", id: "a, memory", title: "its peak memory", unit: .bytes),
        ],
        work: { run in
            try await run.fill(run.samples.count)
            run.note("size", Double(try await run.store.size()))
        })

    /// Fills a store of its own.
    static let durableBulk = Row(
        id: "a'", title: "bulk save in batches of 400 at FULL, 100,000 at most", group: .write, unit: "record",
        goal: 1.3, goalTimes: [.processor], phase: .filling,
        preparation: { run in try await run.store.open("durable", isDurable: true) },
        ending: { run in try await run.store.open("main", isDurable: false) },
        work: { run in try await run.fill(min(run.samples.count, 100_000)) })

    static let updates = Row(
        id: "k", title: "change one field of 10,000, batches of 400, tag checked", group: .write, unit: "record",
        goal: 1.5,
        preparation: { run in
            try await run.store.prepareUpdate(run.samples.some(10_000))
            try await run.store.settle()
        },
        work: { run in
            try await run.measure { try await run.store.update(number: 5_000, batch: 400) }
            run.operations = run.samples.some(10_000).count
        })

    static let fieldUpdates = Row(
        id: "k'", title: "change one field of 10,000 that were not fetched (changedKeys), batches of 400", group: .own,
        unit: "record", goal: 1.8,
        preparation: { run in
            try await run.store.prepareUpdate(run.samples.some(10_000))
            try await run.store.settle()
        },
        work: { run in
            try await run.measure { try await run.store.updateFields(number: 25_000, batch: 400) }
            run.operations = run.samples.some(10_000).count
        })

    static let transactions = Row(
        id: "x", title: "transaction: read two, save two, NORMAL, 500 calls from one task", group: .write,
        unit: "transaction",
        preparation: { run in
            try await run.store.prepareUpdate(run.samples.some(1_000))
            try await run.store.settle()
        },
        work: { run in
            try await run.measure { try await run.store.changePairs(number: 45_000, run.tally) }
            run.operations = run.samples.some(1_000).count / 2
        })

    static let smallDeletions = Row(
        id: "g", title: "delete 10 lists with 100 items each", group: .write, unit: "item", goal: 2,
        preparation: { run in try await run.store.settle() },
        work: { run in
            let first = run.turn * Row.deletedListsPerTurn
            let lists = (first..<min(first + Row.deletedListsPerTurn, run.samples.listCount / 2)).map(run.samples.list)
            try await run.measure { for list in lists { try await run.store.deleteList(list) } }
            run.operations = max(lists.count, 1) * 100
        })

    static let largeDeletion = Row(
        id: "g'", title: "delete a list with 10,000 items", group: .write, unit: "item", goal: 2,
        preparation: { run in
            let list = run.samples.listCount + run.turn
            let first = run.samples.count + run.turn * 100_000 + 20_000
            let items = (0..<10_000).map { run.samples.item(first + $0, list: list) }
            try await run.store.prepareInsertion(lists: [run.samples.list(list)], items: items)
            try await run.store.insert(batch: 400)
            // The program's copies would count as memory of the deletion.
            try await run.store.prepareInsertion(lists: [], items: [])
            try await run.store.settle()
        },
        work: { run in
            let list = run.samples.list(run.samples.listCount + run.turn)
            try await run.measure { try await run.store.deleteList(list) }
            run.operations = 10_000
        })

    static let wordInsertion = Row(
        id: "s", title: "save N / 10 texts of 20 words with an index of words, batches of 400", group: .own,
        unit: "record", phase: .filling,
        work: { run in
            for start in stride(from: 0, to: run.samples.noteCount, by: 20_000) {
                let range = start..<min(start + 20_000, run.samples.noteCount)
                try await run.store.prepareNotes(range.map(run.samples.note))
                try await run.measure { try await run.store.insertNotes(batch: 400) }
            }
            try await run.store.prepareNotes([])
            run.operations = run.samples.noteCount
        })
}

extension Run {
    /// Inserts the first lists and items.
    ///
    /// The items are created beforehand in small groups, so that they take little memory.
    func fill(_ count: Int) async throws {
        var lists = (0..<samples.listCount).map(samples.list)
        for start in stride(from: 0, to: count, by: 2_000) {
            let items = (start..<min(start + 2_000, count)).map { samples.item($0) }
            try await store.prepareInsertion(lists: lists, items: items)
            lists = []
            try await measure { try await store.insert(batch: 400) }
        }
        try await store.prepareInsertion(lists: [], items: [])
        operations = count
    }
}
