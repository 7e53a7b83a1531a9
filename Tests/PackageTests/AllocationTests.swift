import Foundation
import Testing

/// How many blocks of memory operations ask for, which the program `AllocationProbe` counts.
///
/// The bounds lie a few hundredths above what was counted when they were written. Where one is exceeded, something is copied or made
/// anew that was not before. When less is needed, lower it, or it notices nothing.
///
/// Each request has a meter of its work, which cancels it too: three blocks for a call. A save looks at the zone owners that its
/// references name: one block for a record in a debug build, none in a release build.
///
/// A save loads and stores the entries of its database and zone as texts: some blocks for a call. A query in memory evaluates its filter
/// for every record, and takes no block for it.
@Suite struct AllocationTests {
    /// The most allocations that an operation may take, in a debug build and in a release build.
    private static let bounds: [String: (debug: Double, release: Double)] = [
        "fetch of one, a call": (50, 33.2),
        "fetch of 100, a record": (22, 11.6),
        "query, a record": (7.4, 4.2),
        "save of one, a call": (222, 110),
        "save of 400, a record": (56.5, 17.3),
        "update of 400, a record": (59, 23.5),
        "query in memory, a record looked at": (0.2, 0.045),
    ]

    /// The operations that take more without what is kept from one call or row to the next: statements, names of records.
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

    /// The test above would notice if nothing were kept.
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

    // The program takes the place of glibc's functions; elsewhere it cannot.
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
