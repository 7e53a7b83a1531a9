import Foundation

/// The long runs that `make soak` asks for.
enum Soak {
    private static let variables = ProcessInfo.processInfo.environment

    /// Whether a long run is asked for.
    static let isAsked = seconds != nil

    /// The duration of the soak test, in seconds.
    static let seconds = variables["CABINET_SOAK"].flatMap(Double.init)

    /// The seed of what clients do and of when they are disturbed.
    static let seed =
        variables["CABINET_SOAK_SEED"].flatMap(UInt64.init) ?? (isAsked ? UInt64.random(in: 0..<1_000_000) : 7)

    /// Prints a line of a long run.
    static func report(_ line: String) {
        if isAsked { FileHandle.standardError.write(Data("soak: \(line)\n".utf8)) }
    }
}
