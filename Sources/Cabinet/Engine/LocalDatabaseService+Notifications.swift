extension LocalDatabaseService {
    func notifications(_ request: NotificationsRequest) async throws -> NotificationsResponse {
        let (database, user) = try accountRule.databaseToWrite(request.scope)
        let limit = NotificationRule.pageSize
        return try await read(database) { [deviceID] snapshot in
            let state = try await snapshot.databaseState()
            let last = state.lastSequenceNumber
            if let place = request.since {
                try NotificationRule.check(
                    place, last: last, beginning: try await snapshot.beginning(),
                    expiration: try await snapshot.notificationExpirationNumber(of: user))
                guard try await state.contains(place.end, in: snapshot) else { throw NotificationRule.replaced }
            }
            let page = try await snapshot.notifications(to: user, after: request.since?.number ?? 0, limit: limit)
            let moreComing = page.count == limit
            let number = moreComing ? page.last?.sequenceNumber ?? last : last
            return NotificationsResponse(
                notifications: request.includesOwnChanges ? page : page.filter { $0.deviceID != deviceID },
                place: NotificationPlace(number: number, end: state.end), moreComing: moreComing)
        }
    }

    func notificationSignals() throws -> AsyncStream<Void> {
        let streams = try NotificationRule.scopes.map { scope in
            backend.changeSignals(of: try accountRule.databaseToWrite(scope).key)
        }
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let listening = streams.map { stream in
                Task(executorPreference: OwnTasks.executor) {
                    for await _ in stream { continuation.yield() }
                    // All signals end when the backend is closed.
                    continuation.finish()
                }
            }
            continuation.onTermination = { _ in for task in listening { task.cancel() } }
        }
    }
}
