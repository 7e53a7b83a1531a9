import Cabinet
import Foundation

/// Reads the notifications about deleted records of the public database, from subscriptions that the mirror saves.
struct MirrorDeletionFetch {
    let context: MirrorContext

    init(_ context: MirrorContext) {
        self.context = context
    }

    /// Returns the records that were deleted, and whether these are all, so that the server need not be asked for each local record.
    func fetch(_ queries: inout MirrorQueries) async throws -> (ids: [RecordID], isComplete: Bool) {
        do {
            try await context.subscribeOnce { try await subscribe(queries) }
            return try await read(&queries)
        } catch let error as CabinetError where !error.isTransient {
            // The server stores no notifications.
            queries.read(nil)
            let interval = TimeInterval(context.configuration.publicCheckInterval.components.seconds)
            let date = queries.checked.map { $0.addingTimeInterval(interval) }
            return ([], date.map { context.now() < $0 } ?? false)
        }
    }

    private func subscribe(_ queries: MirrorQueries) async throws {
        var request = ModifySubscriptionsRequest(in: .public)
        request.subscriptionsToSave = queries.queries.map { query in
            .query(
                QuerySubscription(
                    recordType: query.recordType, subscriptionID: "com.cabinet.mirror.\(query.recordType)",
                    options: .firesOnRecordDeletion))
        }
        for case .failure(let error) in try await context.ask(request).saveResults { throw error }
    }

    private func read(_ queries: inout MirrorQueries) async throws -> (ids: [RecordID], isComplete: Bool) {
        // Earlier deletions than the first notification are not among them.
        var isComplete = queries.hasPlace && queries.checked != nil
        var ids: [RecordID] = []
        while true {
            try Task.checkCancellation()
            let page: FetchNotificationsRequest.Response
            do {
                page = try await context.ask(queries.notificationRequest)
            } catch let error as CabinetError where error.code == .changeTokenExpired && queries.hasPlace {
                queries.read(nil)
                isComplete = false
                continue
            }
            for notification in page.notifications {
                switch notification.event {
                case .query(let event): if event.reason == .recordDeleted { ids.append(event.recordID) }
                case .manyChanges, .failure: isComplete = false
                case .recordZone, .database: break
                }
            }
            queries.read(page)
            if !page.moreComing { return (ids, isComplete) }
        }
    }
}
