/// A command that a program offers in a shell.
package struct Command: Sendable {
    /// The words that call it, such as `lists add`.
    let words: [String]

    /// The words as they are typed.
    package var name: String { words.joined(separator: " ") }

    /// The parameters after the words: `LIST`, `[NAME]` if it is optional, `NAME…` if it repeats.
    let parameters: [String]

    /// The options of this command alone.
    let options: [Option]

    /// A summary, in one sentence.
    let summary: String

    /// Further details.
    let details: String

    /// Complete command lines that show its use.
    let examples: [String]

    /// The implementation.
    package let run: @Sendable (Invocation) async throws -> Void

    /// Describes a command; the closure implements it.
    package init(
        words: [String], parameters: [String] = [], options: [Option] = [], summary: String, details: String = "",
        examples: [String] = [], run: @escaping @Sendable (Invocation) async throws -> Void
    ) {
        self.words = words
        self.parameters = parameters
        self.options = options
        self.summary = summary
        self.details = details
        self.examples = examples
        self.run = run
    }
}
