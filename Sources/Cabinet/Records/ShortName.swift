/// A name of at most 31 bytes, in words that are compared without calls and copied without counting references.
///
/// A typed field and a list of names keep their names in this form, because reading a field compares little else.
@usableFromInline
struct ShortName: Sendable, Hashable {
    private let first: UInt64
    private let second: UInt64
    private let third: UInt64
    /// The length of the name is in the last byte.
    private let fourth: UInt64

    /// Creates the short form of a name, or returns `nil` if the name is longer.
    init?(_ name: String) {
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        let fits = name.withScalars { scalars in
            withUnsafeMutableBytes(of: &words) { bytes in
                guard scalars.count < bytes.count else { return false }
                bytes.copyMemory(from: UnsafeRawBufferPointer(scalars))
                bytes[bytes.count - 1] = UInt8(scalars.count)
                return true
            }
        }
        if !fits { return nil }
        (first, second, third, fourth) = words
    }
}
