import Cabinet
import Foundation

extension ConformanceRule {
    /// Results of the operators on texts and patterns.
    static let textFilters: [ConformanceRule] = [
        ConformanceRule(
            .filters, "ENDSWITH finds literal ends",
            law:
                "ENDSWITH compares the end scalar by scalar, without wildcards; the empty text is never an end, and NUL is "
                + "a scalar.",
            source: .cabinet("predicates, section 3")
        ) { world in
            let database = try await world.samples([
                "empty": "", "upper": "MILK", "lower": "milk", "nul": "a\0b", "accent": "caf\u{E9}",
                "mark": "cafe\u{301}",
                "percent": "100%", "nil": nil,
            ])
            try await database.expectFound(formats: [
                ("x ENDSWITH 'lk'", ["lower"]), ("x ENDSWITH 'milk'", ["lower"]), ("x ENDSWITH 'a milk'", []),
                ("x ENDSWITH ''", []), ("x ENDSWITH '%'", ["percent"]), ("x ENDSWITH '*k'", []),
                ("x ENDSWITH 'b'", ["nul"]), ("x ENDSWITH '\0b'", ["nul"]), ("x ENDSWITH 'ab'", []),
                ("x ENDSWITH '\u{E9}'", ["accent"]), ("x ENDSWITH '\u{301}'", ["mark"]), ("x ENDSWITH NIL", []),
                ("NOT x ENDSWITH 'lk'", ["accent", "empty", "mark", "nil", "nul", "percent", "upper"]),
                ("'some milk' ENDSWITH x", ["lower"]),
                ("x ENDSWITH x", ["accent", "lower", "mark", "nul", "percent", "upper"]),
            ])
        },
        ConformanceRule(
            .filters, "LIKE matches the whole text",
            law:
                "In LIKE ? matches exactly one scalar and * any run, including an empty one; other characters match themselves.",
            source: .cabinet("predicates, section 3")
        ) { world in
            let database = try await world.samples([
                "empty": "", "upper": "MILK", "lower": "milk", "silk": "silk", "sql": "m%_k", "regex": "m.*k",
                "brackets": "[a-z]", "emoji": "\u{1F6D2}", "nul": "m\0k", "mark": "Ax\u{301}by", "nil": nil,
            ])
            try await database.expectFound(formats: [
                ("x LIKE 'A*\u{301}b*'", ["mark"]), ("x LIKE 'A?\u{301}*'", ["mark"]), ("x LIKE 'A*\u{301}'", []),
                ("x LIKE 'milk'", ["lower"]), ("x LIKE 'mil'", []), ("x LIKE 'm*'", ["lower", "nul", "regex", "sql"]),
                ("x LIKE '*lk'", ["lower", "silk"]), ("x LIKE '*il*'", ["lower", "silk"]),
                ("x LIKE '?ilk'", ["lower", "silk"]), ("x LIKE 'milk?'", []),
                ("x LIKE 'm*k*'", ["lower", "nul", "regex", "sql"]), ("x LIKE 'm?k'", ["nul"]),
                ("x LIKE '?'", ["emoji"]), ("x LIKE ''", ["empty"]), ("x LIKE 'm%_k'", ["sql"]), ("x LIKE 'm%'", []),
                ("x LIKE '____'", []), ("x LIKE 'm.*k'", ["regex"]), ("x LIKE '[a-z]'", ["brackets"]),
                ("x LIKE '[a-z]*'", ["brackets"]), ("x LIKE '*\0*'", ["nul"]), ("x LIKE NIL", []),
                (
                    "x LIKE '*'",
                    ["brackets", "emoji", "empty", "lower", "mark", "nul", "regex", "silk", "sql", "upper"]
                ),
                ("NOT x LIKE '**'", ["nil"]),
            ])
        },
        ConformanceRule(
            .filters, "MATCHES matches the whole text",
            law: "MATCHES matches the whole text against an ICU regular expression; an invalid one is refused.",
            source: .cabinet("predicates, section 3")
        ) { world in
            let database = try await world.samples([
                "empty": "", "upper": "MILK", "lower": "milk", "two": "27", "nil": nil,
            ])
            try await database.expectFound(formats: [
                ("x MATCHES 'm.*'", ["lower"]), ("x MATCHES 'il'", []), ("x MATCHES 'mil|milk'", ["lower"]),
                ("x MATCHES '[A-Z]+'", ["upper"]), ("x MATCHES '\\\\d{2}'", ["two"]), ("x MATCHES ''", ["empty"]),
                ("x MATCHES '(?i)milk'", ["lower", "upper"]), ("x MATCHES NIL", []), ("NOT x MATCHES '.*'", ["nil"]),
                ("x MATCHES[c] 'MILK'", ["lower", "upper"]), ("x MATCHES[d] 'm\u{ED}lk'", ["lower"]),
            ])
            for pattern in ["(", "*", "[", "a)|(b"] {
                try await expectError(.invalidArguments, naming: [pattern]) {
                    try await database.names("Samples", where: .compare("x", .matches, pattern))
                }
            }
            let large = String(repeating: "a", count: 2_001)
            try await expectError(.limitExceeded, naming: ["2001"], in: "x") {
                try await database.names("Samples", where: .compare("x", .matches, large))
            }
        },
        ConformanceRule(
            .filters, "text operators refuse other operands",
            law: "ENDSWITH, LIKE and MATCHES with an operand that is neither text nor nil are refused with "
                + "invalidArguments.",
            source: .cabinet("predicates, section 3")
        ) { world in
            let database = try await world.samples(["a": 1])
            for word in [Filter.Operator.endsWith, .like, .matches] {
                try await database.expectFound([
                    (.compare("missing", word, "a"), []), (.compare("x", .equal, 1), ["a"]),
                ])
                for filter in [Filter.compare("x", word, "a"), .compare("missing", word, 1)] {
                    for filter in [filter, .not(filter), .or([.constant(true), filter])] {
                        try await expectError(.invalidArguments) {
                            try await database.names("Samples", where: filter)
                        }
                    }
                }
            }
        },
    ]
}
