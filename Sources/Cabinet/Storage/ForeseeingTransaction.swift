/// A transaction of a backend for which each question is a round trip, so that it is worth knowing what will be asked next.
package protocol ForeseeingTransaction {
    /// Says whose existence will probably be asked for after the records that are asked for next.
    ///
    /// Law: nothing that is asked for has another answer because of it.
    ///
    /// - Parameter ids: The IDs of the records.
    func foresee(_ ids: [RecordID]) throws
}
