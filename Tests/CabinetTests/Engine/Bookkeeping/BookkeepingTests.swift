import CabinetTesting
import Foundation
import Synchronization
import Testing

@testable import Cabinet

/// The core's entries: numbers, timelines, notifications.
@Suite("The core's bookkeeping")
struct BookkeepingTests {
    private struct Refusal: Error {}

    @Test("Reserved numbers are above all that committed transactions reserved")
    func numbers() async throws {
        let backend = LivesBackend()
        var last: Int64 = 0
        for count in [1, 3, 1, 1000, 1] {
            let (first, second) = try await backend.write(.public) { transaction in
                (try await transaction.reserveSequenceNumbers(count), try await transaction.reserveSequenceNumbers(2))
            }
            #expect(first > last)
            #expect(second >= first + Int64(count))
            last = second + 1
            await #expect(throws: Refusal.self) {
                try await backend.write(.public) { transaction in
                    _ = try await transaction.reserveSequenceNumbers(5)
                    throw Refusal()
                }
            }
        }
        let known = try await backend.read(.public) { try await $0.lastSequenceNumber() }
        #expect(known == last)
    }

    @Test(
        "Without further numbers every change is refused, and the last number without a successor is damage",
        arguments: [(Int64.max - 1, CabinetError.Code.limitExceeded), (.max, .internalError)])
    func lastNumbers(last: Int64, code: CabinetError.Code) async throws {
        let backend = LivesBackend()
        func database(_ user: String) throws -> Database {
            let account = Account(userRecordName: user)
            return try Container(identifier: "org.cabinet.numbers", backend: backend, account: account).publicDatabase
        }
        let (anna, ben) = (try database("_anna"), try database("_ben"))
        var record = Record(recordType: "Items")
        record["name"] = "Milk"
        let kept = try await anna.save(record)
        // A new timeline begins with the next number.
        backend.origin.withLock { $0 = "later" }
        try await backend.write(.public) { try await $0.apply([.setEntry(DatabaseState.key, "\(last)")]) }
        let changes: [() async throws -> Void] = [
            { try await anna.save(Record(recordType: "Items")) },
            // The user's own record is created first.
            { try await ben.save(Record(recordType: "Items")) },
            { try await anna.deleteRecord(withID: kept.recordID) },
            { try await anna.save(RecordZone(zoneName: "Home")) },
            { try await anna.drop(SchemaPart("Items", "name"), losingAtMost: .max) },
        ]
        for change in changes {
            let error = await #expect(throws: CabinetError.self) { try await change() }
            #expect(error?.code == code)
        }
        try await backend.write(.public) { try await $0.apply([.setEntry(DatabaseState.key, "1000")]) }
        #expect(try await anna.record(for: kept.recordID) == kept)
        try await ben.save(Record(recordType: "Items"))
    }

    @Test("A number stays on the timeline of its life of the store, and each life has one")
    func timelines() async throws {
        let backend = LivesBackend()
        var known: [TimelinePoint] = []
        for life in ["a", "b", "c"] {
            backend.origin.withLock { $0 = life }
            var current: Set<Int64?> = []
            for _ in 0..<3 {
                _ = try await backend.write(.public) { try await $0.reserveSequenceNumbers(2) }
                await #expect(throws: Refusal.self) {
                    try await backend.write(.public) { transaction in
                        _ = try await transaction.reserveSequenceNumbers(1)
                        throw Refusal()
                    }
                }
                let end = try await backend.read(.public) { try await $0.timelineEnd() }
                current.insert(end.timeline)
                known.append(end)
                known.append(TimelinePoint(number: end.number - 1, timeline: end.timeline))
                for point in known {
                    let others = [nil, 7] + known.map(\.timeline).filter { $0 != point.timeline }
                    let contains = try await backend.read(.public) { snapshot in
                        let state = try await snapshot.databaseState()
                        var found = [try await state.contains(point, in: snapshot)]
                        for other in others {
                            let strange = TimelinePoint(number: point.number, timeline: other)
                            found.append(try await state.contains(strange, in: snapshot))
                        }
                        return found
                    }
                    #expect(contains == [true] + others.map { _ in false })
                }
            }
            #expect(current.count == 1)
        }
        #expect(Set(known.map(\.timeline)).count == 3)
    }

    @Test("A change in a zone that was not loaded is refused; the default zone exists before its first change")
    func unknownZones() throws {
        var numbers = ZoneNumbers(last: 7)
        _ = numbers.next(in: .default)
        var zones: [RecordZone.ID: StoredZone] = [:]
        var mutations: [StorageMutation] = []
        let error = #expect(throws: CabinetError.self) { try numbers.mark(&zones, &mutations) }
        #expect(error?.code == .internalError)
        #expect(mutations.isEmpty)
        zones[.default] = try StoredZone.loaded(.default, nil)
        try numbers.mark(&zones, &mutations)
        #expect(zones[.default]?.changeNumber == 8)
        #expect(mutations.count == 1)
        #expect(try StoredZone.loaded(.default, "3 5 4 ")?.expirationNumber == 4)
        #expect(try StoredZone.loaded(RecordZone.ID(zoneName: "Travel"), nil) == nil)
    }

    @Test("A change of the schema begins a timeline without an origin too, and earlier points stay in the past")
    func schemaChanges() async throws {
        let backend = MemoryBackend()
        var points = [TimelinePoint(number: 0)]
        for _ in 0..<3 {
            let number = try await backend.write(.public) { transaction in
                _ = try await transaction.reserveSequenceNumbers(2)
                return try await transaction.reserveNumberOfSchemaChange()
            }
            points.append(try await backend.read(.public) { try await $0.timelineEnd() })
            #expect(points.last?.number == number)
            for point in points {
                let isKnown = try await backend.read(.public) { snapshot in
                    try await snapshot.databaseState().contains(point, in: snapshot)
                }
                #expect(isKnown)
            }
        }
        #expect(Set(points.map(\.timeline)).count == 4)
    }

    @Test("A notification replaces the one of its own user with its key")
    func replacementKeys() async throws {
        let backend = MemoryBackend()
        func post(_ number: Int64, to users: [String]) async throws {
            try await backend.write(.public) { transaction in
                for (offset, user) in users.enumerated() {
                    let notification = StoredNotification(
                        userName: user, sequenceNumber: number + Int64(offset), date: Date(), deviceID: "device",
                        subscriptionID: "all", event: .database, replacementKey: "key")
                    try await transaction.apply([try BookkeepingEntry.notification(notification).mutation()])
                }
            }
        }
        func numbers(of user: String) async throws -> [Int64] {
            try await backend.read(.public) {
                try await $0.notifications(to: user, after: 0, limit: 10).map(\.sequenceNumber)
            }
        }
        try await post(1, to: ["anna", "ben"])
        try await post(3, to: ["anna"])
        #expect(try await numbers(of: "anna") == [3])
        #expect(try await numbers(of: "ben") == [2])
    }

    @Test("A damaged subscription does not prevent saves, and is an error for its owner")
    func damagedSubscription() async throws {
        let backend = MemoryBackend()
        func database(_ user: String) throws -> Database {
            try Container(
                identifier: "com.example.test", backend: backend, account: Account(userRecordName: user)
            ).publicDatabase
        }
        try await database("_anna").save(
            QuerySubscription(recordType: "Items", filter: .constant(true), options: .firesOnRecordCreation))
        try await backend.write(.public) { transaction in
            let entries = try await transaction.entries(in: StoredSubscription.allKeys, limit: 10)
            try await transaction.apply(entries.map { .setEntry($0.key, "{}") })
        }
        let record = try await database("_ben").save(Record(recordType: "Items"))
        #expect(try await database("_ben").record(for: record.recordID).recordID == record.recordID)
        await #expect { try await database("_anna").allSubscriptions() } throws: {
            CabinetError.Code.internalError ~= $0
        }
    }

    @Test("Names become keys that differ, are adjacent, and can be decoded")
    func keys() {
        let names = ["a", "a/b", "a b", "a%2Fb", "Ä", "é", "e\u{301}", "👩‍👧", "", "\n", "a%"]
        let keys = names.map { StorageKey("kind", $0, "last") }
        #expect(Set(keys).count == names.count)
        for (name, key) in zip(names, keys) {
            #expect(key.names.map { Array($0.utf8) } == ["kind", name, "last"].map { Array($0.utf8) })
            #expect(StorageKey.all("kind").contains(key))
            #expect(StorageKey.all("kind", name).contains(key))
            #expect(names.filter { StorageKey.all("kind", $0).contains(key) }.count == 1)
        }
        let numbers: [Int64] = [0, 1, 9, 10, 99, 1_000_000, .max]
        #expect(
            numbers.map { StorageKey(StorageKey.name($0)) }.sorted() == numbers.map { StorageKey(StorageKey.name($0)) })
        let longest = String(repeating: "\u{FF}", count: 127)
        let zoneID = RecordZone.ID(zoneName: longest, ownerName: longest)
        let all = [
            StoredZone.key(zoneID), ZoneRemoval.key(.max, of: zoneID), ZoneRemoval.zoneKey(zoneID),
            SubscriptionTopic.zone(longest).key(longest, of: longest),
            StoredSubscription.userKey(longest, of: longest), SubscriptionTopic.zone(longest).versionKey,
        ]
        for key in all { #expect(key.text.utf8.count <= StorageKey.maximumLength) }
    }
}

/// A memory backend that can begin another life.
private final class LivesBackend: WrappingBackend {
    let origin = Mutex("a")
    let base: any StorageBackend = MemoryBackend()

    func write<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        let origin = origin.withLock(\.self)
        return try await base.write(database) { try await body(LifeTransaction(base: $0, origin: origin)) }
    }
}

private struct LifeTransaction: WrappingTransaction {
    let base: any StorageTransaction
    let origin: String

    func load(_ keys: StorageKeys) async throws -> StorageValues {
        var values = try await base.load(keys)
        values.origin = origin
        return values
    }
}
