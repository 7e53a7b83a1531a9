/// A write of a backend that commits writes together which wait for each other.
package protocol WriteJob: AnyObject, Sendable {
    /// Makes the job begin, from when on it cannot be cancelled until it pauses.
    ///
    /// - Returns: Whether to run it; `false` if it was given up.
    func begin() -> Bool

    /// Notes that nothing of the job is done and that it waits to be run again; if it was cancelled meanwhile, it ends.
    func pause()

    /// Runs the body, and keeps its result until the job is finished.
    ///
    /// - Returns: What the body threw, if it threw.
    func run(in transaction: any StorageTransaction) async -> (any Error)?

    /// Ends the job with an error, unless it has begun; then, as soon as it pauses.
    func giveUp(_ error: CabinetError)

    /// Ends the job, unless it has ended: its caller goes on, with the result of the body or with an error.
    func finish(_ error: (any Error)?)
}
