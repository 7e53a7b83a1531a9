import Foundation

@testable import Cabinet

extension RequestSamples {
    private typealias Values = SampleValues

    static let subscriptions: [RequestSamples] = [
        RequestSamples(
            FetchSubscriptionsRequest(scope: .public, subscriptionIDs: ["a", "b c"]), FetchSubscriptionsRequest(),
            responses: [
                FetchSubscriptionsRequest.Response(results: kinds.map { .success($0) } + [.failure(Values.error)])
            ]),
        RequestSamples(
            ModifySubscriptionsRequest(subscriptionsToSave: kinds, subscriptionIDsToDelete: ["old"]),
            responses: [
                ModifySubscriptionsRequest.Response(
                    saveResults: [.success(kinds[0]), .failure(Values.error)], deleteErrors: [nil, Values.error])
            ]),
        RequestSamples(
            FetchNotificationsRequest(
                scope: .public, since: NotificationPosition(number: 4, end: TimelinePoint(number: 15, timeline: 77)),
                includesOwnChanges: true),
            responses: [
                FetchNotificationsRequest.Response(
                    notifications: events.enumerated().map { number, event in
                        StoredNotification(
                            userName: "_ann", sequenceNumber: Int64(number), date: Values.date, deviceID: "phone",
                            subscriptionID: "a", event: event)
                    },
                    position: NotificationPosition(number: 9, end: TimelinePoint(number: 15), zones: [1, 40]),
                    moreComing: true)
            ]),
    ]

    /// Subscriptions of each kind, with and without their optional parts.
    private static let kinds: [Subscription] = [
        .query(
            QuerySubscription(
                recordType: "Items", filter: Values.filter, subscriptionID: "a", zoneID: Values.foreignZone,
                options: [.firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion, .firesOnce],
                desiredKeys: ["name", "tags"])),
        .query(QuerySubscription(recordType: "Items", subscriptionID: "b", options: .firesOnRecordUpdate)),
        .recordZone(RecordZoneSubscription(zoneID: Values.zone, subscriptionID: "c", recordType: "Items")),
        .recordZone(RecordZoneSubscription(zoneID: .default, subscriptionID: "d")),
        .database(DatabaseSubscription(subscriptionID: "e", recordType: "Items")),
        .database(DatabaseSubscription(subscriptionID: "f")),
    ]

    /// Events of each kind.
    private static let events: [SubscriptionNotification.Event] = [
        .query(
            .init(
                recordID: Values.bread, reason: .recordUpdated, transition: .left,
                recordFields: ["name": .string("Milk"), "tags": .list(.string(["a"]))])),
        .query(.init(recordID: Values.odd, reason: .recordCreated, transition: .entered)),
        .query(.init(recordID: Values.milk, reason: .recordDeleted, transition: .stayed)),
        .recordZone(Values.foreignZone), .recordZone(.default), .database, .manyChanges,
        .failure(.init(recordID: Values.milk, code: .limitExceeded, message: "The filter takes too much work.")),
        .failure(.init(recordID: nil, code: .invalidArguments, message: "")),
    ]

    static let shares: [RequestSamples] = [
        RequestSamples(
            FetchShareMetadataRequest(
                shortGUIDs: ["0YnBoYlXvYbxLQv6Aq0Z-w"], shouldFetchRootRecord: true, rootRecordDesiredKeys: ["name"]),
            FetchShareMetadataRequest(shortGUIDs: ["0YnBoYlXvYbxLQv6Aq0Z-w", ""]),
            responses: [
                FetchShareMetadataRequest.Response(results: [
                    .success(
                        SharedZoneMetadata(
                            share: Values.stored, participant: "1 3 2 1 - p _ben", rootRecord: Values.stored)),
                    .success(SharedZoneMetadata(share: Values.stored, participant: "1 3 2 1 - p _ben")),
                    .failure(CabinetError(.permissionFailure, "No share.")),
                ])
            ]),
        RequestSamples(
            RequestShareAccessRequest(shortGUIDs: ["0YnBoYlXvYbxLQv6Aq0Z-w", ""]),
            responses: [RequestShareAccessRequest.Response(errors: [nil, Values.error])]),
        RequestSamples(
            FindUsersRequest(lookups: [
                .emailAddress("ben@example.com"), .phoneNumber("+41 44 668 18 00"), .userRecordName("_ben"),
            ]),
            responses: [FindUsersRequest.Response(userRecordNames: ["_ben", nil, "_ben"])]),
        RequestSamples(
            AcceptSharesRequest(shortGUIDs: ["0YnBoYlXvYbxLQv6Aq0Z-w", ""]),
            responses: [
                AcceptSharesRequest.Response(results: [
                    .success(Values.stored), .failure(CabinetError(.permissionFailure, "No share.")),
                ])
            ]),
    ]

    static let assets: [RequestSamples] = [
        RequestSamples(
            FindAssetsRequest(scope: .public, assets: [Values.asset, Values.otherAsset]),
            responses: [FindAssetsRequest.Response(assets: [Values.asset])]),
        RequestSamples(
            BeginUploadRequest(scope: .shared, zoneID: Values.foreignZone, file: URL(fileURLWithPath: "/tmp/milk")),
            localPartCount: 1,
            responses: [BeginUploadRequest.Response(upload: Values.uuid, hasFile: true)]),
        RequestSamples(FinishUploadRequest(upload: Values.uuid), responses: [Values.asset]),
        RequestSamples(
            EndUploadsRequest(uploads: [Values.uuid, Values.otherUUID]), responses: [EmptyResponse()]),
    ]
}
