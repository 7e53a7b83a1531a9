/// Each file has the type of its name, or a facet of it, and perhaps its satellites.
///
/// A file `Type.swift` declares the type before any other. A file `Type+Facet.swift` extends it, or adds it, a protocol, to other types.
/// Satellites are small types that only the file's subject gives a meaning, such as the response of a request.
enum FileNameCheck {
    /// The folder that is checked.
    static let folder = "Sources/Cabinet/"

    /// Finds the types that are not in the file of their name.
    static func violations(in file: SourceText) -> [Violation] {
        guard file.path.hasPrefix(folder), let path = file.path.split(separator: "/").last else {
            return []
        }
        let name = path.prefix { $0 != "." }
        let subject = String(name.prefix { $0 != "+" })
        let isFacet = name.contains("+")
        let declarations = Declarations(of: file)
        let types = declarations.types.filter { $0.outer == nil }
        var violations = types.prefix(1).filter { !isFacet && !$0.isPrivate && $0.name != subject }.map { type in
            let message =
                "\(type.name) is not the file's subject: declare it after the subject, or in \(type.name).swift"
            return Violation(path: file.path, line: type.line, message: message)
        }
        let names =
            isFacet
            ? declarations.conformances.union(declarations.extended.flatMap(Self.fileNames)) : Set(types.map(\.name))
        if !names.contains(subject) {
            let expected = isFacet ? "an extension of \(subject)" : "a type \(subject)"
            violations.append(Violation(path: file.path, line: 1, message: "by its name, the file has \(expected)"))
        }
        return violations
    }

    /// The possible prefixes of the files of a type's facets: `Filter.Expression` gives `Filter` and
    /// `FilterExpression`.
    private static func fileNames(of type: String) -> [String] {
        let parts = type.split(separator: ".")
        return (1...max(1, parts.count)).map { parts.prefix($0).joined() }
    }
}
