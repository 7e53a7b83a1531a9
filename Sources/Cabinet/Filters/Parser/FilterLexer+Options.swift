extension FilterLexer {
    /// Reads the options of an operator, after their opening bracket: `cd]`.
    ///
    /// - Parameter comparison: The operator. TOKENMATCHES ignores case and accents anyway, so a comparison drops its options;
    ///   `l` is one of them.
    /// - Returns: `nil`, and nothing is read, if other than known options stands there.
    mutating func options(of comparison: Filter.Operator) -> Filter.Options? {
        guard let letters = bracketed() else { return nil }
        var options: Filter.Options = []
        var isEmpty = true
        for letter in letters.lowercased() where letter != " " {
            isEmpty = false
            if comparison == .tokenMatches, letter == "l" { continue }
            guard let option = Filter.Options.letters.first(where: { $0.key == letter })?.value else { return nil }
            options.insert(option)
        }
        if isEmpty { return nil }
        advance(by: letters.utf8.count + 1)
        return options
    }

    /// The text from here to the next closing bracket, if that is near.
    func bracketed() -> String? {
        let rest = bytes[offset...].prefix(16)
        return rest.firstIndex(of: UInt8(ascii: "]")).map { String(decoding: bytes[offset..<$0], as: UTF8.self) }
    }
}
