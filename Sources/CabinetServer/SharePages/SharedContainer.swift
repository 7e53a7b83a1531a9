public import Cabinet
public import CabinetWire
import Foundation

/// A container whose shares have pages on a server, at `/share/SHORT-GUID`.
public struct SharedContainer: Sendable, Hashable {
    /// The container.
    public let container: WireContainer
    /// The URL by which a program opens a share, with `{guid}` in the position of the short GUID; `nil` for none.
    public let programURL: String?

    /// Creates a container with pages.
    ///
    /// ```swift
    /// configuration.sharedContainers = [
    ///     try SharedContainer(
    ///         container, programURL: "shopping://share/{guid}")
    /// ]
    /// ```
    ///
    /// - Parameters:
    ///   - container: The container.
    ///   - programURL: The URL by which a program opens a share, with `{guid}` in the position of the short GUID.
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if the URL has no `{guid}`, or the browser itself would run it.
    public init(_ container: WireContainer, programURL: String? = nil) throws(CabinetError) {
        if let programURL { try Self.check(programURL) }
        (self.container, self.programURL) = (container, programURL)
    }

    private static let placeholder = "{guid}"
    /// The schemes by which a browser runs or shows what the URL itself has.
    private static let refused: Set = ["javascript", "data", "vbscript", "blob", "file", "about", "view-source"]

    private static func check(_ programURL: String) throws(CabinetError) {
        let parts = programURL.components(separatedBy: placeholder)
        guard parts.count == 2, let url = URL(string: parts.joined(separator: "a")),
            let scheme = url.scheme?.lowercased(), !refused.contains(scheme),
            programURL.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw CabinetError(
                .invalidArguments,
                "'\(programURL)' opens no share in a program. It is like shopping://share/{guid}, with '{guid}' once.")
        }
    }

    /// Returns the URL by which the program opens a share.
    func programURL(for shortGUID: String) -> String? {
        programURL?.replacingOccurrences(of: Self.placeholder, with: shortGUID)
    }
}
