/// A link, or a list of links, whose targets a query fetches too.
///
/// ```swift
/// let page = try await items.all(
///     by: \.name, including: \.list, \.tags, \.list.to.owner)
/// ```
public protocol LinkSelection: Sendable {
    /// The name of the field in the database, or a key path through single links.
    var key: Record.FieldKey { get }
}

extension Link: LinkSelection {}
extension Links: LinkSelection {}
