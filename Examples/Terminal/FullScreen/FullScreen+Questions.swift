extension FullScreen {
    /// Asks for one of several keys, and waits until one of them is pressed.
    ///
    /// - Parameters:
    ///   - question: What is asked; it takes the place of the page's message.
    ///   - choices: The keys, and what each of them does. Escape is always one.
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

    /// Asks whether to do what cannot be undone.
    package func confirm(_ question: String) async throws(EndOfInput) -> Bool {
        try await choose(question, [("y", "yes"), ("n", "no")]) == "y"
    }
}
