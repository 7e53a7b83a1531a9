import Foundation
import TerminalProgram

/// The location of the requested store.
extension Invocation {
    /// The location of a store; `nil` for the requested one.
    func location(_ text: String? = nil) throws(CommandError) -> StoreLocation {
        if let text { return try StoreLocation(text) }
        if let text = arguments.options["--store"] { return try StoreLocation(text) }
        if let text = ProcessInfo.processInfo.environment["CABINET_STORE"], !text.isEmpty {
            return try StoreLocation(text)
        }
        throw .usage("No store is given. Use --store FOLDER, or set CABINET_STORE.")
    }

    /// Whether the requested store is behind a server, which decides about users, environments and limits.
    var isRemote: Bool {
        get throws(CommandError) {
            switch try location() {
            case .folder, .server: false
            case .remote, .cloudKit: true
            }
        }
    }

    /// Whether the requested store is behind a server of CloudKit Web Services, which has no requests for schemas.
    var isCloudKit: Bool {
        get throws(CommandError) { if case .cloudKit = try location() { true } else { false } }
    }

    /// Throws if the requested store is behind a server, for a command that reads or writes more than records.
    func checkIsStore() throws(CommandError) { if try isRemote { throw needsStore() } }

    /// Returns the error of a command that works on a store itself.
    func needsStore() -> CommandError {
        .usage(
            "'\(command.name)' works on a store itself, and --store names a server. Use the server's own store, on its machine."
        )
    }

    /// The requested store for display and for files: without credentials.
    var storeText: String { get throws { "\(try location())" } }

    /// The folder of the requested store, for commands that work on its files.
    ///
    /// - Parameter advice: The way to do the same with a store on a server.
    func folder(orElse advice: String, mustExist: Bool = true) throws(CommandError) -> URL {
        try checkIsStore()
        guard case .folder(let folder) = try location() else { throw .usage("The store is on a server. \(advice)") }
        if mustExist { try Self.checkExists(folder) }
        return folder
    }

    /// Throws if a folder does not exist.
    static func checkExists(_ folder: URL) throws(CommandError) {
        guard !FileManager.default.fileExists(atPath: folder.path) else { return }
        throw CommandError(.notFound, "There is no store at \(folder.path.printable). Check --store and CABINET_STORE.")
    }
}
