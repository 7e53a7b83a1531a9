/// A request for one page of a user's notifications.
public struct FetchNotificationsRequest: ServiceRequest {
    /// The database.
    public var scope = DatabaseScope.private
    /// The position after the last notification that the client knows; `nil` for the beginning.
    var since: NotificationPosition?
    /// Whether the notifications of the caller's own device are among them.
    public var includesOwnChanges = false

    /// One page of a user's notifications.
    public struct Response: ServiceValue {
        /// The notifications, in the order of their numbers.
        public var notifications: [StoredNotification] = []
        /// The position after this page.
        var position = NotificationPosition()
        /// Whether another page follows.
        public var moreComing = false

        /// The coding as JSON.
        public static var coding: ServiceCoding<Self> { ServiceCoding() }
    }

    /// The request's name.
    public static let name = "fetchNotifications"
    /// The request's effect.
    public static let effect = RequestEffect.none
    /// The coding as JSON.
    public static var coding: ServiceCoding<Self> { ServiceCoding() }

    /// Has a handler answer the request.
    public func response(from handler: some RequestHandler) async throws -> Response {
        try await handler.response(to: self)
    }
}

extension FetchNotificationsRequest: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("scope", &scope)
        try coder.part("since", &since)
        try coder.part("includesOwnChanges", &includesOwnChanges)
    }
}

extension FetchNotificationsRequest.Response: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("notifications", &notifications)
        try coder.part("place", &position)
        try coder.part("moreComing", &moreComing)
    }
}
