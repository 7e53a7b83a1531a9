import Cabinet
import CabinetTools
import Foundation
import Testing

@Suite("Verification of the core's bookkeeping")
struct BookkeepingTests {
    /// Texts that replace entries, and the findings of a verification.
    struct Damage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let entries: [String: String?]
        let kinds: Set<IntegrityIssue.Kind>
        let isRepaired: Bool

        init(
            _ name: String, _ entries: [String: String?], _ kinds: Set<IntegrityIssue.Kind>, isRepaired: Bool = false
        ) {
            testDescription = name
            self.entries = entries
            self.kinds = kinds
            self.isRepaired = isRepaired
        }
    }

    private static let work = "database/zone/__defaultOwner__/Work"
    private static let standard = "database/zone/__defaultOwner__/_defaultZone"
    private static let gone = "database/removalByZone/__defaultOwner__/Gone"
    private static let other = "database/removalByZone/__defaultOwner__/Other"
    private static let earlierOther = "database/removedZone/__defaultOwner__/Other"
    private static let forgotten = "database/removedZoneExpiration"

    /// The key of a removal.
    private static func removal(_ number: String) -> String {
        "database/removalByNumber/\(String(repeating: "0", count: 19 - number.count))\(number)/__defaultOwner__/Other"
    }

    private static let all = "subscriptionByTopic/any//_anna/all"
    private static let allOfUser = "subscriptionByUser/_anna/all"
    private static let earlier =
        #"{"subscription":{"database":{"_0":{"subscriptionID":"a"}}},"userName":"_ben"}"#

    static let damages = [
        Damage("no last number", ["database": "x"], [.sequenceNumber], isRepaired: true),
        Damage(
            "a last number that is too low", ["database": "1"], [.sequenceNumber, .zone, .notification],
            isRepaired: true),
        Damage("a zone without numbers", [work: "x"], [.zone]),
        Damage("a zone that has not heard of its changes", [work: "1 1 0 _anna"], [.zone], isRepaired: true),
        Damage("a zone of the future", [work: "1 1000 0 _anna"], [.zone], isRepaired: true),
        Damage("a zone that was changed before it was created", [work: "52 47 0 _anna"], [.zone]),
        Damage("a zone whose name cannot be", ["database/zone/__defaultOwner__/_Work": "1 1 0 _anna"], [.zone]),
        Damage("no default zone", [standard: nil], [.zone], isRepaired: true),
        Damage("a default zone without numbers", [standard: ""], [.zone]),
        Damage("a removal without a date", [removal("2"): "x", other: "2"], [.zone]),
        Damage("a removal of the future", [removal("1000"): "0", other: "1000"], [.zone], isRepaired: true),
        Damage(
            "two removals of a zone", [removal("1"): "0", removal("2"): "0", other: "2"], [.zone], isRepaired: true),
        Damage("a removal that its zone does not find", [gone: nil], [.zone], isRepaired: true),
        Damage("a removal that its zone finds elsewhere", [gone: "x"], [.zone], isRepaired: true),
        Damage("a zone with a removal that does not exist", [other: "2"], [.zone], isRepaired: true),
        Damage("an earlier version's removal", [earlierOther: "2"], []),
        Damage("an earlier version's removal without a number", [earlierOther: "x"], [.zone]),
        Damage("an earlier version's removal of the future", [earlierOther: "1000"], [.zone], isRepaired: true),
        Damage("forgotten removals in the past", [forgotten: "2"], []),
        Damage("forgotten removals without a number", [forgotten: "x"], [.zone], isRepaired: true),
        Damage("forgotten removals of the future", [forgotten: "1000"], [.zone], isRepaired: true),
        Damage("values that are not unique", ["schema/type/Items": "UNIQUE name"], [.uniqueValue]),
        Damage("two unique fields, one of them nil", ["schema/type/Items": "UNIQUE name number"], [.uniqueValue]),
        Damage("a subscription that is not JSON", [all: "x"], [.subscription]),
        Damage("a subscription under another name", ["subscriptionByTopic/any//_ben/all": nil], []),
        Damage("a subscription that its user does not find", [allOfUser: nil], [.subscription], isRepaired: true),
        Damage("a subscription that its user finds elsewhere", [allOfUser: "x"], [.subscription], isRepaired: true),
        Damage(
            "a subscription that does not exist", ["subscriptionByUser/_ben/all": all], [.subscription],
            isRepaired: true),
        Damage(
            "a subscription that no save finds", ["subscriptionVersion/type/Items": nil], [.subscription],
            isRepaired: true),
        Damage("a topic without subscriptions", ["subscriptionVersion/type/A": "1"], [.subscription], isRepaired: true),
        Damage("an earlier version's subscription that is not JSON", ["subscription/_ben/a": "x"], [.subscription]),
        Damage("an earlier version's subscription", ["subscription/_ben/a": earlier], []),
        Damage("an earlier version's subscription of another user", ["subscription/_anna/a": earlier], [.subscription]),
        Damage(
            "a notification that is not JSON", ["notification/_anna/0000000000000000005": "{}"], [.notification],
            isRepaired: true),
        Damage(
            "an expiration without a number", ["forgottenNotification/_anna": "x"], [.notification], isRepaired: true),
        Damage(
            "an expiration of the future", ["forgottenNotification/_anna": "1000"], [.notification], isRepaired: true),
        Damage("an expiration in the past", ["forgottenNotification/_ben": "2"], []),
        Damage("an expiration below zero", ["forgottenNotification/_ben": "-2"], [.notification], isRepaired: true),
    ]

    @Test("A sample is clean")
    func clean() async throws {
        let store = try await SampleStore.filled()
        let report = try await store.container.verify()
        #expect(report.findings.map(\.description) == [])
        #expect(report.counts.subscriptions == 2)
        #expect(report.counts.zones == 3)
        let keys = Set(try await SampleStore.entries("", of: store.backend).map(\.key.text))
        for key in [Self.work, Self.standard, Self.gone, "database", Self.all, Self.allOfUser] {
            #expect(keys.contains(key), "The sample has no entry '\(key)', which other tests damage.")
        }
        #expect(keys.contains { $0.hasPrefix("latest/_anna/") || $0.hasPrefix("notification/_anna/") })
    }

    @Test("Damage is found under its name, and repaired if nothing is lost", arguments: damages)
    func damage(_ damage: Damage) async throws {
        let store = try await SampleStore.filled()
        try await store.overwrite(damage.entries)
        let report = try await store.container.verify()
        #expect(Set(report.findings.map(\.kind)) == damage.kinds, "\(report)")
        let before = try await SampleStore.entries("", of: store.backend)
        let repaired = try await store.container.verify(repairing: true)
        #expect(repaired.isClean == (damage.isRepaired || damage.kinds.isEmpty), "\(repaired)")
        let after = try await SampleStore.entries("", of: store.backend)
        if damage.isRepaired {
            try await #expect(store.container.verify().findings.map(\.description) == [])
            // The store remains usable.
            try await store.database.save(Record(recordType: "Items", recordID: "new").with(number: 9))
            _ = try await store.container.fetchNotifications(since: nil)
            try await #expect(store.container.verify().findings.map(\.description) == [])
        } else {
            #expect(Set(after).symmetricDifference(before) == [])
        }
    }

    @Test("A finding about a zone names it, also when its entry cannot be read")
    func zones() async throws {
        let store = try await SampleStore.filled()
        try await store.overwrite([Self.work: "1 2 three _anna"])
        let report = try await store.container.verify(repairing: true)
        #expect(report.findings.map(\.zoneID) == [SampleStore.zoneID])
        #expect(report.findings.map(\.isRepaired) == [false])
        #expect(report.counts.records == (12 + 1 + 1) + (11 + 1), "Records in the zone are read all the same.")
    }

    @Test("A repair forgets the notifications of a user with a damaged one, and of no other user")
    func notifications() async throws {
        let store = try await SampleStore.filled()
        let ben = StoredNotification(
            userName: "_ben", sequenceNumber: 3, date: .distantPast, deviceID: "device", subscriptionID: "all",
            event: .database)
        let text = try ben.json
        try await store.backend.write(SampleStore.anna) { transaction in
            try await transaction.apply([
                .setEntry(StorageKey("notification/_ben/0000000000000000003"), text),
                .setEntry(StorageKey("notification/_anna/0000000000000000004"), "damaged"),
            ])
        }
        let report = try await store.container.verify(repairing: true)
        #expect(report.findings.map(\.kind) == [.notification])
        #expect(report.isClean)
        try await #expect(SampleStore.entries("notification/", of: store.backend).map(\.text) == [text])
        try await #expect(SampleStore.entries("latest/", of: store.backend) == [])
    }
}

extension StoredNotification {
    fileprivate var json: String {
        get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
    }
}
