/// The types that Swift files declare, found in their text: in formatted code, the indentation shows the nesting.
struct Declarations {
    /// A declared type.
    struct TypeDeclaration: Equatable {
        let name: String

        /// The type that it is declared in; `nil` at top level.
        let outer: String?

        /// Whether other files cannot name it.
        let isPrivate: Bool

        /// The line, counted from 1.
        let line: Int
    }

    /// The types that the file declares, at any depth.
    private(set) var types: [TypeDeclaration] = []

    /// The types that the file extends, as they are written: `Filter.Expression`.
    private(set) var extended: [String] = []

    /// The protocols that the file adds to types by extensions.
    private(set) var conformances: Set<String> = []

    init(of file: SourceText) {
        let typePattern = Self.typePattern
        let extensionPattern = Self.extensionPattern
        var outer: String?
        for (index, line) in file.code.enumerated() {
            let isAtTopLevel = !line.hasPrefix(" ")
            if isAtTopLevel, let match = line.firstMatch(of: extensionPattern) {
                outer = match.type.split(separator: ".").last.map(String.init)
                extended.append(String(match.type))
                let protocols = match.protocols?.split(separator: " where ").first ?? ""
                conformances.formUnion(protocols.split(separator: ",").compactMap(Self.firstName))
            } else if let match = line.firstMatch(of: typePattern) {
                let name = String(match.name)
                let isPrivate = match.modifiers.contains("private")
                types.append(
                    TypeDeclaration(
                        name: name, outer: isAtTopLevel ? nil : outer, isPrivate: isPrivate, line: index + 1))
                if isAtTopLevel { outer = name }
            }
        }
    }

    private static var typePattern: Regex<(Substring, modifiers: Substring, name: Substring)> {
        #/
        ^\s* (?:@\w+(?:\([^)]*\))?\s+)*
        (?<modifiers> (?:(?:public|package|internal|fileprivate|private|open|final|indirect|nonisolated)\s+)*)
        (?:struct|class|enum|protocol|actor|typealias|associatedtype) \s+ (?!func\b|var\b|let\b|subscript\b) (?<name>[A-Z]\w*)
        /#
    }

    private static var extensionPattern: Regex<(Substring, type: Substring, protocols: Substring?)> {
        #/
        ^(?:@\w+(?:\([^)]*\))?\s+)* (?:(?:public|package|fileprivate|private)\s+)?
        extension \s+ (?<type>[A-Z][\w.]*) \??\s* (?: : \s* (?<protocols>[^{]*))?
        /#
    }

    private static func firstName(in text: Substring) -> String? {
        text.firstMatch(of: #/[A-Z]\w*/#).map { String($0.output) }
    }
}
