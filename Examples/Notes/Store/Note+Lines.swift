import Foundation
import TerminalProgram

extension Note {
    /// The whole note, line by line.
    ///
    /// - Parameter console: The console: a person reads another date format than a program.
    func lines(for console: Console) -> [String] {
        [shownTitle, "\(date(for: console))   \(shownPicture)", ""] + textLines
    }

    /// The text, line by line.
    var textLines: [String] {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { String($0).printable }
    }

    /// The edited date: for a file or a pipe in ISO 8601, in UTC.
    func date(for console: Console) -> String {
        console.isTerminal ? shownDate : editedDate?.formatted(.iso8601) ?? "-"
    }
}
