/// A value that is computed from all values of a field.
///
/// Records without a value in the field are ignored. Without any values, the sum is 0 and the other aggregates are
/// `nil`.
public enum Aggregate: String, Sendable, Hashable, Codable, CaseIterable {
    /// The sum of numbers: whole if they are and it fits 64 bits, else the nearest DOUBLE to the exact sum.
    ///
    /// It does not depend on the order in which numbers are added up.
    case sum
    /// The mean of numbers, a DOUBLE: the exact sum, rounded, divided by the count.
    case average
    /// The first value in the order that a ``Sort`` has.
    case minimum
    /// The last value in the order that a ``Sort`` has.
    case maximum
}
