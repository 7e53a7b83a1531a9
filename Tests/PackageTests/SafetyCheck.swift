import Foundation

/// No input may trap, every unchecked promise has a reason, no closure grows or crashes, and no condition is switched off.
enum SafetyCheck {
    /// Finds the traps, the unchecked promises without a reason, and the mutexes of bare closures.
    static func violations(in file: SourceText) -> [Violation] {
        let trap = #/\btry!|\bas!|\b(?:fatalError|preconditionFailure|precondition)\(|[\w)\]}"`?]!(?!=)/#
        // Each access to a bare closure in a mutex puts it into another one, so that its calls get slower and deeper without an end.
        let closure = #/\bMutex<[(\[]*@Sendable/#
        // The optimizer passes no type for it, and the program crashes where it is bound (Swift 6.3.1).
        let task = #/@TaskLocal.*->/#
        // A mutant of a test run was committed once.
        let constant =
            #/(?:[{(,:]|[^?]\?|[^=!<>]=|return) *(?:true|false) (?:&&|\|\|)|(?:&&|\|\|) (?:true|false)\b *(?:[)},?:{]|$)/#
        // The absolute value of the least integer does not fit.
        let absolute = #/\babs\(/#
        let handle =
            #/
            \.(?:write\(Data\(|readDataToEndOfFile\(|readData\(ofLength:|availableData\b)
            | \.standard(?:Error|Output)\.write\((?!contentsOf:)
            /#
        let promise = #/@unchecked\s+Sendable|\bnonisolated\(unsafe\)|\bunowned\(unsafe\)/#
        var violations: [Violation] = []
        let signs = [
            "Mutex<", "@TaskLocal", "!", "fatalError(", "precondition", "@unchecked", "(unsafe)", "true", "false",
            ".write(",
            "readData", "availableData", "abs(",
        ]
        for (index, line) in file.code.enumerated() where signs.contains(where: line.hasBytes) {
            if let match = line.firstMatch(of: trap) {
                let message = "\(name(of: match.output)) traps: throw an error or return nil instead"
                violations.append(Violation(path: file.path, line: index + 1, message: message))
            }
            if line.firstMatch(of: handle) != nil {
                let message = "this call of FileHandle traps: use write(contentsOf:), readToEnd() or read(upToCount:)"
                violations.append(Violation(path: file.path, line: index + 1, message: message))
            }
            if line.firstMatch(of: absolute) != nil {
                let message = "abs() traps for the least integer: use magnitude"
                violations.append(Violation(path: file.path, line: index + 1, message: message))
            }
            if line.firstMatch(of: closure) != nil {
                let message = "a mutex of a bare closure grows with each access: put the closure into a struct"
                violations.append(Violation(path: file.path, line: index + 1, message: message))
            }
            if line.firstMatch(of: task) != nil {
                let message = "a task-local function crashes optimized programs: put the function into a struct"
                violations.append(Violation(path: file.path, line: index + 1, message: message))
            }
            if line.firstMatch(of: constant) != nil {
                let message = "a constant part of a condition switches it off: remove it"
                violations.append(Violation(path: file.path, line: index + 1, message: message))
            }
            if let match = line.firstMatch(of: promise), !hasReason(at: index, in: file) {
                let message = "\(match.output) needs a // comment, at most six lines above it, that says why it is safe"
                violations.append(Violation(path: file.path, line: index + 1, message: message))
            }
        }
        return violations
    }

    private static func name(of trap: Substring) -> String {
        switch trap {
        case "try!", "as!": String(trap)
        case _ where trap.hasSuffix("("): "\(trap))"
        default: "forced unwrapping (!)"
        }
    }

    /// Whether a plain comment is on the line or within the six lines above it; a doc comment is not a reason.
    private static func hasReason(at index: Int, in file: SourceText) -> Bool {
        (max(0, index - 6)...index).contains { candidate in
            let line = file.lines[candidate]
            return line != file.linesWithoutComments[candidate] && !line.drop { $0 == " " }.hasPrefix("///")
        }
    }
}
