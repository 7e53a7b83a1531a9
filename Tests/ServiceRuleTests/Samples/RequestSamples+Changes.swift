import Foundation

@testable import Cabinet

extension RequestSamples {
    private typealias Values = SampleValues

    static let zones: [RequestSamples] = [
        RequestSamples(
            FetchZonesRequest(
                scope: .shared, zoneIDs: [.default, Values.zone, Values.foreignZone], asksForKeys: true),
            FetchZonesRequest(),
            responses: [
                FetchZonesRequest.Response(
                    results: [.success(RecordZone(zoneID: Values.foreignZone)), .failure(Values.error)],
                    keys: [zoneKeys])
            ]),
        RequestSamples(
            ModifyZonesRequest(
                zonesToSave: [RecordZone(zoneID: Values.zone)], zoneIDsToDelete: [Values.foreignZone],
                keysToAdd: [zoneKeys]),
            responses: [
                ModifyZonesRequest.Response(
                    saveResults: [.success(RecordZone(zoneID: Values.zone)), .failure(Values.error)],
                    deleteErrors: [nil, Values.error])
            ]),
    ]

    /// The wrapped keys of a zone.
    private static let zoneKeys = ZoneKeys(
        zoneID: Values.zone,
        keys: [
            WrappedKey(
                keyID: "00ff", number: 2,
                recipient: KeyRecipient(userRecordName: "ben", publicKey: Data([0, 255])), sender: Data([255, 0]),
                ciphertext: Data([1, 2, 3]))
        ], lastNumber: 3)

    static let changes: [RequestSamples] = [
        RequestSamples(
            FetchDatabaseChangesRequest(since: Values.position, resultsLimit: 100),
            FetchDatabaseChangesRequest(since: Values.firstPosition),
            FetchDatabaseChangesRequest(scope: .shared, since: Values.sharedPosition),
            responses: [
                FetchDatabaseChangesRequest.Response(
                    modifications: [.init(zoneID: .default), .init(zoneID: Values.foreignZone)],
                    deletions: DatabaseChange.Deletion.Reason.allCases.map { .init(zoneID: Values.zone, reason: $0) },
                    position: Values.position, moreComing: true)
            ]),
        RequestSamples(
            FetchZoneChangesRequest(
                zoneID: Values.zone, since: Values.position, desiredKeys: ["name"], resultsLimit: 100),
            responses: [
                FetchZoneChangesRequest.Response(
                    records: [Values.stored, Values.partial, Values.foreign],
                    deletions: [.init(recordID: Values.odd, recordType: "Items")], position: Values.position,
                    moreComing: true)
            ]),
        RequestSamples(
            FetchLiveChangesRequest(recordType: "Items", zoneID: Values.zone, basis: Values.basis),
            responses: [
                FetchLiveChangesRequest.Response(
                    basis: Values.basis, isComplete: false,
                    removedZones: [NumberedZone(zoneID: Values.foreignZone, number: 12)],
                    records: [Values.stored, Values.partial], deletions: [Values.milk, Values.odd])
            ]),
    ]
}
