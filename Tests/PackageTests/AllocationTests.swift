import Foundation
import Testing

/// How much memory operations ask for, counted by `AllocationProbe`.
@Suite struct AllocationTests {
    /// Whether allocations can be counted: that is done by taking the place of glibc's functions.
    #if canImport(Glibc)
    private static let canCount = true
    #else
    private static let canCount = false
    #endif

    #if DEBUG
    private static let isDebug = true
    #else
    private static let isDebug = false
    #endif

    /// The most allocations for each operation, in a debug build and in a release build.
    private static let bounds: [String: (debug: Double, release: Double)] = [:]

    @Test(.enabled(if: canCount, "Allocations are counted with glibc only."))
    func noOperationTakesMore() throws {
        let counts = try counts([])
        #expect(Set(counts.keys) == Set(Self.bounds.keys))
        for (operation, count) in counts {
            let bound = try #require(Self.bounds[operation])
            #expect(count <= (Self.isDebug ? bound.debug : bound.release), "\(operation)")
        }
    }

    private func counts(_ arguments: [String]) throws -> [String: Double] {
        let output = try ProductRunner.output(of: ["AllocationProbe"] + arguments)
        return try JSONDecoder().decode([String: Double].self, from: Data(output.utf8))
    }
}
