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
        if case .storage = source { true } else { indexesEveryField }
    }

    /// Whether the rule repeats another one on a store that indexes every field.
    var indexesEveryField: Bool { Self.indexedNames.contains(name) }

    /// Whether the rule calls the backend and nothing above it, so that a service makes no difference to it.
    var sendsNoRequest: Bool {
        if case .storage = source { family == .storage } else { false }
    }

    /// The half of the rules that the rule belongs to, 0 or 1, which depends on nothing but its name.
    ///
    /// Tests of a layer above two stores run one half on each.
    var half: Int { Int(name.utf8.reduce(0, &+) as UInt8) % 2 }

    private static let indexedNames = Set(indexed(written).map(\.name))
}
