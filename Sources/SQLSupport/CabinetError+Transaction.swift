package import Cabinet

extension CabinetError {
    /// The error for a snapshot or transaction that is used after its closure has ended.
    package static var transactionIsOver: CabinetError {
        CabinetError(
            .internalError, "The transaction is over. Use a snapshot or transaction only in the closure that got it.")
    }
}
