/// A value that is computed from all values of a field.
///
/// Records without a value in the field are ignored. Without any values, the sum is 0 and the other aggregates are
/// `nil`.
public enum Aggregate: String, Sendable, Hashable, Codable, CaseIterable {
    /// The sum of numbers: a whole number if all are whole and the sum fits 64 bits, else the DOUBLE nearest to the
    /// exact sum.
    ///
    /// The order of the numbers does not affect it.
    case sum
    /// The mean of numbers, a DOUBLE: the exact sum, rounded, divided by the count.
    case average
    /// The first value in the order of a ``Sort``.
    case minimum
    /// The last value in the order of a ``Sort``.
    case maximum
}
