/// A group of subscriptions that a save loads as a whole, because its changes may fire each of them.
///
/// A save belongs to the topics of its record types and custom zones, and to ``any``. It loads no others.
enum SubscriptionTopic: Hashable, Sendable {
    /// Changes in a custom zone.
    case zone(String)
    /// Changes of records of a type, unless the subscription names a custom zone.
    case type(Record.RecordType)
    /// Any other changes: of all records of the default zone, or of the database.
    case any
}

extension SubscriptionTopic {
    /// The topic of a subscription.
    init(of subscription: Subscription) {
        if let zoneID = SubscriptionRule.zoneID(of: subscription), zoneID != .default {
            self = .zone(zoneID.zoneName)
        } else {
            self = SubscriptionRule.recordType(of: subscription).map(Self.type) ?? .any
        }
    }

    /// The topic that the key of a subscription or of a version names.
    init?(_ key: StorageKey) {
        let names = key.names.dropFirst().prefix(2)
        switch (names.first, names.last) {
        case ("zone", let name?): self = .zone(name)
        case ("type", let name?): self = .type(name)
        case ("any", ""): self = .any
        default: return nil
        }
    }

    private var names: (kind: String, name: String) {
        switch self {
        case .zone(let name): ("zone", name)
        case .type(let type): ("type", type)
        case .any: ("any", "")
        }
    }

    /// The keys of all subscriptions of the topic.
    var keys: Range<StorageKey> { StorageKey.all("subscriptionByTopic", names.kind, names.name) }

    /// The key of a subscription of the topic.
    func key(_ id: Subscription.ID, of userName: String) -> StorageKey {
        StorageKey("subscriptionByTopic", names.kind, names.name, userName, id)
    }

    /// The key of a text that changes with every change of the topic's subscriptions; without any, the entry does not exist.
    var versionKey: StorageKey {
        // Every save loads this one.
        if case .any = self { Self.anyVersionKey } else { StorageKey("subscriptionVersion", names.kind, names.name) }
    }

    private static let anyVersionKey = StorageKey("subscriptionVersion", "any", "")

    /// The keys of the versions of all topics.
    static let allVersionKeys = StorageKey.all("subscriptionVersion")

    /// Returns a version that no topic has had before.
    static func newVersion() -> String { String(UInt64.random(in: .min ... .max), radix: 36) }

    /// Returns the topics of the changes of records.
    static func topics(
        of recordTypes: some Sequence<Record.RecordType>, in zoneIDs: some Sequence<RecordZone.ID>
    ) -> [SubscriptionTopic] {
        var topics: [SubscriptionTopic] = []
        topics.reserveCapacity(4)
        topics.append(.any)
        var last: Record.RecordType?
        // Most batches have one type. Changes of user records are not reported.
        for type in recordTypes where type != last {
            last = type
            if type != UserRecordRule.recordType, !topics.contains(.type(type)) { topics.append(.type(type)) }
        }
        for zoneID in zoneIDs where zoneID != .default { topics.append(.zone(zoneID.zoneName)) }
        return topics
    }
}
