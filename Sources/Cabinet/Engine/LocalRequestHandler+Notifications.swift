extension LocalRequestHandler {
    func response(to request: FetchNotificationsRequest) async throws -> FetchNotificationsRequest.Response {
        if let shared = try sharedHandler(for: request.scope) { return try await shared.response(to: request) }
        let (database, user) = try databaseToWrite(request.scope)
        let limit = NotificationRule.pageSize
        return try await read(database) { [deviceID = caller.deviceID] snapshot in
            let state = try await snapshot.databaseState()
            let last = state.lastSequenceNumber
            if let position = request.since {
                try NotificationRule.check(
                    position, last: last, beginning: try await snapshot.beginning(),
                    expiration: try await snapshot.notificationExpirationNumber(of: user))
                guard try await state.contains(position.end, in: snapshot) else { throw NotificationRule.replaced }
            }
            let page = try await snapshot.notifications(to: user, after: request.since?.number ?? 0, limit: limit)
            let moreComing = page.count == limit
            let number = moreComing ? page.last?.sequenceNumber ?? last : last
            return FetchNotificationsRequest.Response(
                notifications: request.includesOwnChanges ? page : page.filter { $0.deviceID != deviceID },
                position: NotificationPosition(number: number, end: state.end), moreComing: moreComing)
        }
    }
}
