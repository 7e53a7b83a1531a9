/// The progress of an export or import.
package struct TransferProgress: Sendable, Hashable {
    /// The number of records that this run has written.
    package var count = 0
    /// The completed part of the work, from 0 to 1; `nil` if it is unknown.
    package var fraction: Double?
}
