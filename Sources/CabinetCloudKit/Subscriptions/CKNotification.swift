public import Cabinet
public import Foundation

/// A notification of a subscription: the base class of the three kinds.
///
/// ``CabinetCloudKit/notifications(of:since:includingOwnChanges:)`` delivers them. A program that reads dictionaries in its delegate gets one from
/// ``remoteNotificationDictionary``.
// Unchecked, and safe: all properties are constants.
open class CKNotification: NSObject, CKRemoteNotification, @unchecked Sendable {
    /// The identity of a notification.
    public typealias ID = CKNotificationID

    /// A kind of notification.
    public enum NotificationType: Int, Sendable, Hashable {
        /// A change of a record that a query finds.
        case query = 1
        /// A change in a zone.
        case recordZone = 2
        /// A mark that another notification was read, which Cabinet does not send.
        case readNotification = 3
        /// A change in a database.
        case database = 4
    }

    /// The kind of the notification.
    public let notificationType: NotificationType
    /// The container.
    public let containerIdentifier: String?
    /// The subscription that fired.
    public let subscriptionID: CKSubscription.ID?
    /// The identity of the notification.
    public let notificationID: ID?
    /// Whether details are missing: never.
    open var isPruned: Bool { false }
    /// The text of an alert, which Cabinet does not send.
    open var alertBody: String? { nil }
    /// The title of an alert, which Cabinet does not send.
    open var title: String? { nil }
    /// The key of a title, which Cabinet does not send.
    open var titleLocalizationKey: String? { nil }
    /// The values that complete a title, which Cabinet does not send.
    open var titleLocalizationArgs: [String]? { nil }
    /// The subtitle of an alert, which Cabinet does not send.
    open var subtitle: String? { nil }
    /// The key of a subtitle, which Cabinet does not send.
    open var subtitleLocalizationKey: String? { nil }
    /// The values that complete a subtitle, which Cabinet does not send.
    open var subtitleLocalizationArgs: [String]? { nil }
    /// The key of an alert's text, which Cabinet does not send.
    open var alertLocalizationKey: String? { nil }
    /// The values that complete an alert's text, which Cabinet does not send.
    open var alertLocalizationArgs: [String]? { nil }
    /// The key of a button's title, which Cabinet does not send.
    open var alertActionLocalizationKey: String? { nil }
    /// The name of an image, which Cabinet does not send.
    open var alertLaunchImage: String? { nil }
    /// The number of a badge, which Cabinet does not send.
    open var badge: NSNumber? { nil }
    /// The name of a sound, which Cabinet does not send.
    open var soundName: String? { nil }
    /// The category of the notification, which Cabinet does not send.
    open var category: String? { nil }
    /// The owner of the subscription.
    open var subscriptionOwnerUserRecordID: CKRecord.ID? { nil }

    private let content: Content

    /// The coded content of a notification.
    struct Content: Codable, Sendable {
        let containerIdentifier: String
        let notification: SubscriptionNotification
    }

    init(_ content: Content, _ type: NotificationType) {
        self.content = content
        notificationType = type
        containerIdentifier = content.containerIdentifier
        subscriptionID = content.notification.subscriptionID
        notificationID = ID(content.notification.token.description)
    }

    /// The position after the notification, from which
    /// ``CabinetCloudKit/notifications(of:since:includingOwnChanges:)`` continues.
    public var token: NotificationToken { content.notification.token }

    /// The notification as a dictionary, which `init(fromRemoteNotificationDictionary:)` reads.
    public var remoteNotificationDictionary: [AnyHashable: Any] {
        let data = (try? JSONEncoder().encode(content)) ?? Data()
        return ["ck": ["cabinet": String(decoding: data, as: UTF8.self)]]
    }

    static func content(of dictionary: [AnyHashable: Any]) -> Content? {
        guard let details = dictionary["ck"] as? [String: Any], let text = details["cabinet"] as? String else {
            return nil
        }
        return try? JSONDecoder().decode(Content.self, from: Data(text.utf8))
    }

    /// Creates the object for a notification.
    static func object(_ content: Content) -> CKNotification {
        switch content.notification.event {
        case .query(let event): CKQueryNotification(content, event)
        case .recordZone(let zoneID): CKRecordZoneNotification(content, zoneID)
        case .database, .manyChanges: CKDatabaseNotification(content)
        case .failure: CKQueryNotification(content, nil)
        }
    }

    static func scope(_ content: Content) -> CKDatabase.Scope {
        CKDatabase.Scope(rawValue: content.notification.databaseScope.rawValue) ?? .private
    }
}

// The initializer of a class cannot return a subclass, and that of a protocol can.
/// A notification that a program's delegate receives as a dictionary.
public protocol CKRemoteNotification {}

extension CKRemoteNotification where Self: CKNotification {
    /// Reads a notification, as an object of its own class, from the dictionary that a program's delegate receives.
    ///
    /// The result is `nil` if the dictionary has no notification, or has one of another class than the one that is created.
    public init?(fromRemoteNotificationDictionary notificationDictionary: [AnyHashable: Any]) {
        guard let content = CKNotification.content(of: notificationDictionary),
            let notification = CKNotification.object(content) as? Self
        else {
            return nil
        }
        self = notification
    }
}

/// The identity of a notification. CloudKit's `CKNotification.ID`.
// Unchecked, and safe: the only property is a constant.
open class CKNotificationID: NSObject, @unchecked Sendable {
    private let text: String

    init(_ text: String) {
        self.text = text
    }

    /// Returns a Boolean value that indicates whether another object is the same ID.
    open override func isEqual(_ object: Any?) -> Bool { (object as? CKNotificationID)?.text == text }

    /// A hash of the ID.
    open override var hash: Int { text.hashValue }
}

/// A notification of a change of a record that a query finds.
// Unchecked, and safe: all properties are constants.
open class CKQueryNotification: CKNotification, @unchecked Sendable {
    /// The kinds of changes.
    public enum Reason: Int, Sendable, Hashable {
        /// The record was created.
        case recordCreated = 1
        /// The record was changed.
        case recordUpdated = 2
        /// The record was deleted.
        case recordDeleted = 3
    }

    /// The kind of the change.
    public let queryNotificationReason: Reason
    /// The record.
    public let recordID: CKRecord.ID?
    /// The desired fields of the record.
    public let recordFields: [String: any CKRecordValue]?
    /// The database of the record.
    public let databaseScope: CKDatabase.Scope

    init(_ content: Content, _ event: SubscriptionNotification.RecordEvent?) {
        queryNotificationReason = event.flatMap { Reason(rawValue: $0.reason.rawValue) } ?? .recordUpdated
        recordID = event.map { CKRecord.ID($0.recordID) }
        recordFields = event?.recordFields.mapValues(\.object)
        databaseScope = Self.scope(content)
        super.init(content, .query)
    }
}

/// A notification of a change in a zone.
// Unchecked, and safe: all properties are constants.
open class CKRecordZoneNotification: CKNotification, @unchecked Sendable {
    /// The zone.
    public let recordZoneID: CKRecordZone.ID?
    /// The database of the zone.
    public let databaseScope: CKDatabase.Scope

    init(_ content: Content, _ zoneID: RecordZone.ID) {
        recordZoneID = CKRecordZone.ID(zoneID)
        databaseScope = Self.scope(content)
        super.init(content, .recordZone)
    }
}

/// A notification of a change in a database.
// Unchecked, and safe: all properties are constants.
open class CKDatabaseNotification: CKNotification, @unchecked Sendable {
    /// The database.
    public let databaseScope: CKDatabase.Scope

    init(_ content: Content) {
        databaseScope = Self.scope(content)
        super.init(content, .database)
    }
}
