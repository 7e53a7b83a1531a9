import Cabinet
import Testing

@Suite("Variables: names in a filter that values are put in for")
struct VariableTests {
    let filter: Filter =
        .field("price") * 2 < .variable("limit") && !(.variable("tag").isIn(.field("tags")))
        && (.field("n").isBetween(.variable("low"), .variable("limit")) || .constant(false))

    @Test("A value replaces its name everywhere, as if it had been written there")
    func substitution() {
        #expect(filter.variables == ["limit", "tag", "low"])
        let expected: Filter =
            .field("price") * 2 < 5 && !(.value("new").isIn(.field("tags")))
            && (.field("n").isBetween(1, 5) || .constant(false))
        let substituted = filter.substituting(["limit": 5, "tag": "new", "low": 1])
        #expect(substituted == expected)
        #expect(substituted.variables.isEmpty)
    }

    @Test("Within every kind of operand")
    func operands() throws {
        let x = Filter.variable("x")
        let place = Location(latitude: 1, longitude: 2)
        #expect((.field("a")[x] == 1).substituting(["x": 2]) == (.field("a")[2] == 1))
        #expect((x.first == 1).substituting(["x": [2, 3]]) == (.value([2, 3]).first == 1))
        #expect((x.member("name") == "a").variables == ["x"])
        #expect((-x < .field("a")).substituting(["x": 2]) == (.value(-2) < .field("a")))
        #expect(
            (.field("a").distance(to: x) < .meters(1)).substituting(["x": place])
                == (.field("a").distance(to: place) < .meters(1)))
        #expect((.any("tags") == x).substituting(["x": "a"]) == (.any("tags") == "a"))
        #expect(
            (.field("a") == Filter.Expression(list: [x, .value("b")])).substituting(["x": "a"])
                == (.field("a") == ["a", "b"]))
    }

    @Test("Names without a value stay; values without a name do nothing; nil is NIL")
    func partial() {
        let partly = filter.substituting(["low": 1, "unknown": 2])
        #expect(partly.variables == ["limit", "tag"])
        #expect(filter.substituting([:]) == filter)
        #expect((.field("a") == .variable("x")).substituting(["x": nil]) == (.field("a") == nil))
        let twice = partly.substituting(["limit": 5]).substituting(["tag": "new"])
        #expect(twice == filter.substituting(["limit": 5, "tag": "new", "low": 1]))
    }

    @Test("A filter that still has names is refused when it is used; so is a value that no field can hold")
    func refused() {
        expectInvalidArguments { try filter.validate(fields: [:]) }
        let single: Filter = .field("a") == .variable("x")
        expectInvalidArguments { try single.substituting(["x": UInt64.max]).validate(fields: [:]) }
    }

    @Test("A filter that is too deep is returned unchanged")
    func depth() {
        let deep = (0..<2_000).reduce(Filter.field("a") == .variable("x")) { filter, _ in .not(filter) }
        #expect(deep.variables.isEmpty)
        expectInvalidArguments { try deep.substituting(["x": 1]).validate(fields: [:]) }
        #expect(deep.validateForCloudKit().count == 1)
    }
}
