import Testing

@testable import Cabinet

@Suite("The nearest of some names")
struct NearestNameTests {
    private let names = ["name", "number", "list", "creationDate", "modificationDate", "x", "isDone", "tags"]

    @Test(
        "One error for every three letters, regardless of case",
        arguments: [
            ("nmae", "name"), ("NAME", "name"), ("nam", "name"), ("names", "name"), ("numbr", "number"),
            ("creatoinDate", "creationDate"), ("creationdat", "creationDate"), ("isdone", "isDone"), ("lsit", "list"),
            ("X", "x"), ("modifcationDat", "modificationDate"), ("tag", "tags"),
        ])
    func near(misspelled: String, expected: String) {
        #expect(names.nearest(to: misspelled) == expected)
    }

    @Test(
        "A name that is far from all names has no nearest one",
        arguments: [
            "", "y", "to", "title", "mane2", "date", "numeral", "creation", "ñ", String(repeating: "name", count: 99),
        ])
    func far(name: String) {
        #expect(names.nearest(to: name) == nil)
    }

    @Test("Of equally near names the first one is taken, in any order of the names")
    func order() {
        #expect(["cat", "bat", "rat"].nearest(to: "hat") == "bat")
        #expect(["rat", "hats", "bat", "HAT"].nearest(to: "hat") == "HAT")
        #expect([String]().nearest(to: "hat") == nil)
    }

    @Test("An exchange of neighbors is one error, once")
    func exchanges() {
        #expect(["abc"].nearest(to: "acb") == "abc")
        #expect(["abcdef"].nearest(to: "badcef") == "abcdef")
        #expect(["abcdef"].nearest(to: "badcfe") == nil)
    }
}
