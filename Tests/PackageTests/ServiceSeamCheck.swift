/// Finds what must not be in the upper seam or beside it: a value without a coding, a closure, a use of a container's backend.
enum ServiceSeamCheck {
    /// The files that use the backend of a container, with the reason; all of them work on a whole store, below its requests.
    static let bookkeeping = [
        "Sources/CabinetTools/Verification/Container+Verification.swift":
            "Verification reads what requests must not show.",
        "Sources/CabinetTools/Copying/Container+Copy.swift": "A copy keeps change tags, numbers, and all users.",
        "Sources/CabinetTools/Transfer/DatabaseImport.swift":
            "An import reads its position, which it has stored in the transactions of its saves, unless it has another store for that.",
        "Sources/CabinetCLI/Commands/Command+Dashboard.swift":
            "The dashboard verifies the store and imports into it, and shows the users, who are entries of the store.",
    ]

    /// Finds the types of a file of a request that are neither a request nor a response with a coding.
    static func violations(inRequest file: SourceText) -> [Violation] {
        violations(in: file, "A request and a response are ServiceValues, and each part is coded") { line in
            guard let found = line.firstMatch(of: #/\b(?:struct|enum|class)\s+(\w+)([^{]*)\{/#) else { return false }
            return !found.2.contains(#/\bService(?:Request|Value)\b/#)
        }
            + violations(in: file, "A closure cannot be sent") { $0.contains(#/\b(?:var|let)\s+\w+\s*:[^{=]*->/#) }
    }

    /// Finds the lines of a file that use the backend of a container.
    static func uses(in file: SourceText) -> [Violation] {
        let isContainer = file.code.contains {
            $0.hasBytes(of: "extension Container") && $0.contains(#/\bextension Container\b/#)
        }
        return violations(in: file, "Send a request instead of using the container's backend") { line in
            guard line.hasBytes(of: "backend") else { return false }
            // The world of a rule and the engine have backends of their own.
            return line.matches(of: #/\b(\w+)\.backend\b/#.wordBoundaryKind(.simple)).contains {
                !["invocation", "self", "world", "service"].contains($0.1)
            }
                || isContainer && line.contains(#/\btry\s+backend\b/#.wordBoundaryKind(.simple))
        }
    }

    private static func violations(
        in file: SourceText, _ message: String, _ isViolation: (String) -> Bool
    ) -> [Violation] {
        file.code.enumerated().filter { isViolation($0.element) }.map {
            Violation(path: file.path, line: $0.offset + 1, message: message)
        }
    }
}
