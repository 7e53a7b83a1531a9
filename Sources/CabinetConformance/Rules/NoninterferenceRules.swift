import Cabinet
import CabinetTesting
import Foundation

extension ConformanceRule {
    /// Worlds that differ only in what a user may not read.
    static let noninterference = [noninterference(seed: 1, requests: 150)]

    /// Returns a rule that sends the same generated requests to two public databases, which differ in records that the user may not
    /// read: their values, names and number.
    ///
    /// Answers are compared with the texts of errors, counts, aggregates, explanations, pages, cursors, changes, tokens and
    /// notifications. These channels are known, and left out. A user who asks for a record by its name learns whether it exists.
    /// Sequence numbers count all changes of a database: tokens, change tags, cursors and the pages of changes show how many changes
    /// there are that the user may not read; both worlds have as many. The time that answers take is not compared.
    ///
    /// - Parameters:
    ///   - seed: The seed of the generator; the same seed generates the same requests.
    ///   - requests: The number of requests.
    static func noninterference(seed: UInt64, requests: Int) -> ConformanceRule {
        ConformanceRule(
            .accounts, "what a user may not read changes no answer (seed \(seed), \(requests) requests)",
            law:
                "Two worlds that differ only in records that a user may not read give the user equal answers to every request.",
            source: .cabinet("Roles and unique values")
        ) { world in
            var rooms: [HiddenRecordsWorld] = []
            for (index, name) in ["first", "second"].enumerated() {
                rooms.append(try await HiddenRecordsWorld(world.part("\(name)\(seed)"), hidden: index))
            }
            var generator = SeededGenerator(seed: seed)
            for number in 1...requests {
                let request = UserRequest.random(using: &generator)
                let answers = [try await request.answer(rooms[0]), try await request.answer(rooms[1])]
                let lines = answers.map { $0.split(separator: "\n", omittingEmptySubsequences: false) }
                let different = zip(lines[0], lines[1]).first { $0.0 != $0.1 }.map { "'\($0.0)' and '\($0.1)'" }
                try expect(
                    answers[0] == answers[1],
                    "Request \(number), \(request), tells the worlds apart: \(different ?? "\(lines.map(\.count)) lines")"
                )
            }
        }
    }
}

/// A public database with records that a user may read, and others.
struct HiddenRecordsWorld: Sendable {
    let container: Container
    var database: Database { container.publicDatabase }

    /// Fills the database.
    ///
    /// - Parameter hidden: The number of the set of unreadable records, 0 or 1. Both sets are as many changes.
    init(_ world: ConformanceWorld, hidden: Int) async throws {
        let editor = try world.container(account: Account(userRecordName: "_eva", roles: ["Editor"]), deviceID: "eva")
        container = try world.container(account: Account(userRecordName: "_ben"), deviceID: "ben")
        try await editor.apply(Self.schema)
        let (own, other) = (database, editor.publicDatabase)
        try await own.save(
            QuerySubscription(
                recordType: "Items", filter: Filter("number >= 0"), subscriptionID: "items",
                options: [.firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion]))
        try await own.save(DatabaseSubscription(subscriptionID: "all"))
        for number in 0..<8 {
            let value = hidden == 0 ? number : 7 - number
            try await other.saveAll([
                Record("Secrets", "secret \(number)", ["number": value, "name": "hidden \(hidden)"]),
                Record("Notes", "note \(number)", ["number": value, "name": "hidden \(hidden)"]),
            ])
            try await own.saveAll([
                Record("Notes", "own \(number)", ["number": number, "name": "own"]),
                Record(
                    "Items", "item \(number)",
                    [
                        "number": number % 3, "name": "item", "secret": Reference("secret \(number)"),
                        "note": Reference("note \(number)"), "own": Reference("own \(number)"),
                    ]),
            ])
            // Names that the user does not know, and different numbers of records.
            let name = hidden == 0 ? "unknown \(number)" : number < 4 ? "other \(number)" : "other 0"
            let unknown = Record(
                "Secrets", name,
                ["number": value, "holds": number % 4 == 3 ? Reference("item \(number)", .deny) : nil])
            try await other.save(unknown, savePolicy: .allKeys)
        }
        try await other.deleteRecord(withID: .named(hidden == 0 ? "unknown 1" : "other 1"))
    }

    private static let schema: Schema = {
        var schema = Schema(recordTypes: [:], roles: ["Editor"])
        let fields: [Record.FieldKey: Schema.Field] = [
            "name": .init(.string, [.queryable, .sortable]), "number": .init(.int64, [.queryable, .sortable]),
        ]
        schema["Secrets"] = .init(fields: fields, grants: ["Editor": [.read, .create, .write]])
        schema["Notes"] = .init(fields: fields, grants: ["_icloud": [.create], "_creator": [.read, .write]])
        schema["Items"] = .init(
            fields: fields, grants: ["_world": [.read], "_icloud": [.create], "_creator": [.write]])
        return schema
    }()
}
