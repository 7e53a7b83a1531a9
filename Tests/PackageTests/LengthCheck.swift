/// The maximum length of files, short enough to read in one sitting.
enum LengthCheck {
    static let longest = 400

    /// Finds the files that are too long.
    static func violations(in files: [SourceText]) -> [Violation] {
        files.filter { $0.lines.count > longest }.map { file in
            Violation(
                path: file.path,
                line: longest + 1,
                message: "\(file.lines.count) lines, \(longest) are allowed: split it by type or by facet")
        }
    }

    /// The median length.
    static func median(of files: [SourceText]) -> Int {
        let lengths = files.map(\.lines.count).sorted()
        return lengths.isEmpty ? 0 : lengths[lengths.count / 2]
    }
}
