import Cabinet
import Foundation

extension ConformanceRule {
    /// State that survives closing a store.
    static let durability: [ConformanceRule] = [
        ConformanceRule(
            .durability, "records and schema survive closing and reopening",
            law: "Records, references, schema and permissions are the same after the store was closed and reopened.",
            source: .storage("StorageBackend.write(_:_:)"), needsReopening: true
        ) { world in
            let database = try world.privateDatabase()
            var child = Record("Items", "child")
            child.setParent(.named("list"))
            let saved = try await database.saveAll([
                Record("Lists", "list", ["name": "Groceries"]), child,
                Record(
                    "Items", "milk",
                    [
                        "list": Reference("list", .deny), "name": "Milk\0", "number": Int64.min, "price": 0.1,
                        "tags": ["b", "a"],
                        "due": Date(timeIntervalSinceReferenceDate: 1e-9), "data": Data([0, 255]), "empty": [Int](),
                        "place": Location(latitude: 1, longitude: 2, altitude: 3),
                    ]),
            ])
            let everyones = try world.container().publicDatabase
            let published = try await everyones.save(Record("Items", "milk", ["number": "two"]))
            try await world.reopened { world in
                let database = try world.privateDatabase()
                for record in saved {
                    try expect("A record", try await database.record(for: record.recordID), equals: record)
                }
                try expect("The items", try await database.names(), equals: ["child", "milk"])
                try expect(
                    "The public record", try await world.container().publicDatabase.fetch("milk"), equals: published)
                try await expectError(.referenceViolation) { try await database.deleteRecord(withID: .named("list")) }
                try await expectError(.invalidArguments, in: "empty") {
                    try await database.save(Record("Items", "new", ["empty": ["text"]]))
                }
                let ben = try world.container(account: Account(userRecordName: "_ben")).publicDatabase
                try await expectError(.permissionFailure) { try await ben.deleteRecord(withID: .named("milk")) }
                try await database.save(saved[2].with(["number": 1]))
            }
        },
        ConformanceRule(
            .durability, "sequence numbers rise across openings",
            law: "After the store was reopened, numbers counted in an entry and change tags are new.",
            source: .storage("StorageMutation.setEntry(_:_:)"), needsReopening: true
        ) { world in
            let saved = try await world.privateDatabase().save(Record("Items", "milk"))
            try await world.privateDatabase().deleteRecord(withID: saved.recordID)
            let number = try await world.backend.write(.public) { transaction in
                try await transaction.add([], to: "Type")
                return try await transaction.reserveSampleNumbers(100)
            }
            try await world.reopened { world in
                let next = try await world.backend.write(.public) { try await $0.reserveSampleNumbers(1) }
                try expect(next >= number + 100, "The number \(next) came after \(number) with 100 numbers.")
                let again = try await world.privateDatabase().save(Record("Items", "milk"))
                try expect(
                    again.recordChangeTag != saved.recordChangeTag,
                    "The tag \(again.recordChangeTag ?? "nil") was reused.")
            }
        },
        ConformanceRule(
            .durability, "a cursor survives a restart",
            law: "A cursor that was encoded before the store was closed continues its query after it was reopened.",
            source: .cabinet("Cursor"), needsReopening: true
        ) { world in
            let database = try await world.samples(["a": 3, "b": 2, "c": nil, "d": 1])
            let query = Query(recordType: "Samples", sortedBy: [Sort("x")])
            let page = try await database.records(matching: query, resultsLimit: 2)
            let data = try JSONEncoder().encode([try require(page.queryCursor, "The cursor")])
            try await world.reopened { world in
                let cursor = try JSONDecoder().decode([Query.Cursor].self, from: data)[0]
                let rest = try await world.privateDatabase().records(continuingMatchFrom: cursor)
                try expect("The rest", rest.matchResults.map(\.0.recordName), equals: ["b", "a"])
            }
        },
        ConformanceRule(
            .durability, "databases are listed after reopening",
            law: "After the store was reopened, databases() lists every database, also those that were not read since.",
            source: .storage("DatabaseListing.databases()"), needsReopening: true, abilities: [.databases]
        ) { world in
            let keys: [DatabaseKey] = [.public, .private(owner: "_anna"), .shared(owner: "_Änna Ö/..")]
            for key in keys { try await world.backend.write(key) { try await $0.add([], to: "Samples") } }
            try await world.reopened { world in
                let listing = try require(world.backend.abilities.databases, "The ability to list databases")
                for key in [nil, keys[1]] {
                    if let key { try await world.backend.write(key) { try await $0.add([], to: "Others") } }
                    let found = try await listing.databases()
                    try expect("The number of listed databases", found.count, equals: Set(found).count)
                    try expect(Set(keys).isSubset(of: found), "Of \(keys), the listed databases are \(found).")
                }
            }
        },
    ]
}
