import Cabinet

extension CabinetCloudKit {
    /// Returns the notifications of the user's subscriptions in a container, first those that wait, then new ones.
    ///
    /// They replace push notifications. Changes that this process makes are not among them, as in CloudKit, unless
    /// they are asked for.
    ///
    /// ```swift
    /// for try await notification in CabinetCloudKit.notifications(of: container) {
    ///     let userInfo = notification.remoteNotificationDictionary
    ///     application(didReceiveRemoteNotification: userInfo)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - container: The container.
    ///   - includingOwnChanges: Whether changes of this process are included, for tests.
    public static func notifications(
        of container: CKContainer, includingOwnChanges: Bool = false
    ) -> AsyncThrowingStream<CKNotification, any Error> {
        let (identifier, registry) = (container.identifier, container.registry)
        return AsyncThrowingStream { continuation in
            let task = Task {
                do {
                    let opened = try registry.open(identifier).container
                    for try await notification in opened.notifications(includingOwnChanges: includingOwnChanges) {
                        continuation.yield(
                            .object(.init(containerIdentifier: identifier, notification: notification)))
                    }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: CKError.translating(error))
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}
