import Cabinet
import Foundation
import Testing

@Suite("The deepest filters: simplified, filled in and judged within the smallest stack that a thread has")
struct DeepFilterTests {
    @Test(arguments: ["chains", "negations", "arithmetic", "indexes", "lists"])
    func smallStack(kind: String) async {
        let most = Filter.maximumDepth - 2
        let x = Filter.Expression.variable("x")
        let filter: Filter =
            switch kind {
            case "chains":
                (0..<most).reduce(x == 1) { $1.isMultiple(of: 2) ? .and([$0, x == $1]) : .or([$0, x == $1]) }
            case "negations": (0..<most).reduce(x == 1) { filter, _ in .not(filter) }
            case "arithmetic": (0..<most).reduce(x) { sum, _ in sum + 1 } == 1
            case "indexes": (0..<most).reduce(x) { list, _ in .element(.value([1]), .at(list)) } == 1
            default: .field("a") == (0..<most).reduce(x) { list, _ in .list([list]) }
            }
        let passed = await withCheckedContinuation { continuation in
            let thread = Thread {
                let filled = filter.substituting(["x": 0])
                let simplified = filled.simplified()
                continuation.resume(
                    returning: filter.variables == ["x"] && filled.variables.isEmpty
                        && simplified.simplified() == simplified && filter.validateForCloudKit().count > 0)
            }
            thread.stackSize = 512 * 1024
            thread.start()
        }
        #expect(passed)
    }
}
