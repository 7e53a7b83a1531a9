@testable import Cabinet

extension RequestSamples {
    private typealias Values = SampleValues

    static let errors = RequestSamples(errors: [
        Values.error, Values.conflict, Values.partialFailure, CabinetError(CabinetError.Code(rawValue: 999), ""),
    ])

    static let records: [RequestSamples] = [
        RequestSamples(
            FetchRecordsRequest(
                scope: .public, recordIDs: [Values.milk, Values.bread, Values.odd], desiredKeys: ["name", "number"],
                reads: Values.reads),
            FetchRecordsRequest(),
            responses: [
                FetchRecordsRequest.Response(
                    results: [Values.stored, Values.partial, Values.foreign].map { .success($0) }
                        + [.failure(Values.error)],
                    end: Values.position.end, readAccess: "3f2a")
            ]),
        RequestSamples(
            ModifyRecordsRequest(
                scope: .shared, recordsToSave: [new, changed, Values.foreign], recordIDsToDelete: [Values.milk],
                savePolicy: .changedKeys, isAtomic: false, refusals: [Values.bread: Values.error],
                uploads: [Values.uuid], requestID: Values.uuid,
                asksForPosition: true, zoneID: Values.foreignZone, shortGUIDRecordIDs: [Values.bread],
                entries: [StorageKey("sync", "a/b"): "text", StorageKey("gone"): String?.none],
                reads: Values.reads, step: step),
            ModifyRecordsRequest(recordsToSave: [changed], savePolicy: .allKeys),
            responses: [
                ModifyRecordsRequest.Response(
                    saveResults: [.success(Values.stored), .failure(Values.conflict)],
                    deleteErrors: [nil, Values.error], missingAssets: [Values.asset], position: Values.position,
                    shortGUIDs: [.init(recordID: Values.bread, text: "0YnBoYlXvYbxLQv6Aq0Z-w")])
            ]),
    ]

    /// A record that was never saved, with a value that no field can hold.
    private static var new: Record {
        var record = Record(recordType: "Items", recordID: Values.odd)
        for (name, value) in Values.fields { record[name] = value?.recordValue }
        record.parent = Reference(recordID: Values.bread, action: .none)
        record.mutate { $0.misfits = ["other": "a Set"] }
        return record
    }

    /// A record of a store with a changed text, a new field, a removed one, and another reference.
    private static var changed: Record {
        var record = Values.record(
            Values.bread, number: 7, insertionNumber: 3, parent: "shop",
            FieldValues(
                names: FieldNames(["name", "number", "old", "list"]),
                values: [.string("Bread"), .int64(1), .int64(2), .reference(Values.references[1])]))
        record["name"] = "Rye bread"
        record["old"] = nil
        record["added"] = 0.5
        record["list"] = Reference(recordID: Values.bread, action: .nullify)
        record.parent = nil
        return record
    }
}
