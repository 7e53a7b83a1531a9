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
            .filters, "a beginning is found in every spelling",
            law:
                "BEGINSWITH with options finds the texts whose folded form begins with the folded one, composed or not, in any script.",
            source: .cabinet("predicates, section 3")
        ) { world in
            let database = try await world.samples([
                "plain": "ecole", "upper": "ECOLE", "accent": "\u{C9}cole", "parts": "E\u{301}co", "inner": "e\u{C7}O",
                "near": "eb",
                "after": "ed", "short": "e", "sharp": "\u{DF}a", "ss": "SSb", "kelvin": "\u{212A}m", "km": "KM",
                "fi": "\u{FB01}n",
                "ivan": "\u{418}\u{432}\u{430}\u{43D}", "short i": "\u{439}\u{412}", "titlo": "\u{438}\u{483}\u{432}",
                "omega": "\u{2126}\u{3CC}", "ga": "\u{304C}a", "ka": "\u{304B}a", "han": "\u{6C49}\u{5B57}", "nil": nil,
                "empty": "",
            ])
            try await database.expectFound(formats: [
                ("x BEGINSWITH[cd] '\u{C9}c'", ["accent", "inner", "parts", "plain", "upper"]),
                ("x BEGINSWITH[c] 'ec'", ["plain", "upper"]), ("x BEGINSWITH[d] 'Eco'", ["accent", "parts"]),
                ("x BEGINSWITH[c] '\u{E9}CO'", ["accent"]), ("x BEGINSWITH[cd] 'ecoles'", []),
                ("x BEGINSWITH[c] 's'", ["sharp", "ss"]), ("x BEGINSWITH[c] 'SSA'", ["sharp"]),
                ("x BEGINSWITH[c] 'km'", ["kelvin", "km"]), ("x BEGINSWITH[c] 'FIN'", ["fi"]),
                ("x BEGINSWITH[cd] '\u{439}\u{432}'", ["ivan", "short i", "titlo"]),
                ("x BEGINSWITH[c] '\u{418}\u{412}'", ["ivan"]), ("x BEGINSWITH[cd] '\u{3C9}\u{39F}'", ["omega"]),
                ("x BEGINSWITH[cd] '\u{304B}'", ["ga", "ka"]), ("x BEGINSWITH[cd] '\u{304C}A'", ["ga"]),
                ("x BEGINSWITH[cd] '\u{6C49}'", ["han"]),
                (
                    "NOT x BEGINSWITH[cd] 'e' AND x >[c] 'l'",
                    [
                        "ga", "han", "ivan", "ka", "omega", "sharp", "short i", "ss", "titlo",
                    ]
                ),
            ])
            let ordered = try await database.names("Samples", where: Filter("x BEGINSWITH[cd] 'ec'"), by: ["x"])
            try expect("The order", ordered, equals: ["upper", "parts", "plain", "inner", "accent"])
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
