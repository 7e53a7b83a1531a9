import Cabinet
import Foundation

extension ConformanceRule {
    /// Results of operators without regard to case and accents.
    static let foldedFilters: [ConformanceRule] = [
        ConformanceRule(
            .filters, "[c] folds case as Unicode does",
            law:
                "Under [c] both sides are case folded, fully and in no language: \u{DF} is ss, all three sigmas are alike, "
                + "\u{130} is not i.",
            source: .cabinet("predicates, section 3")
        ) { world in
            let database = try await world.samples([
                "upper": "STRASSE", "sharp": "Stra\u{DF}e", "sigma": "\u{3A3}", "final": "\u{3C2}", "dotted": "\u{130}",
                "i": "I", "accent": "\u{C9}", "nil": nil,
            ])
            try await database.expectFound([
                (.compare("x", .equal, "strasse", [.caseInsensitive]), ["sharp", "upper"]),
                (.compare("x", .equal, "STRA\u{1E9E}E", [.caseInsensitive]), ["sharp", "upper"]),
                (.compare("x", .equal, "\u{3C3}", [.caseInsensitive]), ["final", "sigma"]),
                (.compare("x", .equal, "i", [.caseInsensitive]), ["i"]),
                (.compare("x", .equal, "\u{E9}", [.caseInsensitive]), ["accent"]),
                (.compare("x", .equal, "e", [.caseInsensitive]), []),
                (
                    .compare("x", .notEqual, "strasse", [.caseInsensitive]),
                    ["accent", "dotted", "final", "i", "nil", "sigma"]
                ),
                (.compare("x", .lessThan, "t", [.caseInsensitive]), ["i", "dotted", "sharp", "upper"]),
                (.compare("x", .lessThanOrEqual, "I", [.caseInsensitive]), ["i"]),
                (
                    .compare("x", .greaterThan, "strass", [.caseInsensitive]),
                    [
                        "accent", "final", "sharp", "sigma", "upper",
                    ]
                ),
                (
                    .compare("x", .greaterThanOrEqual, "STRASSE", [.caseInsensitive]),
                    [
                        "accent", "final", "sharp", "sigma", "upper",
                    ]
                ),
            ])
        },
        ConformanceRule(
            .filters, "[d] removes the accents of three scripts",
            law:
                "Under [d] marks after Latin, Greek and Cyrillic letters are removed; other marks, and letters that do not "
                + "decompose, stay.",
            source: .cabinet("predicates, section 3")
        ) { world in
            let database = try await world.samples([
                "composed": "\u{E9}", "decomposed": "e\u{301}", "plain": "e", "upper": "\u{C9}", "short": "\u{439}",
                "greek": "\u{3CC}", "ga": "\u{304C}", "gaParts": "\u{304B}\u{3099}", "ka": "\u{304B}",
                "slash": "\u{F8}",
                "stroke": "\u{142}", "ligature": "\u{153}",
            ])
            let options: Filter.Options = [.diacriticInsensitive]
            try await database.expectFound([
                (.compare("x", .equal, "e", options), ["composed", "decomposed", "plain"]),
                (.compare("x", .equal, "\u{E8}", options), ["composed", "decomposed", "plain"]),
                (.compare("x", .equal, "\u{438}", options), ["short"]),
                (.compare("x", .equal, "\u{3BF}", options), ["greek"]),
                (.compare("x", .equal, "\u{304B}", options), ["ka"]),
                (.compare("x", .equal, "\u{304C}", options), ["ga", "gaParts"]),
                (.compare("x", .equal, "o", options), []), (.compare("x", .equal, "l", options), []),
                (.compare("x", .equal, "oe", options), []), (.compare("x", .equal, "\u{F8}", options), ["slash"]),
                (
                    .compare("x", .equal, "E", [.caseInsensitive, .diacriticInsensitive]),
                    ["composed", "decomposed", "plain", "upper"]
                ),
            ])
        },
        ConformanceRule(
            .filters, "options apply to every operator of text",
            law: "The options apply to BEGINSWITH, ENDSWITH, CONTAINS, IN, LIKE and MATCHES on text too.",
            source: .cabinet("predicates, section 3")
        ) { world in
            let database = try await world.samples(["a": "Cr\u{E8}me Br\u{FB}l\u{E9}e", "b": "creme", "nil": nil])
            let options: Filter.Options = [.caseInsensitive, .diacriticInsensitive]
            try await database.expectFound([
                (.compare("x", .beginsWith, "CREME", options), ["a", "b"]),
                (.compare("x", .endsWith, "BRULEE", options), ["a"]),
                (.compare("x", .contains, "Br\u{FA}", options), ["a"]),
                (.compare("x", .like, "cr?ME*", options), ["a", "b"]), (.compare("x", .like, "CREME", options), ["b"]),
                (.compare("x", .matches, "CREME.*", options), ["a", "b"]),
                (.compare("x", .beginsWith, "", options), []),
                (.comparison(.init(.field("x"), .in, .constant(.string("ice CREME")), options: options)), ["b"]),
                (.compare("x", .beginsWith, "creme", [.caseInsensitive]), ["b"]),
                (.compare("x", .beginsWith, "Creme", [.diacriticInsensitive]), ["a"]),
                (.compare("x", .contains, "e", []), ["a", "b"]),
                (.not(.compare("x", .like, "CREME*", options)), ["nil"]),
            ])
        },
    ]
}
