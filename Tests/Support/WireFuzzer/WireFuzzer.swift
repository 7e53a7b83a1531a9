import Dispatch
import Foundation

/// Checks the bytes that libFuzzer generates: its entry, which `make fuzz` links with `WireFuzzChecks`.
///
/// It is not a target of the package. The environment names the reader.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzWire(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    let done = DispatchSemaphore(value: 0)
    Task {
        do {
            if checks == nil { checks = try WireFuzzChecks() }
            try await checks?.check(target, input)
        } catch {
            // Only a process that ends like this is a finding.
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            abort()
        }
        done.signal()
    }
    done.wait()
    return 0
}

/// Writes the seeds of the reader, if the environment names a folder for them.
@_cdecl("LLVMFuzzerInitialize")
public func writeSeeds(_ count: UnsafeMutableRawPointer, _ arguments: UnsafeMutableRawPointer) -> CInt {
    guard let folder = ProcessInfo.processInfo.environment["CABINET_FUZZ_SEEDS"] else { return 0 }
    for (number, seed) in FuzzSeeds.seeds(of: target).enumerated() {
        try? Data(seed).write(to: URL(filePath: folder).appending(path: "seed-\(number)"))
    }
    exit(0)
}

// One input is checked after the other.
nonisolated(unsafe) private var checks: WireFuzzChecks?

private let target =
    ProcessInfo.processInfo.environment["CABINET_FUZZ_TARGET"].flatMap(WireFuzzChecks.Target.init) ?? .request
