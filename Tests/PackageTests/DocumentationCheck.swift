/// Every declaration that users of a module can see has a doc comment.
///
/// `swift format` requires comments on declarations that are marked `public`. This check also covers those that are
/// public implicitly: the cases of a public enum, and the requirements of a public protocol.
enum DocumentationCheck {
    /// The public declarations of a file that have no `///` comment.
    static func violations(in file: SourceText) -> [Violation] {
        var scanner = DeclarationScanner(file: file)
        return scanner.publicDeclarations().filter { !$0.isDocumented }.map { declaration in
            let message = "public \(declaration.keyword) '\(declaration.name)' has no doc comment (///)"
            return Violation(path: file.path, line: declaration.line, message: message)
        }
    }
}

/// A declaration that another module can see.
struct PublicDeclaration {
    let keyword: String
    let name: String
    let line: Int
    let isDocumented: Bool
}

/// Walks through a file line by line and keeps track of the braces it is in.
private struct DeclarationScanner {
    private enum Scope {
        case publicProtocol
        case publicEnum
        case type
        case body
    }

    private static let types: Set = ["struct", "class", "enum", "protocol", "actor", "extension"]
    private static let members: Set = [
        "func", "var", "let", "init", "subscript", "typealias", "associatedtype", "case", "macro",
    ]

    let file: SourceText
    private var scopes: [Scope] = []
    private var pendingScope: Scope?
    private var isDocumented = false
    private var attributeDepth = 0

    init(file: SourceText) {
        self.file = file
    }

    mutating func publicDeclarations() -> [PublicDeclaration] {
        var declarations: [PublicDeclaration] = []
        for (index, code) in file.code.enumerated() {
            let line = file.lines[index].drop { $0 == " " }
            if line.hasPrefix("///") {
                isDocumented = true
                continue
            }
            let isComment = line.hasPrefix("//")
            guard !isComment, let rest = skipAttributes(of: code[...]) else { continue }
            if scopes.last != .body, let declaration = declaration(in: rest, line: index + 1) {
                declarations.append(declaration)
            }
            isDocumented = false
            follow(braces: code)
        }
        return declarations
    }

    /// The rest of a line after its attributes, or nil if the line holds only attributes.
    private mutating func skipAttributes(of code: Substring) -> Substring? {
        var rest = code.drop { $0 == " " }
        while attributeDepth > 0 || rest.hasPrefix("@") {
            if attributeDepth == 0 {
                rest = rest.dropFirst().drop { $0.isLetter || $0.isNumber || $0 == "_" }
                guard rest.first == "(" else {
                    rest = rest.drop { $0 == " " }
                    if rest.isEmpty { return nil }
                    continue
                }
            }
            while let character = rest.popFirst() {
                attributeDepth += character == "(" ? 1 : character == ")" ? -1 : 0
                if attributeDepth == 0 { break }
            }
            rest = rest.drop { $0 == " " }
            if rest.isEmpty { return nil }
        }
        return rest
    }

    private mutating func declaration(in code: Substring, line: Int) -> PublicDeclaration? {
        var modifiers: Set<Substring> = []
        var words = code.split(separator: " ")[...]
        while let word = words.popFirst() {
            let keyword = String(word.prefix { $0.isLetter })
            let isModifier = keyword == "class" && words.first.map { Self.members.contains(String($0)) } == true
            guard !isModifier, Self.types.contains(keyword) || Self.members.contains(keyword) else {
                guard word.first?.isLetter == true else { return nil }
                modifiers.insert(word)
                continue
            }
            let isPublic = modifiers.contains("public") || modifiers.contains("open")
            switch keyword {
            case "protocol" where isPublic: pendingScope = .publicProtocol
            case "enum" where isPublic: pendingScope = .publicEnum
            case _ where Self.types.contains(keyword): pendingScope = .type
            default: break
            }
            let isVisible =
                scopes.last == .publicProtocol || isPublic || scopes.last == .publicEnum && keyword == "case"
            guard isVisible, keyword != "extension", !modifiers.contains("override") else { return nil }
            let isOperator = words.first?.first.map { !$0.isLetter && !"_`".contains($0) } == true
            let name = words.first?.prefix { !(isOperator ? "(" : "(:<{=,").contains($0) } ?? ""
            return PublicDeclaration(
                keyword: keyword,
                name: name.isEmpty || ["init", "subscript"].contains(keyword) ? keyword : String(name),
                line: line,
                isDocumented: isDocumented)
        }
        return nil
    }

    private mutating func follow(braces code: String) {
        for byte in code.utf8 {
            if byte == UInt8(ascii: "{") {
                scopes.append(pendingScope ?? .body)
                pendingScope = nil
            } else if byte == UInt8(ascii: "}") {
                _ = scopes.popLast()
            }
        }
    }
}
