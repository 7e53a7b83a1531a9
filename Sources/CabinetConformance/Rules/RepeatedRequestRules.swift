import Cabinet
import CabinetTesting
import Foundation

extension ConformanceRule {
    /// Requests that a client sends again because their responses were lost.
    static let repeatedRequests: [ConformanceRule] = [
        ConformanceRule(
            .batches, "a request that is sent again changes nothing",
            law:
                "A request to modify records with an earlier request's ID is answered with that one's response, and changes nothing.",
            source: .cabinet("requests")
        ) { world in
            let (container, other) = (try world.container(), try world.container())
            let database = container.privateDatabase
            let old = try await database.saveAll([Record("Items", "old"), Record("Items", "stale", ["number": 1])])
            try await database.save(old[1].with(["number": 2]))
            var request = ModifyRecordsRequest(in: .private)
            request.requestID = UUID()
            request.recordsToSave = [Record("Items", "new", ["number": 1]), old[1].with(["number": 3])]
            request.recordIDsToDelete = [.named("old"), .named("never")]
            request.isAtomic = false
            let first = try await container.modify(request)
            try expect("The saved record", try first.saveResults[0].get()["number"], equals: 1)
            try await expectFailure(first.saveResults[1], .serverRecordChanged)
            // Changes of another client between the two stay.
            let newer = try await other.privateDatabase.save(try first.saveResults[0].get().with(["number": 7]))
            try await other.privateDatabase.save(Record("Items", "old"))
            let second = try await container.modify(request)
            try expect(
                "The record of the repetition", try second.saveResults[0].get(), equals: first.saveResults[0].get())
            try await expectFailure(second.saveResults[1], .serverRecordChanged)
            try expect(
                "The deletions", second.deleteErrors.map { $0?.code }, equals: first.deleteErrors.map { $0?.code })
            try expect("The record", try await database.fetch("new"), equals: newer)
            try expect("The records", try await database.names(), equals: ["new", "old", "stale"])
        },
        ConformanceRule(
            .batches, "a request with another ID is another one",
            law: "A request without an ID, with another ID, of another user or to another database is carried out.",
            source: .cabinet("requests")
        ) { world in
            let ann = try world.container()
            let ben = try world.container(account: Account(userRecordName: "_ben"))
            var request = ModifyRecordsRequest(in: .private)
            request.requestID = UUID()
            request.recordsToSave = [Record("Items", "new")]
            _ = try await ann.modify(request).saveResults[0].get()
            let name = try await ben.modify(request).saveResults[0].get().creatorUserRecordID?.recordName
            try expect("The creator of Ben's record", name.map { $0 == "_anna" }, equals: false)
            request.scope = .public
            _ = try await ann.modify(request).saveResults[0].get()
            try await expectFailure(try await ben.modify(request).saveResults[0], .serverRecordChanged)
            request.scope = .private
            request.requestID = UUID()
            try await expectFailure(try await ann.modify(request).saveResults[0], .serverRecordChanged)
            request.requestID = nil
            try await expectFailure(try await ann.modify(request).saveResults[0], .serverRecordChanged)
        },
        ConformanceRule(
            .batches, "a request that has changed nothing runs again",
            law:
                "A request whose records all fail is not remembered: with the same ID it is carried out once they can succeed.",
            source: .cabinet("requests")
        ) { world in
            let container = try world.container()
            let database = container.privateDatabase
            try await database.save(Record("Items", "taken"))
            var request = ModifyRecordsRequest(in: .private)
            request.requestID = UUID()
            request.recordsToSave = [Record("Items", "taken")]
            try await expectFailure(try await container.modify(request).saveResults[0], .serverRecordChanged)
            try await database.deleteRecord(withID: .named("taken"))
            _ = try await container.modify(request).saveResults[0].get()
        },
        ConformanceRule(
            .batches, "the responses to requests are remembered for a limited time",
            law:
                "The response to a request is remembered for ten minutes at least, and no entry for more than some later requests.",
            source: .cabinet("requests")
        ) { world in
            let container = try world.container()
            var request = ModifyRecordsRequest(in: .private)
            request.savePolicy = .allKeys
            request.recordsToSave = [Record("Items", "item")]
            func count() async throws -> Int {
                try await world.backend.read(.private(owner: Self.user)) {
                    try await $0.entries(in: StorageKey.all("reply"), limit: 1_000).count
                }
            }
            for _ in 0..<8 {
                request.requestID = UUID()
                let tag = try await container.modify(request).saveResults[0].get().recordChangeTag
                world.clock.advance(by: 590)
                let again = try await container.modify(request).saveResults[0].get().recordChangeTag
                try expect("The change tag after ten minutes", again, equals: tag)
            }
            world.clock.advance(by: 3_600)
            for _ in 0..<130 {
                request.requestID = UUID()
                _ = try await container.modify(request).saveResults[0].get()
            }
            try expect("The entries of the last requests alone", try await count(), equals: 130)
        },
    ]

    private static let user = ConformanceWorld.account.userRecordName
}

extension Container {
    /// Sends a request, without the uploads of its assets.
    fileprivate func modify(_ request: ModifyRecordsRequest) async throws -> ModifyRecordsRequest.Response {
        try await service.perform(request, for: caller)
    }
}
