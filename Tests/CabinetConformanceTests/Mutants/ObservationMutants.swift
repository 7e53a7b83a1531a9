import Cabinet

extension Mutant {
    /// Backends that signal changes incorrectly.
    static let signalling: [Mutant] = [
        Mutant(
            "signals a change once",
            caughtBy: [
                "an observed query reports its records, and every change of them",
                "a deployment reaches a running container",
            ]
        ) {
            $0.signals = { base in
                AsyncStream { continuation in
                    Task {
                        for await _ in base {
                            continuation.yield()
                            break
                        }
                        for await _ in base {}
                        continuation.finish()
                    }
                }
            }
        },
        Mutant("signals a change after its write", caughtBy: ["a write has signalled when it returns"]) {
            $0.signals = { base in
                AsyncStream { continuation in
                    Task {
                        for await _ in base {
                            try? await Task.sleep(for: .milliseconds(20))
                            continuation.yield()
                        }
                        continuation.finish()
                    }
                }
            }
        },
    ]
}
