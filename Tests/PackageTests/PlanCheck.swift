/// Finds backends that create or validate query plans, and public ways to create, change or validate one.
enum PlanCheck {
    /// The folders of the backends.
    static let backends = [
        "Sources/Cabinet/Memory/", "Sources/CabinetSQLite/", "Sources/CabinetPostgres/", "Sources/SQLSupport/",
        "Examples/DictionaryBackend/", "Examples/JSONLinesBackend/",
    ]

    /// Finds the lines of a file of a backend that create a plan, or validate anything.
    static func violations(inBackend file: SourceText) -> [Violation] {
        violations(in: file, "A backend reads plans; it creates and validates none") {
            ["QueryPlan", "continued(", "validat"].contains(where: $0.hasBytes)
                && $0.contains(#/QueryPlan\s*(?:\.init\s*)?\(|\.continued\(|validate\w*\s*\(|\bvalidated:/#)
        }
    }

    /// Finds the lines of a file about plans that let others than the core create, change or validate one.
    static func violations(inPlan file: SourceText) -> [Violation] {
        violations(in: file, "Only the core creates, changes and validates plans") { line in
            line.contains(#/\bpublic\s+(?:(?:init|mutating|static)\b|func\s+validate)/#)
                || line.contains(#/\bpublic\s+var\b/#) && !line.contains("{")
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
