public import Foundation

/// The settings of notifications. CloudKit's `CKSubscription.NotificationInfo`.
///
/// The store keeps ``desiredKeys``. The rest is accepted and ignored: nothing here shows alerts.
// Unchecked, and safe as far as CloudKit's own is: the settings are set before the subscription is saved.
open class CKNotificationInfo: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// The text of an alert.
    open var alertBody: String? {
        didSet {
            if alertBody != nil { IgnoredMember.warn("CKNotificationInfo.alertBody", "nothing here shows alerts") }
        }
    }
    /// The key of an alert's text.
    open var alertLocalizationKey: String?
    /// The fields that complete an alert's text.
    open var alertLocalizationArgs: [CKRecord.FieldKey]?
    /// The title of an alert.
    open var title: String?
    /// The key of a title.
    open var titleLocalizationKey: String?
    /// The fields that complete a title.
    open var titleLocalizationArgs: [CKRecord.FieldKey]?
    /// The subtitle of an alert.
    open var subtitle: String?
    /// The key of a subtitle.
    open var subtitleLocalizationKey: String?
    /// The fields that complete a subtitle.
    open var subtitleLocalizationArgs: [CKRecord.FieldKey]?
    /// The key of a button's title.
    open var alertActionLocalizationKey: String?
    /// The name of an image.
    open var alertLaunchImage: String?
    /// The name of a sound.
    open var soundName: String? {
        didSet {
            if soundName != nil { IgnoredMember.warn("CKNotificationInfo.soundName", "nothing here shows alerts") }
        }
    }
    /// The fields that notifications include.
    open var desiredKeys: [CKRecord.FieldKey]?
    /// Whether the application's badge counts notifications.
    open var shouldBadge = false {
        didSet { if shouldBadge { IgnoredMember.warn("CKNotificationInfo.shouldBadge", "nothing here shows a badge") } }
    }
    /// Whether notifications start the application.
    open var shouldSendContentAvailable = false
    /// Whether an extension may change notifications.
    open var shouldSendMutableContent = false
    /// The category of notifications.
    open var category: String?
    /// The field by which notifications are combined.
    open var collapseIDKey: String?

    /// Creates settings.
    public convenience init(
        alertBody: String? = nil, alertLocalizationKey: String? = nil,
        alertLocalizationArgs: [CKRecord.FieldKey] = [], title: String? = nil, titleLocalizationKey: String? = nil,
        titleLocalizationArgs: [CKRecord.FieldKey] = [], subtitle: String? = nil,
        subtitleLocalizationKey: String? = nil, subtitleLocalizationArgs: [CKRecord.FieldKey] = [],
        alertActionLocalizationKey: String? = nil, alertLaunchImage: String? = nil, soundName: String? = nil,
        desiredKeys: [CKRecord.FieldKey] = [], shouldBadge: Bool = false, shouldSendContentAvailable: Bool = false,
        shouldSendMutableContent: Bool = false, category: String? = nil, collapseIDKey: String? = nil
    ) {
        self.init()
        self.alertBody = alertBody
        self.alertLocalizationKey = alertLocalizationKey
        self.alertLocalizationArgs = alertLocalizationArgs
        self.title = title
        self.titleLocalizationKey = titleLocalizationKey
        self.titleLocalizationArgs = titleLocalizationArgs
        self.subtitle = subtitle
        self.subtitleLocalizationKey = subtitleLocalizationKey
        self.subtitleLocalizationArgs = subtitleLocalizationArgs
        self.alertActionLocalizationKey = alertActionLocalizationKey
        self.alertLaunchImage = alertLaunchImage
        self.soundName = soundName
        self.desiredKeys = desiredKeys
        self.shouldBadge = shouldBadge
        self.shouldSendContentAvailable = shouldSendContentAvailable
        self.shouldSendMutableContent = shouldSendMutableContent
        self.category = category
        self.collapseIDKey = collapseIDKey
        // An initializer sets properties without their observers.
        if alertBody != nil { IgnoredMember.warn("CKNotificationInfo.alertBody", "nothing here shows alerts") }
        if soundName != nil { IgnoredMember.warn("CKNotificationInfo.soundName", "nothing here shows alerts") }
        if shouldBadge { IgnoredMember.warn("CKNotificationInfo.shouldBadge", "nothing here shows a badge") }
    }

    /// Creates settings without any.
    public override init() {
        super.init()
    }

    /// Whether archives are read securely: always.
    public class var supportsSecureCoding: Bool { true }

    /// Reads settings from an archive.
    public required convenience init?(coder: NSCoder) {
        guard let content: Content = coder.decodeContent() else { return nil }
        self.init(content)
    }

    /// Writes the settings into an archive.
    open func encode(with coder: NSCoder) { coder.encodeContent(Content(self)) }

    /// Returns settings with the same content.
    open func copy(with zone: NSZone? = nil) -> Any { CKNotificationInfo(Content(self)) }

    private convenience init(_ content: Content) {
        self.init(
            alertBody: content.alertBody, alertLocalizationKey: content.alertLocalizationKey,
            alertLocalizationArgs: content.alertLocalizationArgs ?? [], title: content.title,
            titleLocalizationKey: content.titleLocalizationKey,
            titleLocalizationArgs: content.titleLocalizationArgs ?? [], subtitle: content.subtitle,
            subtitleLocalizationKey: content.subtitleLocalizationKey,
            subtitleLocalizationArgs: content.subtitleLocalizationArgs ?? [],
            alertActionLocalizationKey: content.alertActionLocalizationKey,
            alertLaunchImage: content.alertLaunchImage, soundName: content.soundName,
            desiredKeys: content.desiredKeys ?? [], shouldBadge: content.shouldBadge,
            shouldSendContentAvailable: content.shouldSendContentAvailable,
            shouldSendMutableContent: content.shouldSendMutableContent, category: content.category,
            collapseIDKey: content.collapseIDKey)
    }
}

/// The settings as they are archived.
private struct Content: Codable {
    let alertBody: String?
    let alertLocalizationKey: String?
    let alertLocalizationArgs: [CKRecord.FieldKey]?
    let title: String?
    let titleLocalizationKey: String?
    let titleLocalizationArgs: [CKRecord.FieldKey]?
    let subtitle: String?
    let subtitleLocalizationKey: String?
    let subtitleLocalizationArgs: [CKRecord.FieldKey]?
    let alertActionLocalizationKey: String?
    let alertLaunchImage: String?
    let soundName: String?
    let desiredKeys: [CKRecord.FieldKey]?
    let shouldBadge: Bool
    let shouldSendContentAvailable: Bool
    let shouldSendMutableContent: Bool
    let category: String?
    let collapseIDKey: String?

    init(_ info: CKNotificationInfo) {
        alertBody = info.alertBody
        alertLocalizationKey = info.alertLocalizationKey
        alertLocalizationArgs = info.alertLocalizationArgs
        title = info.title
        titleLocalizationKey = info.titleLocalizationKey
        titleLocalizationArgs = info.titleLocalizationArgs
        subtitle = info.subtitle
        subtitleLocalizationKey = info.subtitleLocalizationKey
        subtitleLocalizationArgs = info.subtitleLocalizationArgs
        alertActionLocalizationKey = info.alertActionLocalizationKey
        alertLaunchImage = info.alertLaunchImage
        soundName = info.soundName
        desiredKeys = info.desiredKeys
        shouldBadge = info.shouldBadge
        shouldSendContentAvailable = info.shouldSendContentAvailable
        shouldSendMutableContent = info.shouldSendMutableContent
        category = info.category
        collapseIDKey = info.collapseIDKey
    }
}
