/// The settings of a container in iCloud.
public struct ICloudConfiguration: Sendable, Hashable {
    /// The longest time after which a live query runs again although no notification has arrived.
    ///
    /// CloudKit may delay or drop silent notifications, and sends none about all changes of the public database. The default is a minute.
    public var pollInterval: Duration = .seconds(60)

    /// Whether the first live query of the private or the shared database saves a subscription to the database.
    ///
    /// CloudKit then sends silent notifications to the user's other devices. The default is `true`.
    public var subscribes = true

    /// The time for which a request is repeated that iCloud refuses for now, as it asks for.
    ///
    /// The default is a minute.
    public var retryTimeLimit: Duration = .seconds(60)

    /// Creates the default settings.
    public init() {}
}
