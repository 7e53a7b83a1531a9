import Cabinet
import CabinetTools

extension ConformanceRule {
    /// The rules about processes that are killed, and about full disks.
    static let crashes: [ConformanceRule] = [
        ConformanceRule(
            .durability, "a process that is killed loses no save that returned",
            law:
                "After a process was killed, the store has each call that returned, and of the next one all or nothing.",
            source: .storage("StorageBackend.write(_:_:)"), needsReopening: true, needsHelper: true, needsFiles: true
        ) { world in
            try await world.runStories([("a", 1), ("b", 10), ("c", 40)]) { prefix, count, world in
                let lines = try await world.helperLines(HelperTask(.untilKilled, saving: count, prefix: prefix))
                try expect(lines.count >= count, "The helper ended after \(lines.count) calls: \(lines.suffix(1)).")
                return (lines.count, isNextPossible: true)
            }
        },
        ConformanceRule(
            .durability, "a commit that fails because the disk is full changes nothing",
            law: "A save that fails because a file cannot grow leaves nothing, in this process and after reopening.",
            source: .storage("StorageBackend.write(_:_:)"), needsReopening: true, needsHelper: true, needsFiles: true
        ) { world in
            try await world.runStories([("a", 600)]) { prefix, count, world in
                let lines = try await world.helperLines(HelperTask(.untilFull, saving: count, prefix: prefix))
                // A store of small files never finds one that cannot grow.
                let outcome = lines.last.flatMap(HelperTask.Outcome.init)
                try expect(outcome == .full || outcome == .saved, "The helper's outcome is '\(lines.last ?? "")'.")
                return (lines.count - 1, isNextPossible: false)
            }
        },
    ]
}

extension ConformanceWorld {
    /// Runs stories in a helper, one after the other, and checks the reopened store after each of them.
    ///
    /// - Parameters:
    ///   - stories: The prefixes of the stories, and numbers of calls.
    ///   - run: Runs a story while the store is closed, and returns the number of calls that returned.
    fileprivate func runStories(
        _ stories: ArraySlice<(prefix: String, count: Int)>,
        _ run: (_ prefix: String, _ count: Int, ConformanceWorld) async throws -> (returned: Int, isNextPossible: Bool)
    ) async throws {
        guard let (prefix, count) = stories.first else { return }
        var end = (returned: 0, isNextPossible: false)
        try await reopened {
            end = try await run(prefix, count, self)
        } _: { world in
            try await SavedStory(prefix: prefix).check(
                try world.privateDatabase(), after: end.returned, isNextPossible: end.isNextPossible)
            let report = try await world.container().verify()
            try expect("The findings after \(end.returned) calls", report.findings.map(\.description), equals: [])
            try await world.privateDatabase().save(Record("Items", "\(prefix)After"))
            try await world.runStories(stories.dropFirst(), run)
        }
    }
}
