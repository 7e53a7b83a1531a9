import TerminalProgram

extension Note {
    /// The whole note, line by line.
    var lines: [String] {
        let text = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return [shownTitle, "\(shownDate)   \(shownPicture)", ""] + text.map { String($0).printable }
    }
}
