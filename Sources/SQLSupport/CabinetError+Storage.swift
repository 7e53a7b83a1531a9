package import Cabinet

extension CabinetError {
    /// The error for a snapshot or transaction that is used after its closure has ended.
    package static var transactionIsOver: CabinetError {
        CabinetError(
            .internalError, "The transaction is over. Use a snapshot or transaction only in the closure that got it.")
    }

    /// The error for a record type that the schema lacks.
    package static func noRecordType(_ recordType: Record.RecordType, for id: RecordID? = nil) -> CabinetError {
        CabinetError(.invalidArguments, "The schema has no record type '\(recordType)'.", recordID: id)
    }

    /// The error for a group of references that the store lacks.
    package static func noReferences(_ group: ReferrerGroup) -> CabinetError {
        CabinetError(.invalidArguments, "The store has no such references.", recordID: group.target)
    }
}
