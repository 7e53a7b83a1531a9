public import Cabinet

extension CabinetCloudKit {
    /// The position of a notification, which a program stores.
    public typealias NotificationToken = Cabinet.NotificationToken

    /// Returns the notifications of the user's subscriptions in a container, first those that wait, then new ones.
    ///
    /// They replace push notifications. Changes that this device makes are not among them, as in CloudKit, unless
    /// they are asked for. A program that stores the token of the last notification it has handled continues after it:
    ///
    /// ```swift
    /// let notifications = CabinetCloudKit.notifications(
    ///     of: container, since: token)
    /// for try await notification in notifications {
    ///     let userInfo = notification.remoteNotificationDictionary
    ///     application(didReceiveRemoteNotification: userInfo)
    ///     token = notification.token
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - container: The container.
    ///   - token: The token of the last known notification, or `nil` for all that are kept.
    ///   - includingOwnChanges: Whether changes of this device, which ``Options/deviceID`` names, are included, for tests.
    /// - Returns: A sequence that reads a notification when it is asked for one. It throws
    ///   ``CKError/Code/changeTokenExpired`` if notifications after the token were removed: fetch the data you need, and begin again
    ///   without a token.
    public static func notifications(
        of container: CKContainer, since token: NotificationToken? = nil, includingOwnChanges: Bool = false
    ) -> AsyncThrowingStream<CKNotification, any Error> {
        let (identifier, registry) = (container.identifier, container.registry)
        let reader = NotificationReader {
            let opened = try registry.open(identifier).container
            return opened.notifications(since: token, includingOwnChanges: includingOwnChanges)
        }
        return AsyncThrowingStream {
            do {
                return try await reader.next().map {
                    .object(.init(containerIdentifier: identifier, notification: $0))
                }
            } catch {
                throw CKError.translating(error)
            }
        }
    }
}

/// Reads notifications one by one, from the first request on.
private actor NotificationReader {
    private let sequence: @Sendable () throws -> NotificationSequence
    private var iterator: NotificationSequence.Iterator?

    init(_ sequence: @escaping @Sendable () throws -> NotificationSequence) {
        self.sequence = sequence
    }

    func next() async throws -> SubscriptionNotification? {
        var current = try iterator ?? sequence().makeAsyncIterator()
        // Also after a failure: the next request continues from there.
        defer { iterator = current }
        return try await current.next(isolation: self)
    }
}
