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
            try await database.expectFound(formats: [
                ("x ==[c] 'strasse'", ["sharp", "upper"]), ("x ==[c] 'STRA\u{1E9E}E'", ["sharp", "upper"]),
                ("x ==[c] '\u{3C3}'", ["final", "sigma"]), ("x ==[c] 'i'", ["i"]), ("x ==[c] '\u{E9}'", ["accent"]),
                ("x ==[c] 'e'", []), ("x !=[c] 'strasse'", ["accent", "dotted", "final", "i", "nil", "sigma"]),
                ("x <[c] 't'", ["i", "dotted", "sharp", "upper"]), ("x <=[c] 'I'", ["i"]),
                ("x >[c] 'strass'", ["accent", "final", "sharp", "sigma", "upper"]),
                ("x >=[c] 'STRASSE'", ["accent", "final", "sharp", "sigma", "upper"]),
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
            try await database.expectFound(formats: [
                ("x ==[d] 'e'", ["composed", "decomposed", "plain"]),
                ("x ==[d] '\u{E8}'", ["composed", "decomposed", "plain"]), ("x ==[d] '\u{438}'", ["short"]),
                ("x ==[d] '\u{3BF}'", ["greek"]), ("x ==[d] '\u{304B}'", ["ka"]),
                ("x ==[d] '\u{304C}'", ["ga", "gaParts"]), ("x ==[d] 'o'", []), ("x ==[d] 'l'", []),
                ("x ==[d] 'oe'", []), ("x ==[d] '\u{F8}'", ["slash"]),
                ("x ==[cd] 'E'", ["composed", "decomposed", "plain", "upper"]),
            ])
        },
        ConformanceRule(
            .filters, "options apply to every operator of text",
            law: "The options apply to BEGINSWITH, ENDSWITH, CONTAINS, IN, LIKE and MATCHES on text too.",
            source: .cabinet("predicates, section 3")
        ) { world in
            let database = try await world.samples(["a": "Cr\u{E8}me Br\u{FB}l\u{E9}e", "b": "creme", "nil": nil])
            try await database.expectFound(formats: [
                ("x BEGINSWITH[cd] 'CREME'", ["a", "b"]), ("x ENDSWITH[cd] 'BRULEE'", ["a"]),
                ("x CONTAINS[cd] 'Br\u{FA}'", ["a"]), ("x LIKE[cd] 'cr?ME*'", ["a", "b"]),
                ("x LIKE[cd] 'CREME'", ["b"]), ("x MATCHES[cd] 'CREME.*'", ["a", "b"]), ("x BEGINSWITH[cd] ''", []),
                ("x IN[cd] 'ice CREME'", ["b"]), ("x BEGINSWITH[c] 'creme'", ["b"]), ("x BEGINSWITH[d] 'Creme'", ["a"]),
                ("x CONTAINS 'e'", ["a", "b"]), ("NOT x LIKE[cd] 'CREME*'", ["nil"]),
            ])
        },
    ]
}
