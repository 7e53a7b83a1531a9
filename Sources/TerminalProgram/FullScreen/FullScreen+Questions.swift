extension FullScreen {
    /// Asks for one of several keys, and waits until one of them is pressed.
    ///
    /// - Parameters:
    ///   - question: The question, which replaces the page's message.
    ///   - choices: The keys and their effects. Escape is always one.
    /// - Returns: The key; `nil` for Escape.
    package func choose(
        _ question: String, _ choices: [(key: Character, action: String)]
    ) async throws(EndOfInput) -> Character? {
        let below = page
        var asking = below
        (asking.message, asking.messageStyle, asking.cursor) = (question, [.bold, .yellow], nil)
        asking.keys = choices.map { ("\($0.key)", $0.action) } + [("Esc", "cancel")]
        defer { draw(below) }
        while true {
            draw(asking)
            guard case .key(let key) = try await next() else { continue }
            if key == .escape { return nil }
            if case .character(let typed) = key {
                let letter = Character(typed.lowercased())
                if choices.contains(where: { $0.key == letter }) { return letter }
            }
        }
    }

    /// Asks whether to perform an irreversible action.
    package func confirm(_ question: String) async throws(EndOfInput) -> Bool {
        try await choose(question, [("y", "yes"), ("n", "no")]) == "y"
    }
}

extension FullScreen {
    /// Asks for one line of text.
    ///
    /// - Returns: The text without leading and trailing blanks; `nil` if it is empty, or the person cancelled.
    package func ask(_ title: String, label: String, hint: String) async throws(EndOfInput) -> String? {
        var form = Form([.line(label, "", hint: hint)])
        while true {
            let part = form.lines(rows: bodyHeight, columns: size.columns)
            draw(
                Page(
                    title: title, body: part.lines, keys: [("Enter", "save"), ("Esc", "cancel")], cursor: part.cursor))
            guard case .key(let key) = try await next() else { continue }
            switch form.handle(key) {
            case .editing: continue
            case .cancel: return nil
            case .save:
                let text = form.texts[0].trimmingSuffix(while: \.isWhitespace)
                let trimmed = String(text.drop(while: \.isWhitespace))
                return trimmed.isEmpty ? nil : trimmed
            }
        }
    }
}
