import Testing

@testable import CabinetRemote

@Suite("Repetitions")
struct RetryTests {
    @Test("wait at least as long as the server asks, whatever it asks", arguments: [nil, 0, -1, .nan, -.infinity, 3])
    func delay(_ seconds: Double?) throws {
        var policy = RetryPolicy(limit: .seconds(60))
        let delay = try #require(policy.nextDelay(atLeast: seconds))
        #expect(delay >= .seconds(seconds == 3 ? 3 : 0) && delay < .seconds(4))
    }

    @Test("end if the server asks for more time than there is", arguments: [60, 1e300, .infinity])
    func end(_ seconds: Double) {
        var policy = RetryPolicy(limit: .seconds(60))
        #expect(policy.nextDelay(atLeast: seconds) == nil)
    }
}
