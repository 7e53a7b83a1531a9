/// A report of a running export or import.
package enum TransferEvent: Sendable, Hashable {
    /// The number of records that this run has written, and the completed part of the work, from 0 to 1, if it is known.
    case progress(count: Int, fraction: Double?)
    /// A sentence for a person, such as the line after which an import continues.
    case notice(String)
    /// A sentence about something that an import passes over.
    case loss(String)
}
