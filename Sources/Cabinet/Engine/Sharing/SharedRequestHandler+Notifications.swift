extension SharedRequestHandler {
    /// Returns a notification for each subscription to the shared database, if a zone of it has changed since a position.
    ///
    /// The transaction of a change knows the owner's database alone, so notifications of participants are not stored: they follow
    /// from the numbers of the zones' last changes. A change of the caller's own device is reported too.
    func response(to request: FetchNotificationsRequest) async throws -> FetchNotificationsRequest.Response {
        let database = try local.databaseToRead(.shared)
        let (entries, end, subscriptions) = try await local.read(database) { [user] snapshot in
            let state = try await snapshot.databaseState()
            if let position = request.since {
                try NotificationRule.check(position, last: state.lastSequenceNumber, beginning: 0, expiration: 0)
                guard try await state.contains(position.end, in: snapshot) else { throw NotificationRule.replaced }
            }
            return (try await snapshot.sharedZones(), state.end, try await snapshot.subscriptions(of: user))
        }
        let numbers = try await changeNumbers(of: entries.filter { !$0.isLeft }.map(\.zoneID))
        let pairs = entries.flatMap { entry in numbers[entry.zoneID].map { [entry.number, $0] } ?? [] }
        var response = FetchNotificationsRequest.Response(
            position: NotificationPosition(number: end.number, end: end, zones: pairs))
        // A client without a position begins here.
        guard let known = request.since?.zones, known != pairs else { return response }
        for stored in subscriptions {
            guard case .database(let subscription) = stored.subscription else { continue }
            response.notifications.append(
                StoredNotification(
                    userName: user, sequenceNumber: end.number, date: local.service.now(), deviceID: "",
                    subscriptionID: subscription.subscriptionID, event: .database, replacementKey: nil))
        }
        return response
    }
}
