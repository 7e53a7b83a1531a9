import AllocationCounter
import Foundation

// Prints the number of memory blocks that Cabinet's operations request, as JSON: for each record, or for each call. Then the bytes that
// live aggregates hold.
// With `--without-cache`, nothing is cached from one call or row to the next.

guard allocation_counter_works() else {
    FileHandle.standardError.write(Data("AllocationProbe counts allocations with glibc only.\n".utf8))
    exit(69)
}
allocation_share_heap()
do {
    let counts = try await Probe(isCaching: !CommandLine.arguments.contains("--without-cache")).run()
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    print(String(decoding: try encoder.encode(counts), as: UTF8.self))
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
