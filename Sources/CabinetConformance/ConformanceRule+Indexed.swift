extension ConformanceRule {
    /// The rules about filters, order and paging, repeated on a store that indexes every field.
    static func indexed(_ rules: [ConformanceRule]) -> [ConformanceRule] {
        rules.filter { [.filters, .order, .paging].contains($0.family) }.map { rule in
            ConformanceRule(
                rule.family, "\(rule.name), with every field indexed", law: rule.law, source: rule.source,
                needsReopening: rule.needsReopening, needsHelper: rule.needsHelper
            ) { try await rule.body($0.indexingEveryField()) }
        }
    }
}

extension ConformanceRule {
    /// Whether the rule touches the backend below a service: it is about the storage protocols, or repeats another rule on a store that
    /// indexes every field.
    var touchesBackend: Bool {
        if case .storage = source { true } else { Self.indexedNames.contains(name) }
    }

    private static let indexedNames = Set(indexed(written).map(\.name))
}
