/// The maximum length of files, short enough to read in one sitting, and of comments, which the formatter does not wrap.
enum LengthCheck {
    static let longest = 400
    static let longestComment = 150

    /// Finds the files that are too long.
    static func violations(in files: [SourceText]) -> [Violation] {
        files.filter { $0.lines.count > longest }.map { file in
            Violation(
                path: file.path,
                line: longest + 1,
                message: "\(file.lines.count) lines, \(longest) are allowed: split it by type or by facet")
        }
    }

    /// Finds the lines of comments that are too long.
    static func commentViolations(in file: SourceText) -> [Violation] {
        file.lines.enumerated().compactMap { index, line in
            guard line.count > longestComment, line.drop(while: \.isWhitespace).hasPrefix("//") else { return nil }
            return Violation(
                path: file.path, line: index + 1,
                message: "a comment of \(line.count) characters, \(longestComment) are allowed: wrap it")
        }
    }

    /// The median length.
    static func median(of files: [SourceText]) -> Int {
        let lengths = files.map(\.lines.count).sorted()
        return lengths.isEmpty ? 0 : lengths[lengths.count / 2]
    }
}
