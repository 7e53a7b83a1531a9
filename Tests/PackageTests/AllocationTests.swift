import Foundation
import Testing

/// The number of memory blocks that operations request, counted by the program `AllocationProbe`, and the bytes that live
/// aggregates hold.
///
/// The bounds are a few hundredths above the counts of the time when they were written. If a bound is exceeded,
/// something is copied or created that was not before. If less is needed, lower the bound, or it detects nothing.
///
/// Each request has a meter of its work, which also cancels it: three blocks for a call. A save reads the zone owners
/// that its references name: one block for a record in a debug build, none in a release build.
///
/// A request is a value that any service can answer. So a call takes some blocks for its response, whose results are filed under
/// their IDs afterwards.
///
/// A save loads and stores the entries of its database and zone as texts: some blocks for a call. A query in memory
/// evaluates its filter for every record, and takes no block for it.
@Suite struct AllocationTests {
    /// The maximum number of allocations of an operation, in a debug build and in a release build.
    private static let bounds: [String: (debug: Double, release: Double)] = [
        "fetch of one, a call": (32, 21.8),
        "fetch of 100, a record": (20.5, 11.4),
        "query, a record": (6.4, 4.2),
        "save of one, a call": (189, 78),
        "save of 400, a record": (48.2, 11.8),
        "update of 400, a record": (56, 23.5),
        "cascade over 400, a record": (3.3, 2.8),
        "query in memory, a scanned record": (0.2, 0.045),
        "update of 400 in memory, a record": (71, 5.5),
        "live count, bytes a record": (262, 262),
        "live sums by group, bytes a record": (262, 262),
    ]

    /// The operations that take more without the caches between calls and rows: statements, names of records.
    private static let cached = [
        "query, a record", "fetch of one, a call", "fetch of 100, a record", "save of one, a call",
        "save of 400, a record",
        "update of 400, a record",
    ]

    @Test(.enabled(if: canCount, "Allocations are counted with glibc only."))
    func noOperationTakesMore() throws {
        let counts = try counts()
        #expect(Set(counts.keys) == Set(Self.bounds.keys))
        for (operation, count) in counts {
            let bound = try bound(operation)
            #expect(count <= bound, "\(operation)")
        }
    }

    /// The test above would fail without caches.
    @Test(
        .enabled(if: canCount, "Allocations are counted with glibc only."),
        .enabled(if: isDebug, "Only a debug build lets AllocationProbe reach the switch, which is internal."))
    func withoutACacheTheBoundsAreExceeded() throws {
        let counts = try counts("--without-cache")
        for operation in Self.cached {
            let count = try #require(counts[operation])
            let bound = try bound(operation)
            #expect(count > bound, "\(operation)")
        }
    }

    private func bound(_ operation: String) throws -> Double {
        let bound = try #require(Self.bounds[operation], "\(operation) has no bound")
        return Self.isDebug ? bound.debug : bound.release
    }

    private func counts(_ arguments: String...) throws -> [String: Double] {
        let output = try ProductRunner.output(of: ["AllocationProbe"] + arguments)
        return try JSONDecoder().decode([String: Double].self, from: Data(output.utf8))
    }

    // The program replaces glibc's functions, which is impossible on other platforms.
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
}
