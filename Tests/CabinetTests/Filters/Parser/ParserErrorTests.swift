import Cabinet
import Testing

@Suite("Parser: every syntax error has a message with its position and a recommendation")
struct ParserErrorTests {
    /// The format, the position of the caret (from 1), and a part of the message.
    static let malformedFormats: [(String, Int, String)] = [
        ("", 1, "the filter is empty; for all records write TRUEPREDICATE."),
        ("  \n ", 5, "the filter is empty"),
        ("name 'Milk'", 6, "expected an operator such as '==', found 'Milk'."),
        ("name ==", 8, "expected a field, a value or '(' after '==', found the end of the text."),
        ("== 5", 1, "expected a field, a value or '(', found '=='."),
        ("a == 1 AND", 11, "after 'AND', found the end of the text."),
        ("AND a == 1", 1, "expected a field, a value or '(', found 'AND'."),
        ("a == 1 b == 2", 8, "expected AND, OR or the end of the filter, found 'b'."),
        ("a == 1)", 7, "there is no '(' for this ')'."),
        ("(a == 1", 1, "this '(' is not closed."),
        ("((a == 1)", 1, "this '(' is not closed."),
        ("()", 2, "expected a field, a value or '(' after '(', found ')'."),
        ("a IN {1, 2", 6, "this '{' is not closed."),
        ("a IN {1, 2)", 11, "expected '}' or ',' in the list, found ')'."),
        ("a IN {1,}", 9, "after '{', found '}'."),
        ("a IN {,1}", 7, "after '{', found ','."),
        ("(a == 1}", 8, "expected ')', found '}'."),
        ("a == 1}", 7, "there is no '{' for this '}'."),
        ("a IN {b == 1}", 7, "expected a value, found a comparison."),
        ("a IN (1, 2)", 8, "a list is written in braces, as in {1, 2}."),
        ("a IN [1, 2]", 6, "a list is written in braces, as in {1, 2}."),
        ("a == 1, b == 2", 7, "a comma joins no comparisons; write AND or OR."),
        ("a == 'Milk", 6, "the text that begins here has no ' at its end."),
        ("a == \"Milk'", 6, "the text that begins here has no \" at its end."),
        (#"a == 'C:\dir'"#, 9, #"for a backslash itself write \\"#),
        ("a == “Milk”", 6, "curly quotes do not delimit text; write ' or \"."),
        ("a == ‘Milk’", 6, "curly quotes do not delimit text"),
        ("a == `Milk`", 6, "backquotes do not delimit text"),
        ("a == ?", 6, "'?' is not a placeholder. Write %@ for an argument."),
        ("a ≠ 1", 3, "Write !=."), ("a ≤ 1", 3, "Write <=."), ("a ≥ 1", 3, "Write >=."),
        ("a & b", 3, "Write && or AND."), ("a == 1 | b == 1", 8, "Write || or OR."),
        ("a ==\u{A0}1", 5, "no-break space (U+00A0)"), ("a == 1;", 7, "leave it out"),
        ("a == ü", 6, "\"ü\" means nothing"),
        ("a === 1", 3, "'===' is not an operator. Write ==."), ("a !== 1", 3, "'!==' is not an operator. Write !=."),
        ("a =! 1", 3, "'=!' is not an operator. Write !=."), ("a <== 1", 3, "'<==' is not an operator. Write <=."),
        ("a NOT IN {1}", 3, "write NOT a IN …."), ("a not contains 'x'", 3, "write NOT a CONTAINS …."),
        ("a NOT 5", 3, "to compare write a != …."), ("a == NOT 5", 6, "after '==', found 'NOT'."),
        ("a IS NULL", 3, "'IS' is not an operator. Write a == NIL or a != NIL."),
        ("a is not nil", 3, "Write a == NIL or a != NIL."),
        ("a EQUALS 5", 3, "Write ==."),
        ("a BETWEEN 1 AND 5", 3, "BETWEEN takes a list of two values; write BETWEEN {1, 5}."),
        ("a between 'x' and 'y'", 3, "write BETWEEN {'x', 'y'}."),
        ("a BETWEEN low AND high OR b == 1", 3, "write BETWEEN {low, high}."),
        ("a BETWEEN 1 AND b == 1 AND done", 28, "'done' is not a comparison"),
        ("done", 1, "'done' is not a comparison. For a field that is true, write done == YES."),
        ("a == 1 AND done", 12, "'done' is not a comparison"), ("done AND a == 1", 1, "'done' is not a comparison"),
        ("NOT done", 5, "'done' is not a comparison"), ("(done)", 1, "'done' is not a comparison"),
        ("TRUE", 1, "For all records, write TRUEPREDICATE."), ("no", 1, "For no record, write FALSEPREDICATE."),
        ("5", 1, "5 is not a comparison: expected an operator such as '==' after it."),
        ("{1, 2}", 1, "{1, 2} is not a comparison"),
        ("1 < a < 5", 7, "comparisons do not chain; join two with AND"),
        ("(a == 1) == 1", 10, "a comparison has no value to compare"),
        ("1 == (a == 1)", 6, "expected a value, found a comparison."),
        ("a == 5x", 6, "'5x' is not a number"), ("a == 0x", 6, "'0x' is not a number"),
        ("a == 0xG", 6, "'0xG' is not a number"),
        ("a == 0b2", 6, "'0b2' is not a number"), ("a == 1e", 6, "'1e' is not a number"),
        ("a == 1_000", 6, "'1_000' is not a number"),
        ("a == 5.", 6, "write 5.0."), ("a == 1.2.3", 9, "expected AND, OR or the end of the filter, found .3."),
        ("a == 9223372036854775808", 6, "does not fit into 64 bits"),
        ("a == 0xFFFFFFFFFFFFFFFF", 6, "does not fit into 64 bits"),
        ("a == 1e999", 6, "greater than a 64-bit floating-point number"),
        ("a == %", 6, "'%' is not a specifier: expected %@"), ("a == %s", 6, "'%s' is not a specifier"),
        ("a == %%", 6, "is not a specifier"), ("a == %5d", 6, "'%5d' is not a specifier"),
        ("a == %lK", 6, "'%lK' is not a specifier"),
        ("a == %@", 6, "there is no argument for this %@; the format was given no argument."),
        ("# == 1", 2, "expected a name after '#'"),
        ("a CASEINSENSITIVE 'x'", 3, "'CASEINSENSITIVE' is not supported; to ignore case write [c]"),
        ("a LIKE", 7, "after 'LIKE', found the end of the text."), ("a NOT LIKE 'x'", 3, "write NOT a LIKE …."),
        ("a ==[n] 'x'", 5, "'[n]' is not supported"), ("a BEGINSWITH [cdl] 'x'", 14, "'[cdl]' is not supported"),
        ("a ==[x] 'x'", 5, "'[x]' is not an option. Write [c] to ignore case, [d] to ignore accents, or [cd]."),
        ("a LIKE[ab] 'x'", 7, "'[ab]' is not an option"), ("a IN [b]", 6, "a list is written in braces"),
        ("a ==[] 'x'", 5, "a list is written in braces"), ("a ==[c 'x'", 5, "a list is written in braces"),
        ("a ==[c][d] 'x'", 8, "an operator's options stand in one pair of brackets: [cd]."),
        ("a ==[c]", 8, "expected a field, a value or '(' after '==[c]', found the end of the text."),
        ("a ==[c]== 1", 8, "after '==[c]', found '=='."),
        ("ANY", 4, "after 'ANY', found the end of the text."), ("ANY == 1", 5, "after 'ANY', found '=='."),
        ("ANY tags", 1, "'ANY' stands before one comparison, as in ANY tags == 'new'."),
        ("ANY tags AND b == 1", 1, "'ANY' stands before one comparison"), ("(all tags) == 1", 2, "'all' stands before"),
        ("ANY (a == 1)", 1, "as in ANY tags == 'new'; leave out the parentheses around it."),
        ("NONE TRUEPREDICATE", 1, "'NONE' stands before one comparison"), ("ANY NOT a == 1", 5, "found 'NOT'."),
        ("ANY ALL a == 1", 5, "'ALL' stands before a whole comparison, as in ANY tags == 'new'."),
        ("a == ANY b", 6, "'ANY' stands before a whole comparison"), ("a ANY == 1", 3, "write ANY a …."),
        ("a IN {ANY b}", 7, "'ANY' stands before"), ("ANY a == 1 == 2", 12, "comparisons do not chain"),
        ("a + == 2", 5, "expected a field, a value or '(' after '+', found '=='."),
        ("+a == 2", 1, "a '+' stands between two values"), ("a * / b == 2", 5, "after '*', found '/'."),
        ("a + 1", 1, "a + 1 is not a comparison: expected an operator such as '==' after it."),
        ("a == b + c d", 12, "expected AND, OR or the end of the filter, found 'd'."),
        ("a == 1 + (b == 2)", 10, "expected a value, found a comparison."),
        ("(a == 1) + 1 == 2", 10, "a comparison has no value to calculate with"),
        ("-(a == 1) == 1", 2, "expected a value, found a comparison."),
        ("a BETWEEN 1 + 1 AND 5", 3, "write BETWEEN {1 + 1, 5}."),
        ("list..name == 'x'", 6, "expected a name after the dot, as in list.name."),
        ("list. == 'x'", 7, "expected a name after the dot"), (".name == 'x'", 1, "a key path begins with a name"),
        ("list.in == 'x'", 6, "'in' is a word of the language; for a field of that name write #in."),
        (
            "tags.@nope == 1", 6,
            "has the step '@nope'; the operators over lists are @count, @sum, @avg, @min or @max, and JSON is read by @string, "
                + "@int64, @double or @timestamp."
        ),
        ("tags.@ == 1", 6, "expected @count, @sum, @avg, @min or @max, or @string, @int64, @double or @timestamp."),
        (
            "SELF.@string.a == 1", 6,
            "begins with '@string', which stands after a text with JSON, as in address.@string.city."
        ),
        ("a.@string.in == 1", 11, "'in' is a word of the language; for a field of that name write #in."),
        ("a.@string. == 1", 12, "expected a name after the dot"),
        ("a.b.0 == 1", 4, "expected an operator such as '=='"),
        ("tags.@count.x == 1", 12, "'@count' is a number; nothing can follow it."),
        ("SELF.@count == 1", 6, "begins with '@count', which stands after a list, as in tags.@count."),
        ("@count == 1", 1, "'@' stands after a list and a dot, as in tags.@count; for an argument write %@."),
        ("a[] == 1", 3, "expected an index between the brackets: a number, FIRST, LAST or SIZE."),
        ("a[0 == 1", 2, "this '[' is not closed."), ("a[0) == 1", 4, "expected ']' after the index, found ')'."),
        ("a[1, 2] == 1", 4, "expected ']' after the index, found ','."),
        ("a == 1]", 7, "there is no '[' for this ']'."),
        ("a[b == 1] == 1", 3, "expected a value, found a comparison."),
        ("(a == 1)[0] == 1", 9, "expected AND, OR or the end of the filter, found '['."),
        ("a[ANY b] == 1", 3, "'ANY' stands before a whole comparison"),
        ("$ == 1", 2, "expected a name after '$', as in $name; for an argument write %@."),
        ("distanceToLocation:fromLocation: < 5", 34, "expected '(' after 'distanceToLocation:fromLocation:'."),
        ("distanceToLocation:fromLocation:(a) < 5", 1, "takes two locations, as in"),
        ("distanceToLocation:fromLocation:(a, b, c) < 5", 1, "takes two locations, as in"),
        ("distanceToLocation:fromLocation:() < 5", 34, "found ')'."),
        ("distanceToLocation:fromLocation:(a, b < 5", 33, "this '(' is not closed."),
        ("distanceToLocation:fromLocation:(a} < 5", 35, "expected ')' or ',' in the parentheses of"),
        ("tokenize:using:('a', 'c') == 'a'", 1, "stands on the right side of TOKENMATCHES alone."),
        ("self CONTAINS tokenize:using:('a', 5)", 36, "takes a text and its options"),
        ("a := 1", 3, "':=' is not an operator. To compare, write ==."), ("a:=1", 2, "':=' is not an operator"),
        ("at < now()", 6, "the function 'now()' is not supported; pass a Date as %@."),
        ("lowercase(a) == 'x'", 1, "'lowercase()' is not supported; to ignore case write [c] after the operator"),
        ("uppercase:(a) == 'x'", 1, "'uppercase:' is not supported; to ignore case write [c]"),
        ("add:to:(a, b) == 1", 1, "'add:to:' is not supported; write a + b."),
        ("count (a) == 1", 1, "'count()' is not supported; for a list write tags.@count or tags[SIZE]."),
        ("sqrt(a) == 1", 1, "calculate the value in Swift and pass it as %@, or keep it in a field."),
        ("CAST(a, 'NSDate') == 1", 6, "'CAST' creates a TIMESTAMP from the seconds since 2001, as in CAST(694224000.0"),
        ("a == CAST('1', 'TIMESTAMP')", 11, "'CAST' creates a TIMESTAMP from the seconds since 2001"),
        ("a == CAST(1, 'NSNumber')", 14, "'NSNumber' is not a type that 'CAST' creates; expected TIMESTAMP, BYTES"),
        ("a == CAST(1, 'INT64')", 14, "'INT64' is not a type"), ("a == CAST(1, 'LIST<X>')", 14, "is not a type"),
        ("a == CAST(1)", 6, "'CAST' takes a constant and the name of a type, as in CAST(694224000.0, 'TIMESTAMP')."),
        ("a == CAST(1, b)", 14, "'CAST' takes a constant and the name"),
        ("a == CAST(1, 2, 3)", 6, "'CAST' takes a constant"),
        ("a == CAST()", 11, "found ')'."), ("a == CAST($x, 'TIMESTAMP')", 11, "'CAST' creates a TIMESTAMP"),
        ("cast == 1", 6, "expected '(' after 'CAST'. For a field of that name write #cast."),
        ("a CAST 1", 3, "expected an operator such as '==', found 'CAST'."),
        ("a == CAST('x', 'BYTES')", 11, "'CAST' creates BYTES from Base64, as in CAST('AAEC', 'BYTES')."),
        ("a == CAST(1, 'DOUBLE')", 11, "a DOUBLE from 'inf', '-inf' or 'nan'; other numbers need no cast."),
        ("a == CAST('INF', 'DOUBLE')", 11, "a DOUBLE from 'inf'"),
        ("a == CAST(1, 'REFERENCE')", 11, "a REFERENCE from a record name"),
        (
            "a == CAST({'x', 'delete'}, 'REFERENCE')", 11,
            "a REFERENCE from a record name, an action, a zone and its owner"
        ),
        ("a == CAST({'x', 'none', 'z', 'o', 'p'}, 'REFERENCE')", 11, "a REFERENCE from a record name"),
        ("a == CAST({}, 'REFERENCE')", 11, "a REFERENCE"),
        ("a == CAST({1}, 'LOCATION')", 11, "a LOCATION from a latitude"),
        ("a == CAST({1, NIL}, 'LOCATION')", 11, "a LOCATION"), ("a == CAST({1, 'x'}, 'LOCATION')", 11, "a LOCATION"),
        ("a == CAST({1, 2, 3, 4, 5, 6, 7, 8}, 'LOCATION')", 11, "a LOCATION"),
        ("a == CAST({1, 2, 3, 4, 5, 6, 7, 8, 9}, 'LOCATION')", 11, "a LOCATION"),
        ("a == CAST({'x', 1}, 'ASSET')", 11, "an ASSET from a checksum and a size, or from Base64."),
        ("a == CAST({1, 2.5}, 'LIST<INT64>')", 11, "a LIST<INT64> from a list of such values."),
        ("a == CAST(1, 'LIST')", 11, "'CAST' creates a LIST from a list."),
        ("AND {a == 1", 5, "this '{' is not closed."), ("AND {a}", 6, "'a' is not a comparison"),
        ("AND {a == 1, }", 14, "found '}'"), ("AND {a == 1)", 12, "expected '}' or ',' in the list, found ')'."),
        ("a == AND {}", 6, "after '==', found 'AND'."), ("OR a == 1", 1, "found 'OR'."),
        ("ANY AND {}", 5, "found 'AND'."), ("a IN {AND {}}", 7, "found 'AND'."),
        ("AND {} + 1 == 2", 8, "no value to calculate with"),
        ("#'a..b' == 1", 1, "the key path 'a..b' has an empty step."),
        ("#'' == 1", 1, "the key path '' has an empty step."),
        ("#'a == 1", 2, "has no ' at its end."), ("$'a == 1", 2, "has no ' at its end."),
        ("list.#'@nope' == 1", 6, "the key path has the step '@nope'"),
        ("$x.#'' == 1", 3, "the key path '' has an empty step."), ("SELF.#''.b == 1", 5, "has an empty step."),
        ("#'a.@count'.b == 1", 1, "goes on after '@count', which is a number."),
        ("SUBQUERY(a, $x, $x == 1).@count > 0", 10, "SUBQUERY takes a record type with its field"),
        ("SUBQUERY(A.b.c, $x, $x == 1).@count > 0", 10, "SUBQUERY takes a record type"),
        ("SUBQUERY(A.@count, $x, $x == 1).@count > 0", 10, "SUBQUERY takes a record type"),
        ("SUBQUERY A.b == 1", 1, "SUBQUERY takes a record type"),
        ("SUBQUERY(A.b, x, x == 1).@count > 0", 15, "SUBQUERY takes a record type"),
        ("SUBQUERY(A.b $x, $x == 1).@count > 0", 14, "SUBQUERY takes a record type"),
        ("SUBQUERY(A.b, $x, c == 1).@count > 0", 19, "within SUBQUERY, a field begins with its variable: write $x.c."),
        ("SUBQUERY(A.b, $x, SELF == 1).@count > 0", 19, "within SUBQUERY"),
        ("SUBQUERY(A.b, $x, SUBQUERY(C.d, $y, $x.e == 1).@count > 0).@count > 0", 37, "within SUBQUERY"),
        ("SUBQUERY(A.b, $x, $x.c).@count > 0", 19, "'c' is not a comparison"),
        ("SUBQUERY(A.b, $x, $x.c == 1) > 0", 30, "write .@count after it"),
        ("SUBQUERY(A.b, $x, $x.c == 1).@sum.c > 0", 29, "write .@count after it"),
        ("SUBQUERY(A.b, $x, $x.c == 1", 9, "this '(' is not closed."),
        ("SUBQUERY(A.b, $x, $x.c == 1, $x.d == 2).@count > 0", 28, "a comma joins no comparisons"),
        ("flags & 4 == 4", 7, "Operators on bits are not supported."), ("a << 2 == 4", 3, "'<<' is not an operator"),
        ("a ^ 2 == 4", 3, "For a power, write **."),
        ("name ILIKE 'x'", 6, "'ILIKE' is not an operator. Write LIKE[c]."),
        ("name STARTSWITH 'x'", 6, "Write BEGINSWITH."),
        ("a == 1 ORDER BY b", 8, "'ORDER' is not part of a filter. The order and the limit belong to the query."),
    ]

    @Test("Malformed formats", arguments: malformedFormats)
    func malformed(format: String, position: Int, expectedMessage: String) throws {
        let error = try #require(throws: CabinetError.self) { try Filter(format) }
        #expect(error.code == .invalidArguments)
        #expect(error.message.hasPrefix("The filter cannot be read at position \(position): "))
        #expect(error.message.contains(expectedMessage))
        let lines = error.message.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 3)
        #expect(lines.last?.hasSuffix("^") == true)
    }

    @Test("The message shows the text and a caret under the position")
    func caret() throws {
        let error = try #require(throws: CabinetError.self) { try Filter("name 'Milk'") }
        #expect(
            error.message == """
                The filter cannot be read at position 6: expected an operator such as '==', found 'Milk'.
                  name 'Milk'
                       ^
                """)
    }

    @Test("A long text is cut on both sides, and of several lines one is shown")
    func excerpt() throws {
        let long = String(repeating: "a == 1 OR ", count: 50)
        let error = try #require(throws: CabinetError.self) { try Filter(long + "done OR " + long) }
        let lines = error.message.split(separator: "\n")
        #expect(lines[1] == "  …a == 1 OR a == 1 OR a == 1 OR a == 1 OR done OR a == 1 OR a == 1 OR a == 1 OR a …")
        #expect(lines[2].count == 2 + 1 + 40 + 1)

        let second = try #require(throws: CabinetError.self) { try Filter("a == 1 AND\n\tdone\nOR b == 2") }
        #expect(second.message.hasSuffix("\n   done\n   ^"))
    }

    @Test(
        "Arguments that do not fit their specifiers",
        arguments: [
            ("%d", 2.5, "argument 1 is 2.5 (Double); %d takes a whole number"),
            ("%d", "x", "argument 1 is 'x' (String); %d takes a whole number"), ("%d", nil, "argument 1 is nil"),
            ("%f", "x", "%f takes a number"), ("%K", 5, "%K takes the name of a field"),
            ("%K", nil, "argument 1 is nil"),
            ("%K", "", "argument 1 is an empty name"), ("%K", "a..b", "argument 1, 'a..b', has an empty step."),
            ("%K", ".", "has an empty step"),
            ("%K", "a.@nope", "argument 1, 'a.@nope', has the step '@nope'; the operators over lists are @count"),
            ("%K", "@count", "begins with '@count', which stands after a list"),
            ("%K", "a.@count.b", "goes on after '@count', which is a number"),
            ("%@", UInt64.max, "argument 1 is 18446744073709551615 (UInt64), which no field can hold"),
            ("%d", UInt64.max, "which no field can hold"), ("%@", [[1]], "which no field can hold"),
        ] as [(String, (any RecordValue)?, String)])
    func arguments(specifier: String, argument: (any RecordValue)?, expectedMessage: String) throws {
        let error = try #require(throws: CabinetError.self) {
            try Filter(format: "a == \(specifier)", arguments: [argument])
        }
        #expect(error.message.hasPrefix("The filter cannot be read at position 6: "))
        #expect(error.message.contains(expectedMessage))
    }

    @Test("Too few arguments, too many, and a specifier in the wrong position")
    func argumentCount() throws {
        let few = try #require(throws: CabinetError.self) { try Filter("a == %@ AND b == %@", 1) }
        #expect(few.message.contains("position 18: there is no argument for this %@; the format was given 1 argument."))
        let many = try #require(throws: CabinetError.self) { try Filter("a == '%@'", "Milk") }
        #expect(many.message.contains("Within quotes a specifier is plain text: write %@ without them."))
        let whole = try #require(throws: CabinetError.self) { try Filter("%@", "a == 1") }
        #expect(whole.message.contains("%@ stands for a value, not for a whole filter"))
        let operation = try #require(throws: CabinetError.self) { try Filter("a %@ 5", "==") }
        #expect(operation.message.contains("position 3: %@ stands for a value, not for an operator"))
        let range = try #require(throws: CabinetError.self) { try Filter("a BETWEEN %@ AND %@", 1, 5) }
        #expect(range.message.contains("write BETWEEN {1, 5}"))
    }
}
