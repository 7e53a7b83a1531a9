import Cabinet
import CabinetTesting

extension Mutant {
    /// Backends with faults in searches.
    static let searching: [Mutant] = [
        mutant(
            "finds records with one of the words of a search", caughtBy: ["a search as people write it finds all words"]
        ) { comparison, search in
            .or(
                search.words.map { word in
                    let text = word.text + (word.isUnfinished ? "" : " ")
                    return .comparison(.init(comparison.left, .search, .constant(.string(text))))
                })
        },
        mutant("finishes the last word of a search", caughtBy: ["the last word of a search may be unfinished"]) {
            comparison, search in comparison.searching(for: search.text + " ")
        },
        mutant(
            "takes every word of a search for a beginning",
            caughtBy: ["the last word of a search may be unfinished", "a search as people write it finds all words"]
        ) { comparison, search in
            .and(search.words.map { comparison.searching(for: $0.text) })
        },
        mutant(
            "forgets the quotation marks of a search",
            caughtBy: ["a phrase is found where its words stand side by side"]
        ) { comparison, search in
            comparison.searching(for: search.text.replacing("\"", with: " "))
        },
        mutant(
            "searches with regard to accents", caughtBy: ["a search as people write it ignores case and accents"]
        ) { comparison, search in
            .and([
                comparison.searching(for: search.text),
                .or(
                    ["title", "body"].map { key in
                        .comparison(
                            .init(
                                .field(key), .contains, .constant(.string(search.words[0].text)),
                                options: .caseInsensitive))
                    }),
            ])
        },
        mutant(
            "searches all fields instead of one",
            caughtBy: ["a search as people write it reads one field, or the elements of a list"]
        ) { comparison, search in
            var comparison = comparison
            if comparison.quantifier == .single { comparison.left = .searchableText }
            return comparison.searching(for: search.text)
        },
        Mutant(
            "knows no relevance",
            caughtBy: [
                "records are ordered by their relevance to a search", "an observed search keeps the order of relevance",
                "a page by relevance continues exactly while others save",
            ]
        ) {
            $0.plan = { plan in
                try plan.with { plan in
                    guard plan.order.contains(where: \.isByRelevance) else { return }
                    plan.order = plan.order.map { $0.isByRelevance ? Sort("unknown") : $0 }
                    plan.position?.values = plan.order.map { _ in nil }
                }
            }
        },
        Mutant(
            "takes the least relevant for the most", caughtBy: ["records are ordered by their relevance to a search"]
        ) {
            $0.plan = { plan in
                try plan.with { plan in
                    plan.order = plan.order.map { $0.isByRelevance ? Sort($0.key, ascending: !$0.ascending) : $0 }
                }
            }
        },
    ]

    /// A backend that replaces a search with words by another filter.
    private static func mutant(
        _ name: String, caughtBy rules: [String],
        _ transform: @escaping @Sendable (Filter.Comparison, SearchText) -> Filter
    ) -> Mutant {
        Mutant(name, caughtBy: rules) { fault in
            fault.plan = { plan in
                try plan.with { plan in
                    guard case .comparison(let comparison) = plan.filter, comparison.operator == .search,
                        case .constant(.string(let text)?) = comparison.right, !SearchText(text).isEmpty
                    else { return }
                    plan.filter = transform(comparison, SearchText(text))
                }
            }
        }
    }
}

extension Filter.Comparison {
    /// The comparison with another search.
    fileprivate func searching(for text: String) -> Filter {
        var comparison = self
        comparison.right = .constant(.string(text))
        return .comparison(comparison)
    }
}
