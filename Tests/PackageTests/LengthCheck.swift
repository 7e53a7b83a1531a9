/// How long files may be: short enough to be read in one sitting.
enum LengthCheck {
    static let longest = 400

    /// The files that are too long.
    static func violations(in files: [SourceText]) -> [Violation] {
        files.filter { $0.lines.count > longest }.map { file in
            Violation(
                path: file.path,
                line: longest + 1,
                message: "\(file.lines.count) lines, \(longest) are allowed: split it by type or by facet")
        }
    }

    /// The middle length: as many files are shorter as are longer.
    static func median(of files: [SourceText]) -> Int {
        let lengths = files.map(\.lines.count).sorted()
        return lengths.isEmpty ? 0 : lengths[lengths.count / 2]
    }
}
