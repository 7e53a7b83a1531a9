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
            try await database.expectFound([
                (.compare("x", .endsWith, "lk"), ["lower"]), (.compare("x", .endsWith, "milk"), ["lower"]),
                (.compare("x", .endsWith, "a milk"), []), (.compare("x", .endsWith, ""), []),
                (.compare("x", .endsWith, "%"), ["percent"]), (.compare("x", .endsWith, "*k"), []),
                (.compare("x", .endsWith, "b"), ["nul"]), (.compare("x", .endsWith, "\0b"), ["nul"]),
                (.compare("x", .endsWith, "ab"), []), (.compare("x", .endsWith, "\u{E9}"), ["accent"]),
                (.compare("x", .endsWith, "\u{301}"), ["mark"]), (.compare("x", .endsWith, nil), []),
                (
                    .not(.compare("x", .endsWith, "lk")),
                    ["accent", "empty", "mark", "nil", "nul", "percent", "upper"]
                ),
                (.comparison(.init(.constant(.string("some milk")), .endsWith, .field("x"))), ["lower"]),
                (
                    .comparison(.init(.field("x"), .endsWith, .field("x"))),
                    [
                        "accent", "lower", "mark", "nul", "percent", "upper",
                    ]
                ),
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
                "brackets": "[a-z]", "emoji": "\u{1F6D2}", "nul": "m\0k", "nil": nil,
            ])
            try await database.expectFound([
                (.compare("x", .like, "milk"), ["lower"]), (.compare("x", .like, "mil"), []),
                (.compare("x", .like, "m*"), ["lower", "nul", "regex", "sql"]),
                (.compare("x", .like, "*lk"), ["lower", "silk"]), (.compare("x", .like, "*il*"), ["lower", "silk"]),
                (.compare("x", .like, "?ilk"), ["lower", "silk"]), (.compare("x", .like, "milk?"), []),
                (.compare("x", .like, "m*k*"), ["lower", "nul", "regex", "sql"]),
                (.compare("x", .like, "m?k"), ["nul"]),
                (.compare("x", .like, "?"), ["emoji"]), (.compare("x", .like, ""), ["empty"]),
                (.compare("x", .like, "m%_k"), ["sql"]), (.compare("x", .like, "m%"), []),
                (.compare("x", .like, "____"), []), (.compare("x", .like, "m.*k"), ["regex"]),
                (.compare("x", .like, "[a-z]"), ["brackets"]), (.compare("x", .like, "[a-z]*"), ["brackets"]),
                (.compare("x", .like, "*\0*"), ["nul"]), (.compare("x", .like, nil), []),
                (
                    .compare("x", .like, "*"),
                    ["brackets", "emoji", "empty", "lower", "nul", "regex", "silk", "sql", "upper"]
                ),
                (.not(.compare("x", .like, "**")), ["nil"]),
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
            try await database.expectFound([
                (.compare("x", .matches, "m.*"), ["lower"]), (.compare("x", .matches, "il"), []),
                (.compare("x", .matches, "mil|milk"), ["lower"]), (.compare("x", .matches, "[A-Z]+"), ["upper"]),
                (.compare("x", .matches, "\\d{2}"), ["two"]), (.compare("x", .matches, ""), ["empty"]),
                (.compare("x", .matches, "(?i)milk"), ["lower", "upper"]), (.compare("x", .matches, nil), []),
                (.not(.compare("x", .matches, ".*")), ["nil"]),
                (.compare("x", .matches, "MILK", [.caseInsensitive]), ["lower", "upper"]),
                (.compare("x", .matches, "m\u{ED}lk", [.diacriticInsensitive]), ["lower"]),
            ])
            for pattern in ["(", "*", "[", "a)|(b"] {
                try await expectError(.invalidArguments, naming: [pattern]) {
                    try await database.names("Samples", where: .compare("x", .matches, pattern))
                }
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

extension Filter {
    /// A comparison of a field with a value, under options.
    static func compare(
        _ key: Record.FieldKey, _ comparison: Operator, _ value: (any RecordValue)?, _ options: Options
    ) -> Filter {
        .field(key).compared(comparison, to: value, options: options)
    }
}
