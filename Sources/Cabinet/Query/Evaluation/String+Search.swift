import Foundation

extension String {
    /// Whether a text occurs in this one, scalar by scalar. The empty text occurs in none.
    ///
    /// Searching bytes is searching scalars, because no scalar's UTF-8 bytes begin within another's.
    ///
    /// - Complexity: O(*n*) in the length of this text, times that of the other in the worst case.
    func hasSubstring(_ part: String) -> Bool {
        var text = self
        var part = part
        return text.withUTF8 { text in
            part.withUTF8 { part in
                guard let first = part.first, part.count <= text.count else { return false }
                guard let textStart = text.baseAddress, let partStart = part.baseAddress else { return false }
                var offset = 0
                let last = text.count - part.count
                while offset <= last {
                    // Finding the first byte is the library's fastest loop.
                    guard let found = memchr(textStart + offset, Int32(first), last - offset + 1) else { return false }
                    offset = UnsafeRawPointer(found) - UnsafeRawPointer(textStart)
                    if memcmp(textStart + offset, partStart, part.count) == 0 { return true }
                    offset += 1
                }
                return false
            }
        }
    }
}
