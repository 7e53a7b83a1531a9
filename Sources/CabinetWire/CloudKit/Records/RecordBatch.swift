import Cabinet
import Foundation

/// The operations of a `records/modify`, and the results in their order.
struct RecordBatch {
    let operations: [RecordOperation]
    let uploads: [UUID]
    /// The shares that the operations leave.
    var shares: Set<RecordID> = []
    private(set) var saved: [Record?]
    private(set) var failures: [CloudKitFailure?]
    /// The position in the change feed before the first change of the batch.
    private(set) var position: FeedPosition?
    /// The short GUIDs that the operations have created, by their records.
    private(set) var shortGUIDs: [RecordID: String] = [:]

    init(_ operations: [RecordOperation], uploads: [UUID], shares: Set<RecordID> = []) {
        self.operations = operations
        self.uploads = uploads
        self.shares = shares
        saved = operations.map { _ in nil }
        failures = operations.map { _ in nil }
    }

    /// The positions of the forced saves that name the current change tag: a request has one policy, and other operations compare tags.
    func convertedPositions(among saves: [Int]) -> [Int] {
        let forced = saves.filter { operations[$0].kind.isForced }
        return forced.count == saves.count ? [] : forced
    }

    var hasFailures: Bool { failures.contains { $0 != nil } }

    /// Sets the results of some operations from the response to the request that they were sent in.
    mutating func setResults(_ response: ModifyRecordsRequest.Response, saves: [Int], deletions: [Int]) {
        position = position ?? response.positionBefore
        shortGUIDs.merge(response.shortGUIDsByID) { first, _ in first }
        for (position, result) in zip(saves, response.saveResults) {
            switch result {
            case .success(let record): saved[position] = record
            case .failure(let error): fail(position, error)
            }
        }
        for (position, error) in zip(deletions, response.deleteErrors) {
            if let error { fail(position, error) }
        }
    }

    /// Sets the failure of an operation; a conflict of a record to create says that it exists.
    mutating func fail(_ position: Int, _ error: CabinetError) {
        let kind = operations[position].kind
        let exists = error.code == .serverRecordChanged && kind == .create
        var error = error
        if let reason = CloudKitFailure.reason(of: error.code, for: kind) { error.message = reason }
        failures[position] = CloudKitFailure(error: error, code: exists ? .exists : nil)
    }

    /// Sets the failure of an operation that shares a record, by an error of that record.
    mutating func fail(_ position: Int, byRoot error: CabinetError) {
        failures[position] = CloudKitFailure(error: error)
    }

    /// Sets a failure for all operations that have none: the batch was atomic.
    mutating func failOthers() {
        for position in operations.indices where failures[position] == nil {
            saved[position] = nil
            failures[position] = CloudKitFailure(
                error: CabinetError(.batchRequestFailed, "Atomic failure: another record of the batch failed."))
        }
    }

    /// Returns the positions of the operations for which a function returns `true`.
    func positions(_ isIncluded: (RecordOperation) -> Bool) -> [Int] {
        operations.indices.filter { isIncluded(operations[$0]) }
    }
}

extension CloudKitFailure {
    /// Returns the reason of an operation's error in the words of the dialect.
    ///
    /// - Returns: `nil` for a message that does not say what a program in Swift does about the error.
    fileprivate static func reason(of code: CabinetError.Code, for kind: RecordOperation.Kind) -> String? {
        switch code {
        case .serverRecordChanged where kind == .create:
            "A record with this name exists already. Update it with its change tag, or create one with another name."
        case .serverRecordChanged:
            "The record was changed since it was fetched. Merge the changes into 'serverRecord', and send its change tag."
        case .unknownItem where !kind.deletes:
            "The record does not exist. If it was deleted since it was fetched, 'create' or 'forceUpdate' saves it again."
        default: nil
        }
    }
}
