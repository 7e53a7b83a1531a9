import SQLSupport
import Testing

@Suite("Conditions that enclose a filter")
struct ApproximateConditionTests {
    @Test("Each inexact case is tested once, also if another one differs in the normal form of a member of JSON alone")
    func inexactCases() {
        let cases = ["f('\u{E9}')", "f('e\u{301}')", "f('\u{E9}')"]
        let condition = ApproximateCondition(SQLTest(.sql("c", depth: 1), inexactCases: cases))
        #expect(!condition.isExact)
        for (bound, answer) in [(condition.necessary, "TRUE"), (condition.sufficient, "FALSE")] {
            let expected = "CASE WHEN \(cases[0]) THEN \(answer) WHEN \(cases[1]) THEN \(answer) ELSE c END"
            #expect(bound.text.utf8.elementsEqual(expected.utf8), "\(bound.text)")
        }
    }
}
