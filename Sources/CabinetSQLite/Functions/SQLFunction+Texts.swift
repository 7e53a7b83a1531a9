import Cabinet

/// Functions that compare and order text as the filter language does.
extension SQLFunction {
    static let texts = [
        // cabinet_fold(text, options): the text to compare under [c] and [d]; other values are returned unchanged
        SQLFunction("cabinet_fold", 2) { arguments in
            guard let text = arguments.text(0) else { return arguments.value(0) }
            try WorkMeter.spend(text.utf8.count)
            return .text(filterOptions(arguments, 1).folded(text))
        },
        // cabinet_sort_key(text, options): the text to sort by under the options
        SQLFunction("cabinet_sort_key", 2) { arguments in
            guard let text = arguments.text(0) else { return arguments.value(0) }
            return .text(Sort.Options(rawValue: Int(clamping: arguments.integer(1) ?? 0)).key(of: text))
        },
        // cabinet_test(text, operator, right side, options): a comparison of text that SQL does not support
        SQLFunction("cabinet_test", 4) { arguments in
            guard let text = arguments.text(0), let test = try textTest(arguments, from: 1) else { return .integer(0) }
            return .integer(try test.holds(for: text) ? 1 : 0)
        },
        // cabinet_json(text, step of a path): the value in the JSON of the text, as a column would hold it
        SQLFunction("cabinet_json", 2) { arguments in
            guard let text = arguments.text(0), let step = arguments.text(1),
                let json = arguments.kept(1, make: { PreparedJSON(FieldPath.JSON(step)) }).json
            else { return nil }
            return try json.value(in: text)?.sqlValue
        },
        // cabinet_relevance(search, texts): the points of the texts, 0 if they have not all words of the search
        SQLFunction("cabinet_relevance", -1) { arguments in
            guard let text = arguments.text(0) else { return .integer(0) }
            let search = arguments.kept(0) { PreparedSearch(SearchText(text)) }.search
            return .integer(try search.relevance(of: (1..<arguments.count).compactMap(arguments.text)))
        },
    ]

    static func filterOptions(_ arguments: SQLArguments, _ index: Int) -> Filter.Options {
        Filter.Options(rawValue: Int(clamping: arguments.integer(index) ?? 0))
    }

    /// Returns the comparison that three arguments describe: operator, right side and options.
    static func textTest(_ arguments: SQLArguments, from first: Int) throws -> TextTest? {
        guard let right = arguments.text(first + 1), let name = arguments.text(first),
            let `operator` = Filter.Operator(rawValue: name)
        else { return nil }
        // Created once per statement if the right side is the same for all rows.
        return try arguments.kept(first + 1) {
            PreparedTest(try TextTest(`operator`, right, options: filterOptions(arguments, first + 2)))
        }.test
    }
}

/// The object that SQLite keeps for the way to a value of JSON.
private final class PreparedJSON {
    let json: FieldPath.JSON?

    init(_ json: FieldPath.JSON?) { self.json = json }
}

/// The object that SQLite keeps for a search.
private final class PreparedSearch {
    let search: SearchText

    init(_ search: SearchText) { self.search = search }
}

/// The object that SQLite keeps for a right side.
private final class PreparedTest {
    let test: TextTest

    init(_ test: TextTest) { self.test = test }
}
