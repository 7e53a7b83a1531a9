import Foundation

extension String {
    /// Whether a text occurs in this one, scalar by scalar.
    ///
    /// The empty text occurs in none. Searching bytes is searching scalars, because no scalar's UTF-8 bytes begin
    /// within another's.
    ///
    /// - Complexity: O(*n*) in the length of both texts.
    func hasSubstring(_ part: String) -> Bool {
        var text = self
        var part = part
        return text.withUTF8 { text in
            part.withUTF8 { part in ByteSearch(text: text, part: part).succeeds() }
        }
    }
}

/// Searches for bytes within bytes.
private struct ByteSearch {
    let text: UnsafeBufferPointer<UInt8>
    let part: UnsafeBufferPointer<UInt8>

    /// Tries one position after the other, which is fastest for natural text.
    ///
    /// If the beginning of the part occurs again and again, this could take the product of both lengths. Another
    /// algorithm takes over then.
    func succeeds() -> Bool {
        guard let start = text.baseAddress, let first = part.first, part.count <= text.count else { return false }
        var effort = 4 * text.count
        var offset = 0
        let last = text.count - part.count
        while offset <= last {
            // Finding the first byte is the C library's fastest loop.
            guard let found = memchr(start + offset, Int32(first), last - offset + 1) else { return false }
            offset = UnsafeRawPointer(found) - UnsafeRawPointer(start)
            var length = 1
            while length < part.count, text[offset + length] == part[length] { length += 1 }
            if length == part.count { return true }
            effort -= length
            if effort < 0 { return succeedsLinearly(from: offset) }
            offset += 1
        }
        return false
    }

    /// Knuth, Morris and Pratt's way: no byte of the text is read twice.
    private func succeedsLinearly(from offset: Int) -> Bool {
        // For each beginning of the part, the length of the longest shorter one that it ends with.
        var fallbacks = [Int](repeating: 0, count: part.count)
        var length = 0
        for index in part.indices.dropFirst() {
            while length > 0, part[index] != part[length] { length = fallbacks[length - 1] }
            if part[index] == part[length] { length += 1 }
            fallbacks[index] = length
        }
        length = 0
        for index in offset..<text.count {
            while length > 0, text[index] != part[length] { length = fallbacks[length - 1] }
            if text[index] == part[length] { length += 1 }
            if length == part.count { return true }
        }
        return false
    }
}
