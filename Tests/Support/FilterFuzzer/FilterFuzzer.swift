import Cabinet
import Foundation

/// Checks the bytes that libFuzzer generates: its entry, which `make fuzz` links with `FilterFuzzChecks`.
///
/// It is not a target of the package.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFilter(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    do {
        try FilterFuzzChecks.check(UnsafeBufferPointer(start: bytes, count: count))
    } catch {
        // Only a process that ends like this is a finding.
        FileHandle.standardError.write(Data("\(error)\n".utf8))
        abort()
    }
    return 0
}
