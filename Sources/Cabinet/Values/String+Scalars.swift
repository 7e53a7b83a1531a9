import Foundation

/// Strings are compared by their Unicode scalars everywhere in Cabinet, because that is what databases and the filter
/// language do. Swift's own `==` holds composed and decomposed letters for equal.
extension String {
    /// Whether both strings have the same scalars in the same order.
    func hasSameScalars(as other: String) -> Bool {
        var left = self
        var right = other
        return left.withUTF8 { left in
            right.withUTF8 { right in
                guard left.count == right.count else { return false }
                guard let first = left.baseAddress, let second = right.baseAddress else { return true }
                return memcmp(first, second, left.count) == 0
            }
        }
    }

    /// Hashes what ``hasSameScalars(as:)`` compares.
    func hashScalars(into hasher: inout Hasher) {
        var text = self
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)
    }
}
