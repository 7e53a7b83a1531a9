import Foundation

/// The resources of a running process, as Linux reports them.
struct ServerProcess {
    let id: Int32

    /// The resident memory in bytes.
    var memory: Int {
        get throws { try status("VmRSS") << 10 }
    }

    /// The most resident memory so far, in bytes.
    var peakMemory: Int {
        get throws { try status("VmHWM") << 10 }
    }

    var threads: Int {
        get throws { try status("Threads") }
    }

    /// The number of open descriptors.
    var descriptors: Int {
        get throws { try FileManager.default.contentsOfDirectory(atPath: "/proc/\(id)/fd").count }
    }

    private func status(_ name: String) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix("\(name):") }
        guard let number = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) }) else {
            throw CocoaError(.fileReadCorruptFile)
        }
        return number
    }
}
