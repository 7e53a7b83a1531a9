import Cabinet
import CabinetMirror
import CabinetTesting
import Testing

@Suite("Mirrors")
struct MirrorTests {
}
