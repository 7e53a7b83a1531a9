/// Index ranges of texts that begin with a prefix.
package enum TextRange {
    /// Returns the first text, in the order of scalars, after all texts that begin with `prefix`; `nil` if none follows
    /// them.
    package static func upperBound(ofPrefix prefix: String) -> String? {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            // Surrogates are not scalars: U+E000 follows U+D7FF.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let scalar = Unicode.Scalar(next) else { continue }
            scalars.append(scalar)
            var bound = String.UnicodeScalarView()
            bound.append(contentsOf: scalars)
            return String(bound)
        }
        return nil
    }
}
