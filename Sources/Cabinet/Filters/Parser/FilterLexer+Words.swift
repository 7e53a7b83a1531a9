/// Names, key paths, words and functions.
extension FilterLexer {
    /// Reads a word that begins with a letter.
    ///
    /// - Parameter expectsOperand: Whether a value may follow. TOKENMATCHES and SEARCH, which are not reserved words, are
    ///   names then.
    mutating func word(expectsOperand: Bool) throws(FilterSyntaxError) -> FilterToken.Kind {
        let start = offset
        skip(while: \.continuesName)
        let word = text(from: start)
        // No word of the language is longer, and an endless name need not be made capital.
        let capitals = word.utf8.count > ReservedWord.longest ? word : word.uppercased()
        if let comparison = Filter.Operator.bySpelling[capitals], !expectsOperand || ReservedWord.all.contains(capitals)
        {
            return .comparison(comparison)
        }
        if let quantifier = Filter.Quantifier.words.first(where: { $0.key == capitals })?.value {
            return .quantifier(quantifier)
        }
        switch capitals {
        case "AND": return .and
        case "OR": return .or
        case "NOT": return .not
        case "TRUEPREDICATE": return .predicate(true)
        case "FALSEPREDICATE": return .predicate(false)
        case "TRUE", "YES": return .boolean(true)
        case "FALSE", "NO": return .boolean(false)
        case "NIL", "NULL": return .null
        case "SELF": return try ownRecord()
        case FilterFunction.cast.rawValue: return .function(.cast)
        // These are common names of fields, and mean something else within brackets alone.
        case "FIRST", "LAST", "SIZE": break
        default:
            if ReservedWord.all.contains(capitals) { return .otherWord(capitals) }
        }
        if let function = try function(word, from: start) { return .function(function) }
        let path = try path(from: word)
        return path == "allTokens" ? .allTokens : .name(path)
    }

    /// Reads `#word`, which turns any word into a name, or `#'any text'`, which is a name or a key path.
    mutating func escapedName() throws(FilterSyntaxError) -> String {
        try name(else: "expected a name after '#', as in #size.")
    }

    /// Reads `$name`, or `$'any text'`.
    mutating func variable() throws(FilterSyntaxError) -> String {
        try name(else: "expected a name after '$', as in $name; for an argument write %@.")
    }

    /// Reads the name after a sign.
    ///
    /// In quotes it may have any characters.
    private mutating func name(else message: String) throws(FilterSyntaxError) -> String {
        advance()
        let start = offset
        if let quote = byte(), quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") {
            hasQuotedNames = true
            return try string(quote: quote)
        }
        guard byte()?.beginsName == true else { throw FilterSyntaxError(at: start, message) }
        skip(while: \.continuesName)
        return text(from: start)
    }

    // MARK: Functions

    /// The function whose name begins with a word that was read, if it is one.
    private mutating func function(_ word: String, from start: Int) throws(FilterSyntaxError) -> FilterFunction? {
        switch byte() {
        case UInt8(ascii: ":") where byte(1) != UInt8(ascii: "="):
            skip { $0.continuesName || $0 == UInt8(ascii: ":") }
            let name = text(from: start)
            guard let function = FilterFunction(rawValue: name) else {
                throw FilterMistake.unsupportedFunction(name, at: start)
            }
            return function
        case UInt8(ascii: "("):
            throw FilterMistake.unsupportedFunction(word, at: start)
        default:
            return nil
        }
    }

    // MARK: Key paths

    /// `SELF` is the record, and before a path it says nothing.
    private mutating func ownRecord() throws(FilterSyntaxError) -> FilterToken.Kind {
        guard byte(at: nextOffset) == UInt8(ascii: ".") else { return .ownRecord }
        let path = try path(from: nil)
        return path.isEmpty ? .ownRecord : .name(path)
    }

    /// Reads the steps that follow the beginning of a key path: `.owner.city`.
    ///
    /// The whole path is read at once, in linear time.
    ///
    /// - Parameter beginning: The beginning of the path, or `nil` if the steps are the whole path.
    /// - Parameter isContinued: Whether the path continues from a value, instead of from the record.
    /// - Parameter beginningOffset: The offset of the beginning. The default is the current offset.
    /// - Returns: The path, with dots between its steps.
    mutating func path(
        from beginning: String?, at beginningOffset: Int? = nil, isContinued: Bool = false
    ) throws(FilterSyntaxError) -> String {
        let firstOffset = beginningOffset ?? offset
        var path = beginning ?? ""
        var count = beginning == nil ? 0 : 1
        var isAfterOperator = false
        var isAfterCount = false
        var isInJSON = false
        while byte(at: nextOffset) == UInt8(ascii: ".") {
            let dot = nextOffset
            // `a .5` is a name and a number, and a mistake of another kind. In JSON, it is a position.
            if byte(at: dot + 1)?.isDigit == true, !isInJSON { break }
            if isAfterCount { throw FilterSyntaxError(at: dot, "'@count' is a number; nothing can follow it.") }
            move(to: dot + 1)
            move(to: nextOffset)
            let start = offset
            let step = try step(isAfterOperator: isAfterOperator, isInJSON: isInJSON)
            isAfterOperator = step.utf8.first == UInt8(ascii: "@")
            if isAfterOperator { isInJSON = FilterKeyPath.beginsJSON(step) }
            count += 1
            if isAfterOperator,
                let message = FilterKeyPath.syntaxError([step[...]], isContinued: count > 1 || isContinued)
            {
                throw FilterSyntaxError(at: start, "the key path \(message).")
            }
            if count > FieldPath.maximumLength {
                throw FilterSyntaxError(at: start, "a key path has at most \(FieldPath.maximumLength) steps.")
            }
            if count > 1 { path += "." }
            path += step
            isAfterCount = step.lowercased() == FieldPath.Collection.count.rawValue
        }
        // A quoted name may be a path of several steps, which were not checked one by one.
        if hasQuotedNames, count > 0,
            let message = FilterKeyPath.syntaxError(FilterKeyPath.steps(of: path), isContinued: isContinued)
        {
            throw FilterSyntaxError(at: firstOffset, "the key path '\(FilterMistake.abbreviated(path))' \(message).")
        }
        return path
    }

    /// Reads what stands after a dot.
    private mutating func step(isAfterOperator: Bool, isInJSON: Bool) throws(FilterSyntaxError) -> String {
        let start = offset
        if byte() == UInt8(ascii: "#") { return try escapedName() }
        let isOperator = byte() == UInt8(ascii: "@")
        if isOperator { advance() }
        guard byte()?.beginsName == true || isInJSON && byte()?.isDigit == true else {
            throw FilterSyntaxError(
                at: start,
                isOperator
                    ? "expected \(FilterKeyPath.spelledOperators), or \(FieldPath.JSON.spelledOperators)."
                    : "expected a name after the dot, as in list.name.")
        }
        skip(while: \.continuesName)
        let step = text(from: start)
        switch step.utf8.count > ReservedWord.longest ? step : step.uppercased() {
        case "FIRST", "LAST", "SIZE": return step
        case "SELF" where isAfterOperator && !isInJSON: return "SELF"
        case let capitals where ReservedWord.all.contains(capitals):
            throw FilterSyntaxError(
                at: start, "'\(step)' is a word of the language; for a field of that name write #\(step).")
        default: return step
        }
    }

    // MARK: Indexes

    /// Reads `FIRST]` and its like, after an opening bracket.
    ///
    /// - Returns: `nil`, and nothing is read, if something else stands there.
    mutating func indexWord() -> Filter.Index? {
        let start = nextOffset
        let letters = bytes[start...].prefix { $0.continuesName }
        guard letters.count <= ReservedWord.longest else { return nil }
        let index: Filter.Index
        switch String(decoding: letters, as: UTF8.self).uppercased() {
        case "FIRST": index = .first
        case "LAST": index = .last
        case "SIZE": index = .size
        default: return nil
        }
        let before = offset
        move(to: letters.endIndex)
        guard byte(at: nextOffset) == UInt8(ascii: "]") else {
            move(to: before)
            return nil
        }
        move(to: nextOffset + 1)
        return index
    }

    /// The byte at an offset.
    private func byte(at offset: Int) -> UInt8? {
        offset < bytes.count ? bytes[offset] : nil
    }
}

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
