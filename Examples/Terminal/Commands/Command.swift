/// Something that a program can be told to do from a shell.
package struct Command: Sendable {
    /// The words that call it, such as `lists add`.
    let words: [String]

    /// What follows the words: `LIST`, or `[NAME]` if it may be missing.
    let parameters: [String]

    /// The options of this command alone.
    let options: [Option]

    /// What it does, in one sentence.
    let summary: String

    /// What else is worth knowing.
    let details: String

    /// Does it.
    package let run: @Sendable (Invocation) async throws -> Void

    /// Describes a command; the closure is what it does.
    package init(
        words: [String], parameters: [String] = [], options: [Option] = [], summary: String, details: String = "",
        run: @escaping @Sendable (Invocation) async throws -> Void
    ) {
        self.words = words
        self.parameters = parameters
        self.options = options
        self.summary = summary
        self.details = details
        self.run = run
    }
}
