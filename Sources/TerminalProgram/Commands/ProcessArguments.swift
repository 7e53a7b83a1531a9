/// The arguments with which a shell started this process.
enum ProcessArguments {
    /// The arguments as text.
    ///
    /// `CommandLine.arguments` replaces bytes that are not UTF-8, so that a name would be stored that was never typed.
    static func all() throws(CommandError) -> [String] {
        var words: [String] = []
        for index in 0..<Int(CommandLine.argc) {
            guard let bytes = CommandLine.unsafeArgv[index] else { break }
            guard let word = String(validatingCString: bytes) else {
                throw .usage("Argument \(index), '\(String(cString: bytes).printable)', is not valid UTF-8.")
            }
            words.append(word)
        }
        return words
    }
}
