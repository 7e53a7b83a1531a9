import Foundation

/// Strings are compared by their Unicode scalars everywhere in Cabinet, because that is what databases and the filter
/// language do. Swift's own `==` holds composed and decomposed letters for equal.
extension String {
    /// Whether both strings have the same scalars in the same order.
    package func hasSameScalars(as other: String) -> Bool {
        other.withScalars { hasScalars($0) }
    }

    /// Whether the text in UTF-8 is just these bytes.
    package func hasScalars(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
        withScalars { own in
            guard own.count == other.count else { return false }
            guard let left = own.baseAddress, let right = other.baseAddress else { return true }
            return memcmp(left, right, own.count) == 0
        }
    }

    /// Hashes what ``hasSameScalars(as:)`` compares.
    func hashScalars(into hasher: inout Hasher) {
        withScalars { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)
    }

    /// Calls a closure with the text in UTF-8, which is in the order of its scalars.
    ///
    /// Unlike `withUTF8`, it does not change the text, and so needs no copy that retains and releases it.
    func withScalars<Output>(_ body: (UnsafeBufferPointer<UInt8>) -> Output) -> Output {
        if let output = utf8.withContiguousStorageIfAvailable(body) { return output }
        var text = self
        return text.withUTF8(body)
    }
}

/// A text as a key of a set or a dictionary: it equals texts with the same scalars alone, unlike a `String`.
package struct ScalarText: Sendable, Hashable {
    /// The text.
    package let text: String

    /// Creates a key.
    package init(text: String) {
        self.text = text
    }

    /// Whether both texts have the same scalars.
    package static func == (left: Self, right: Self) -> Bool { left.text.hasSameScalars(as: right.text) }

    /// Hashes what `==` compares.
    package func hash(into hasher: inout Hasher) { text.hashScalars(into: &hasher) }
}
